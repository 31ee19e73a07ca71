"""Nothing lost, nothing raw: the place is tried first, a journal's line is checked when it is read."""

from __future__ import annotations

import json
import os
import shutil
import types

import pytest

torch = pytest.importorskip("torch")

from test_experiment import entries, loaded, measured, protocol, settings  # noqa: E402

from helpers import experiment, preflight, results, text  # noqa: E402
from helpers.experiment import place, sentinel  # noqa: E402
from helpers.experiment.attention import attention_for, register  # noqa: E402

WORK = {"context_lengths": (6,), "warmup": 0, "repeats": 2}


@pytest.fixture(autouse=True)
def english(monkeypatch):
    before = text.spoken()
    text.speak("en")
    monkeypatch.setattr(sentinel, "EVERY", 2)
    monkeypatch.setattr(sentinel, "REPEATS", 1)
    yield
    text.speak(before)


# --- the place ---------------------------------------------------------------------------------------


def test_a_folder_that_is_not_there_yet_will_do(tmp_path):
    assert place.trouble(tmp_path / "a" / "b") is None
    assert os.listdir(tmp_path / "a" / "b") == []


def test_a_file_in_the_way_is_said_before_the_model_loads(tmp_path):
    (tmp_path / "results").write_text("mine")
    assert "a file is in the way" in place.trouble(tmp_path / "results")
    assert "a file is in the way" in place.trouble(tmp_path / "results" / "deeper")


def test_a_full_disk_is_said_before_the_model_loads(tmp_path, monkeypatch):
    usage = types.SimpleNamespace(free=1_500_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    assert "1.5 MB left" in place.trouble(tmp_path)


def test_a_read_only_folder_is_said(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(place.Path, "write_bytes", refuse)
    assert "cannot be written (Permission denied)" in place.trouble(tmp_path)


@pytest.mark.parametrize(
    ("constants", "said"),
    [
        ({"ATTENTION": "flash"}, "ATTENTION must be one of sdpa, sdpa_expanded, eager"),
        ({"TRY_AGAIN": 1}, "TRY_AGAIN must be True or False, got 1"),
        ({"SOURCE": 3}, "SOURCE must be the path of a folder, got 3"),
        ({"TIME_BUDGET_S": float("inf")}, "time_budget_s must be a positive, finite number of seconds"),
        ({"TIME_BUDGET_S": "60"}, "time_budget_s must be a positive, finite number of seconds"),
        ({"SERIES": ["dynamic", "dynamic"]}, "series"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused_before_anything_runs(constants, said):
    with pytest.raises(ValueError) as error:
        experiment.settings(**constants)
    assert said in str(error.value)


# --- a journal's lines -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def subject():
    return loaded(work=protocol(**WORK), num_hidden_layers=1)


@pytest.fixture(scope="module")
def whole(subject, tmp_path_factory):
    """The journal of a finished run, line by line."""
    folder = tmp_path_factory.mktemp("whole")
    text.speak("en")
    measured(folder, subject, protocol(**WORK))
    return [json.dumps(entry) for entry in entries(folder)]


def written(folder, lines):
    (folder / "test_default.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def kinds(lines):
    return [json.loads(line)["kind"] for line in lines]


def test_reordered_lines_make_the_same_report(whole, subject, tmp_path):
    visits = [line for line in whole if json.loads(line)["kind"] == "visit"]
    others = [line for line in whole if json.loads(line)["kind"] != "visit"]
    written(tmp_path, others + visits[::-1])
    report = measured(tmp_path, subject, protocol(**WORK))
    assert report.status == "completed"
    kept = [json.dumps(entry) for entry in entries(tmp_path) if entry["kind"] == "visit"]
    assert sorted(kept) == sorted(visits)  # nothing was measured again


DAMAGE = {
    "a line twice": lambda lines, at: [*lines, lines[at]],
    "half a line": lambda lines, at: [*lines[:at], lines[at][:40], *lines[at + 1 :]],
    "another kind": lambda lines, at: [*lines, '{"kind": "poem"}'],
    "a foreign shape": lambda lines, at: [*lines, lines[at].replace('"batch": 1', '"batch": 7')],
    "a sample that is text": lambda lines, at: [
        *lines[:at],
        lines[at].replace('"decode_samples_ms": [', '"decode_samples_ms": ["x", '),
        *lines[at + 1 :],
    ],
    "a negative sample": lambda lines, at: [
        *lines[:at],
        lines[at].replace('"decode_samples_ms": [', '"decode_samples_ms": [-1.0, '),
        *lines[at + 1 :],
    ],
    "no seconds": lambda lines, at: [*lines[:at], lines[at].replace("wall_s", "wall"), *lines[at + 1 :]],
    "no bytes of text": lambda lines, at: [*lines[:at], "\udcff", *lines[at + 1 :]],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_line_is_refused_by_number_and_without_it_the_run_goes_on(damage, whole, subject, tmp_path):
    at = next(n for n, line in enumerate(whole) if '"kind": "visit"' in line and '"batch": 1' in line)
    lines = DAMAGE[damage](whole, at)
    path = tmp_path / "test_default.jsonl"
    path.write_bytes(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    with pytest.raises(results.ResultError, match=r"line \d+ cannot be used: .*Delete that line") as error:
        measured(tmp_path, subject, protocol(**WORK))
    number = int(str(error.value).partition("line ")[2].split()[0])
    kept = path.read_bytes().split(b"\n")
    del kept[number - 1]
    path.write_bytes(b"\n".join(kept))
    assert measured(tmp_path, subject, protocol(**WORK)).status == "completed"


def test_a_lost_header_is_no_line_to_delete(whole, subject, tmp_path):
    written(tmp_path, whole[1:])
    with pytest.raises(results.ResultError, match="has lost its first line"):
        measured(tmp_path, subject, protocol(**WORK))


@pytest.mark.parametrize("change", [{"rounds": 1}, {"min_repeats": 1}, {"time_budget_s": 60.0}])
def test_what_shapes_the_samples_must_agree_when_a_run_goes_on(change, whole, subject, tmp_path):
    written(tmp_path, whole[:4])
    with pytest.raises(results.ResultError, match=f"workload.{next(iter(change))} was"):
        measured(tmp_path, subject, protocol(**{**WORK, **change}))


def test_a_journal_of_a_run_before_rounds_is_still_read(whole, subject, tmp_path):
    finished = measured(tmp_path / "a", subject, protocol(**WORK))
    lines = [whole[0]]
    for record in finished.records:
        row = {"kind": "record", "record": record.model_dump(mode="json"), "timed_s": 0.1, "wall_s": 0.2}
        lines.append(json.dumps(row))
    (tmp_path / "b").mkdir()
    written(tmp_path / "b", lines)
    report = measured(tmp_path / "b", subject, protocol(**WORK))
    assert report.records == finished.records


def test_a_shape_that_was_given_up_can_be_tried_again(whole, subject, tmp_path):
    begin = next(line for line in whole if json.loads(line)["kind"] == "begin")
    written(tmp_path, [whole[0], begin, begin, begin])
    given_up = measured(tmp_path, subject, protocol(**WORK))
    assert "TRY_AGAIN = True" in given_up.failed[0].failure
    again = settings(tmp_path, protocol(**WORK), try_again=True)
    from test_experiment import CHECKED

    from helpers.experiment.device import runtime_for
    from helpers.experiment.running import run_matrix

    report = run_matrix(again, subject, runtime_for("cpu"), CHECKED, progress=lambda line: None)
    assert (report.status, len(report.ok)) == ("completed", 2)


# --- attention ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "capability", "built"),
    [
        (None, (7, 5), "sdpa_expanded"),
        (None, (6, 0), "sdpa_expanded"),
        (None, (8, 0), None),
        (None, None, None),
        ("sdpa", (7, 5), "sdpa"),
    ],
)
def test_the_attention_is_chosen_by_what_the_gpu_can_fuse(asked, capability, built):
    assert attention_for(asked, capability) == built


@pytest.mark.parametrize("static", [False, True])
@torch.inference_mode()
def test_expanded_attention_computes_what_sdpa_computes_and_asks_for_no_groups(static, monkeypatch):
    from test_experiment import prefilled

    register()
    subject = loaded()
    asked = []
    real = torch.nn.functional.scaled_dot_product_attention

    def watched(*given, **options):
        asked.append((given[0].shape[1], given[1].shape[1], options.get("enable_gqa", False)))
        return real(*given, **options)

    _, cache = prefilled(subject, static=static)
    following = torch.tensor([[33], [44]])
    wanted = subject.model(input_ids=following, use_cache=True, **{subject.keyword: cache}).logits
    subject.model.set_attn_implementation("sdpa_expanded")
    _, cache = prefilled(subject, static=static)
    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", watched)
    got = subject.model(input_ids=following, use_cache=True, **{subject.keyword: cache}).logits
    assert torch.allclose(got, wanted, atol=1e-5)
    assert {(queries == keys, grouped) for queries, keys, grouped in asked} == {(True, False)}


# --- the hub -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["http://127.0.0.1:{port}", "http://127.0.0.1:{port}/hf"])
def test_a_mirror_is_tried_at_its_own_scheme_host_and_port(given):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        endpoint = given.format(port=server.getsockname()[1])
        assert preflight.reachable(endpoint)
    assert not preflight.reachable(endpoint)
    assert not preflight.reachable("http://127.0.0.1:notaport")


def test_a_result_from_before_the_rounds_is_read_by_the_same_call(tmp_path):
    from helpers import recorded, workload

    folder = tmp_path / "results"
    old = results.load(recorded.own("smollm2-135m-cpu"))
    assert old.workload.rounds is None
    chosen = experiment.settings(
        workload.without_gpu(), RUN_MODE="real_cpu", RUN_LABEL=old.run_label, GPU_RESULT_DIR=str(folder)
    )
    folder.mkdir()
    results.save(old, chosen.result_path)
    assert experiment.run(chosen, progress=lambda line: None).report == old
