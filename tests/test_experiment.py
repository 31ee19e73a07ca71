"""The experiment on tiny models: fixed context, gates, failures, resuming, and the student's interface."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import types
import weakref
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from helpers import experiment, preflight, results, text, timing, workload  # noqa: E402
from helpers.experiment import command, failure, matrix, model, running, sentinel, shape  # noqa: E402
from helpers.experiment.budget import Budget  # noqa: E402
from helpers.experiment.cache import cache_keyword, cache_length, hold, kv_bytes  # noqa: E402
from helpers.experiment.device import DeviceRuntime, runtime_for  # noqa: E402
from helpers.experiment.running import run_matrix  # noqa: E402
from helpers.schedule import schedule  # noqa: E402
from helpers.workload import Shape, Workload  # noqa: E402

DEFAULT, ON_CPU, LAUNCH = workload.default(), workload.without_gpu(), workload.with_random_weights()
LAYERS, KV_HEADS, HEAD_DIM, VOCABULARY = 3, 2, 8, 320
KV_BYTES_PER_TOKEN = 384  # 3 layers × (keys and values) × 2 heads × 8 elements × 4 bytes
KINDS = {"qwen3": transformers.Qwen3Config, "llama": transformers.LlamaConfig}


@pytest.fixture(autouse=True)
def english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads that wait for each other on a busy machine would make tiny models slow."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Leave out what only matters in a long run."""
    monkeypatch.setattr(running, "_young_heap", contextlib.nullcontext)
    monkeypatch.setattr(sentinel, "REPEATS", 1)


def config(kind="qwen3", **fields):
    given = {
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 4,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD_DIM,
        "hidden_size": 32,
        "intermediate_size": 48,
        "vocab_size": VOCABULARY,
        "tie_word_embeddings": True,
    }
    return KINDS[kind](**{**given, **fields})


def protocol(**fields) -> Workload:
    given = {
        "id": "inf-test",
        "version": "v1",
        "model_id": "random/tiny",
        "batch_sizes": (1, 2),
        "context_lengths": (6, 9),
        "dtype": "float32",
        "warmup": 1,
        "repeats": 3,
    }
    return Workload(**{**given, **fields})


def loaded(kind="qwen3", work=None, **fields) -> model.Loaded:
    torch.manual_seed(1)
    tiny = transformers.AutoModelForCausalLM.from_config(config(kind, **fields), dtype=torch.float32)
    return model.prepared(tiny, work or protocol(), "random")


CHECKED = preflight.Preflight(
    "INF-CPU-MECHANISM",
    (),
    "float32",
    preflight.DeviceFacts("cpu", True, "Test CPU"),
    preflight.Supply("random"),
)


def settings(folder, work=None, **fields) -> experiment.Settings:
    return experiment.Settings(
        workload=work or protocol(),
        run_mode="real_cpu",
        weights="random",
        result_dir=str(folder),
        **fields,
    )


def measured(folder, subject=None, work=None, runtime=None, lines=None):
    chosen = settings(folder, work)
    tell = (lines if lines is not None else []).append
    subject = subject or loaded(work=work)
    return run_matrix(chosen, subject, runtime or runtime_for("cpu"), CHECKED, progress=tell)


def prefilled(subject, batch=2, context=7, static=False):
    """A cache of `context` tokens, made by calling transformers directly."""
    ids = torch.randint(20, 300, (batch, context), generator=torch.Generator().manual_seed(3))
    options = {}
    if static:
        cache = transformers.StaticCache(config=subject.model.config, max_cache_len=context + 1)
        options[subject.keyword] = cache
    output = subject.model(input_ids=ids, use_cache=True, **options)
    return ids, getattr(output, subject.keyword)


# --- the cache ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("static", [False, True])
@torch.inference_mode()
def test_the_context_stays_the_same_bit_for_bit_over_25_steps(kind, static):
    subject = loaded(kind)
    _, cache = prefilled(subject, static=static)
    before = [(layer.keys.clone(), layer.values.clone()) for layer in cache.layers]
    following = torch.tensor([[33], [44]])
    restore = hold(cache, 7)
    logits = []
    for _ in range(25):
        output = subject.model(input_ids=following, use_cache=True, **{subject.keyword: cache})
        logits.append(output.logits)
        restore()
        assert cache_length(cache) == 7
        assert all(
            torch.equal(layer.keys, keys) and torch.equal(layer.values, values)
            for layer, (keys, values) in zip(cache.layers, before, strict=True)
        )
    assert all(torch.equal(logits[0], other) for other in logits[1:])


@pytest.mark.parametrize("static", [False, True])
@torch.inference_mode()
def test_a_step_on_a_held_cache_equals_a_pass_over_the_whole_text(static):
    subject = loaded()
    ids, cache = prefilled(subject, static=static)
    following = torch.tensor([[33], [44]])
    restore = hold(cache, 7)
    for _ in range(3):
        restore()
        stepped = subject.model(input_ids=following, use_cache=True, **{subject.keyword: cache}).logits[:, -1]
    whole = subject.model(input_ids=torch.cat([ids, following], dim=1)).logits[:, -1]
    assert torch.allclose(stepped, whole, atol=1e-5)


@torch.inference_mode()
def test_without_holding_the_cache_grows_with_every_step():
    subject = loaded()
    _, cache = prefilled(subject)
    for _ in range(3):
        subject.model(input_ids=torch.tensor([[33], [44]]), use_cache=True, **{subject.keyword: cache})
    assert cache_length(cache) == 10


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_a_sliding_window_is_held_too(kind):
    subject = loaded("qwen3", use_sliding_window=True, sliding_window=5, max_window_layers=1)
    _, cache = prefilled(subject, context=9)
    restore = hold(cache, 9)
    options = {subject.keyword: cache}
    first = subject.model(input_ids=torch.tensor([[33], [44]]), use_cache=True, **options).logits
    restore()
    again = subject.model(input_ids=torch.tensor([[33], [44]]), use_cache=True, **options).logits
    assert torch.equal(first, again)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("static", [False, True])
@torch.inference_mode()
def test_kv_bytes_are_those_of_keys_and_values_of_the_context(kind, static):
    _, cache = prefilled(loaded(kind), batch=2, context=7, static=static)
    assert kv_bytes(cache, 7) == KV_BYTES_PER_TOKEN * 2 * 7


def test_the_counts_of_a_model_take_no_memory_and_are_right():
    assert model.counted_kv_bytes(config(), "bfloat16", 10) == KV_BYTES_PER_TOKEN // 2 * 10
    sizes = model.counted(config(), "bfloat16")
    direct = transformers.AutoModelForCausalLM.from_config(config(), dtype=torch.bfloat16)
    assert sizes.parameters == direct.num_parameters()
    assert sizes.weight_bytes == sum(parameter.nbytes for parameter in direct.parameters())
    assert sizes.kv_bytes_per_token == KV_BYTES_PER_TOKEN // 2


def test_a_loaded_model_reports_the_bytes_of_its_own_weights():
    info = loaded().info
    assert info.streamed_weight_bytes == info.weight_bytes == 4 * info.parameters


def test_an_untied_input_embedding_is_not_streamed():
    info = loaded(tie_word_embeddings=False).info
    assert info.weight_bytes - info.streamed_weight_bytes == VOCABULARY * 32 * 4


@pytest.mark.parametrize(
    ("model_id", "parameters", "kv_bytes_of_a_token"),
    [
        ("HuggingFaceTB/SmolLM2-135M-Instruct", 134_515_008, 46_080),
        ("Qwen/Qwen3-0.6B", 596_049_920, 229_376),
    ],
)
def test_random_weights_have_the_shape_of_the_published_model(model_id, parameters, kv_bytes_of_a_token):
    sizes = model.counted(model.random_config(model_id), "float32")
    assert (sizes.parameters, sizes.kv_bytes_per_token) == (parameters, kv_bytes_of_a_token)


def test_a_model_of_an_unknown_family_is_not_made_up():
    with pytest.raises(ValueError, match="none of the shapes"):
        model.random_config("Qwen/Qwen3-30B-A3B")


def test_the_keyword_of_the_cache_is_read_off_the_forward_signature():
    class New:
        def forward(self, input_ids, cache=None): ...

    class Old:
        def forward(self, input_ids, past_key_values=None, cache_position=None): ...

    assert cache_keyword(New()) == "cache"
    assert cache_keyword(Old()) == "past_key_values"


# --- a whole run -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_is_measured_with_raw_samples_and_gates(kind, tmp_path):
    work = protocol(series=("dynamic", "static"))
    lines = []
    report = measured(tmp_path, loaded(kind, work), work, lines=lines)
    assert (report.status, len(report.records), report.missing, report.lacks) == ("completed", 8, (), ())
    for record in report.records:
        assert len(record.decode_samples_ms) == 3
        assert len(record.prefill_samples_ms) == (3 if record.series == "dynamic" else 0)
        assert record.kv_cache_bytes == KV_BYTES_PER_TOKEN * record.batch * record.context_tokens
        assert record.gates.failed == ()
        assert set(record.gates.verdicts.values()) == {True}
        assert record.gates.logits_shape == (record.batch, 1, VOCABULARY)
        assert record.attention.startswith("sdpa/")
        assert record.peak_memory_bytes is None
    assert sorted(record.position for record in report.records) == list(range(8))
    assert len(lines) == 24  # three rounds of 8 shapes
    assert "left" in lines[0]


def test_a_cpu_run_is_labelled_a_cpu_run_with_random_weights(tmp_path):
    report = measured(tmp_path)
    assert report.evidence_level == "local_mechanism_benchmark_cpu"
    assert (report.profile_id, report.hardware.gpu) == ("INF-CPU-MECHANISM", None)
    assert (report.model.weights, report.model.weights_source) == ("random", "random")
    assert report.hardware.transformers == transformers.__version__


def test_the_samples_fit_into_the_time_that_was_spent(tmp_path):
    report = measured(tmp_path)
    sampled_s = sum(sum(r.prefill_samples_ms) + sum(r.decode_samples_ms) for r in report.records) / 1e3
    assert 0 < sampled_s <= report.timed_s <= report.wall_s


def test_a_series_that_the_device_cannot_run_is_recorded_as_skipped(tmp_path):
    report = measured(tmp_path, work=protocol(series=("cuda_graph",)))
    assert {record.failure_kind for record in report.records} == {"skipped"}
    assert (report.status, report.failure) == ("failed", "Not one shape was measured.")


def test_sentinels_show_drift_between_the_shapes(tmp_path):
    report = measured(tmp_path)
    assert [sentinel.position for sentinel in report.sentinels] == [0, 4, 8, 12]
    assert {(s.batch, s.context_tokens) for s in report.sentinels} == {(1, 5)}


def test_inputs_depend_on_the_shape_and_the_seed_only():
    first = shape.token_ids(Shape(50, 4), 2026, 1000, torch)
    shape.token_ids(Shape(10, 1), 2026, 1000, torch)
    torch.rand(5)
    again = shape.token_ids(Shape(50, 4), 2026, 1000, torch)
    assert torch.equal(first[0], again[0])
    assert torch.equal(first[1], again[1])
    assert not torch.equal(first[0], shape.token_ids(Shape(50, 4), 2027, 1000, torch)[0])
    assert (first[0].shape, first[1].shape) == ((4, 50), (4, 1))
    assert int(first[0].min()) >= 100
    assert int(first[0].max()) < 900


def test_each_round_has_every_shape_in_an_order_of_its_own_that_the_seed_fixes():
    work = protocol(batch_sizes=(1, 2, 4, 8), context_lengths=(6, 9, 12), repeats=20)
    turns = schedule(work)
    assert turns == schedule(work)
    rounds = [[turn.shape for turn in turns if turn.round == r] for r in range(4)]
    assert len(turns) == 48
    assert all(sorted(one) == sorted(work.shapes) for one in rounds)
    assert len(set(map(tuple, rounds))) == 4
    assert {turn.samples for turn in turns} == {5}
    assert [turn.position for turn in turns] == list(range(48))


def test_graphs_come_last_and_in_order():
    work = protocol(series=("cuda_graph", "dynamic"), batch_sizes=(1, 2, 4), context_lengths=(6,))
    turns = schedule(work)
    graphs = [turn for turn in turns if turn.shape.series == "cuda_graph"]
    assert list(turns[-9:]) == graphs
    assert [(turn.shape.batch, turn.round) for turn in graphs[:4]] == [(1, 0), (1, 1), (1, 2), (2, 0)]


@pytest.mark.parametrize(("repeats", "sizes"), [(20, (5, 5, 5, 5)), (3, (1, 1, 1)), (10, (3, 3, 2, 2))])
def test_the_repeats_are_shared_among_the_rounds(repeats, sizes):
    assert protocol(repeats=repeats).round_sizes == sizes


def test_a_record_says_which_samples_are_of_one_round_and_where_they_were_taken(tmp_path):
    work = protocol(repeats=8)
    report = measured(tmp_path, work=work)
    turns = schedule(work)
    for record in report.records:
        assert record.decode_rounds == (2, 2, 2, 2)
        places = tuple(turn.position for turn in turns if turn.shape == record.shape)
        assert record.positions == places
        assert record.position == places[0]
        assert record.decode.median_low_ms <= record.decode.median_high_ms


def test_a_spent_budget_leaves_the_least_prefills_and_every_decode_step():
    work = protocol(repeats=50, warmup=9, min_repeats=2, time_budget_s=1e-6)
    turns = schedule(work)
    repetitions = Budget(work, list(turns)).repetitions(turns[0])
    prefill, decode = (timing.measure(lambda: None, timing.Clock(), one) for one in repetitions)
    assert (len(prefill.samples_ms), len(decode.samples_ms)) == (1, 13)


def test_the_budget_is_shared_in_proportion_to_the_work():
    work = protocol(context_lengths=(100, 10_000), batch_sizes=(1,), time_budget_s=100.0)
    turns = schedule(work)
    budget = Budget(work, list(turns))
    first = {turn.shape: turn for turn in turns if turn.is_first}
    small, large = (budget.repetitions(first[one])[0].budget_s for one in work.shapes)
    assert large == pytest.approx(100 * small)
    budget.finish(first[work.shapes[1]], 5.0)
    assert budget.repetitions(first[work.shapes[0]])[0].budget_s > small
    budget.finish(first[work.shapes[0]], 100.0)
    assert budget.is_over


# --- failures ----------------------------------------------------------------------------------------


def failing(subject, batch, error):
    """The model, raising `error` for one batch size, with a tensor alive in the failing frame."""
    forward = subject.model.forward

    def broken(self, input_ids, **options):
        if input_ids.shape[0] == batch:
            held = torch.zeros(1000)
            failing.last = weakref.ref(held)
            raise error
        return forward(input_ids=input_ids, **options)

    subject.model.forward = types.MethodType(broken, subject.model)
    return subject


MEMORY_ERRORS = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory"),
    RuntimeError("CUDA error: out of memory"),
    MemoryError(),
]


@pytest.mark.parametrize("error", MEMORY_ERRORS, ids=lambda error: type(error).__name__)
def test_running_out_of_memory_is_a_result_and_the_run_goes_on(error, tmp_path):
    report = measured(tmp_path, failing(loaded(), 2, error))
    assert report.status == "completed"
    assert [record.batch for record in report.ok] == [1, 1]
    for record in report.failed:
        assert (record.batch, record.failure_kind, record.oom_recovered) == (2, "oom", True)
        assert record.failure.startswith("OOM: ")


def test_a_device_that_does_not_recover_ends_the_run(tmp_path):
    class Stuck(DeviceRuntime):
        def works(self):
            return False

    subject = failing(loaded(), 2, MEMORY_ERRORS[0])
    report = measured(tmp_path, subject, runtime=Stuck("cpu", torch, timing.Clock()))
    assert report.status == "failed"
    assert report.records[-1].oom_recovered is False
    assert report.missing
    assert "did not recover" in report.failure


def test_memory_that_stays_allocated_is_no_recovery():
    class Leaking(DeviceRuntime):
        def allocated_bytes(self):
            return 1_000_000_000

    assert not failure.recovered(Leaking("cpu", torch, timing.Clock()), 500_000_000)
    assert failure.recovered(Leaking("cpu", torch, timing.Clock()), 990_000_000)


def test_nothing_of_a_failed_attempt_stays_alive():
    kept = []

    def work():
        tensor = torch.zeros(10)
        kept.append(weakref.ref(tensor))
        try:
            raise RuntimeError("first")
        except RuntimeError:
            raise torch.OutOfMemoryError("CUDA out of memory") from None

    gc.disable()
    try:
        outcome = failure.attempt(work)
        assert kept[0]() is None
    finally:
        gc.enable()
    assert outcome.kind == "oom"


def test_the_tensors_of_a_failed_forward_are_gone_when_recovery_is_checked(tmp_path):
    seen = []

    class Watching(DeviceRuntime):
        def works(self):
            seen.append(failing.last())
            return True

    measured(tmp_path, failing(loaded(), 2, MEMORY_ERRORS[0]), runtime=Watching("cpu", torch, timing.Clock()))
    assert seen == [None, None]


def test_an_ordinary_error_is_no_lack_of_memory(tmp_path):
    report = measured(tmp_path, failing(loaded(), 2, ValueError("odd batch")))
    assert {(r.failure_kind, r.failure, r.oom_recovered) for r in report.failed} == {
        ("error", "odd batch", None)
    }


def test_logits_that_are_not_finite_are_refused_before_timing(tmp_path):
    subject = loaded()
    with torch.no_grad():
        subject.model.get_input_embeddings().weight.fill_(float("nan"))
    report = measured(tmp_path, subject)
    assert {record.failure_kind for record in report.records} == {"gate"}
    assert "logits_finite" in report.records[0].failure


def test_a_cache_that_is_not_held_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(shape, "hold", lambda cache, context, keep=True: lambda: None)
    report = measured(tmp_path)
    assert {record.failure_kind for record in report.records} == {"gate"}


def test_a_shape_that_cannot_fit_into_the_hosts_memory_is_not_tried(tmp_path):
    class Small(DeviceRuntime):
        def free_bytes(self):
            return 10_000

    report = measured(tmp_path, runtime=Small("cpu", torch, timing.Clock()))
    assert {record.failure_kind for record in report.records} == {"oom"}
    assert "not tried" in report.records[0].failure


# --- resuming ----------------------------------------------------------------------------------------


class Death(BaseException):
    """The end of the process, as far as the run can tell."""


def dying_at(count, half):
    """A journal that dies at its `count`-th line: before it, or in the middle of writing it."""
    append = results.Journal.append
    calls = [0]

    def dying(self, entry):
        calls[0] += 1
        if calls[0] == count:
            if half:
                line = json.dumps(entry).encode()
                with open(self.path, "ab") as file:
                    file.write(line[: len(line) // 2])
            raise Death
        append(self, entry)

    return dying


def entries(folder):
    return results.Journal(folder / "test_default.jsonl").read()


@pytest.mark.parametrize("half", [False, True])
def test_a_run_killed_at_any_line_goes_on_where_it_stopped(tmp_path, monkeypatch, half):
    monkeypatch.setattr(sentinel, "EVERY", 2)
    work = protocol(context_lengths=(6,), warmup=0, repeats=2)
    subject = loaded(work=work, num_hidden_layers=1)
    count = 0
    while True:
        count += 1
        folder = tmp_path / str(count)
        with monkeypatch.context() as patch:
            patch.setattr(results.Journal, "append", dying_at(count, half))
            try:
                report = measured(folder, subject, work)
            except Death:
                report = None
        if report is not None:
            break
        done = [entry for entry in entries(folder) if entry["kind"] == "visit"]
        finished = measured(folder, subject, work)
        assert finished.status == "completed"
        assert len(finished.records) == 2
        kept = [entry for entry in entries(folder) if entry["kind"] == "visit"]
        assert kept[: len(done)] == done
        assert len(kept) == 4
    assert count == 13  # header, four times begin and visit, three sentinels; and the run that is not killed


SCRIPT = """
import os, signal, sys
sys.path[:0] = {paths!r}
import torch
import test_experiment as t
torch.set_num_threads(1)
from helpers import results
{fault}
t.measured(t.Path({folder!r}), t.loaded())
"""
FAULTS = {
    "inside a line": """
append = results.Journal.append
def dying(self, entry):
    if entry["kind"] == "visit" and entry["visit"]["position"] == 2:
        with open(self.path, "ab") as file:
            file.write(b'{"kind": "vis')
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    append(self, entry)
results.Journal.append = dying
""",
    "inside a shape": """
from helpers import timing
measure, calls = timing.measure, [0]
def dying(step, *rest, **options):
    calls[0] += 1
    if calls[0] == 6:  # of the third shape: a sentinel and two shapes with two phases each came before
        def step():
            os.kill(os.getpid(), signal.SIGKILL)
    return measure(step, *rest, **options)
timing.measure = dying
""",
}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_process_that_was_really_killed_goes_on_where_it_stopped(tmp_path, fault):
    here = os.path.dirname(os.path.abspath(__file__))
    script = textwrap.dedent(SCRIPT).format(
        paths=[here, os.path.dirname(here)], fault=FAULTS[fault], folder=str(tmp_path)
    )
    script = script.replace("t.Path", "__import__('pathlib').Path")
    killed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = [entry for entry in entries(tmp_path) if entry["kind"] == "visit"]
    assert len(done) == 2
    report = measured(tmp_path)
    assert (report.status, report.sessions) == ("completed", 2)
    assert [entry for entry in entries(tmp_path) if entry["kind"] == "visit"][:2] == done


def test_a_shape_that_ends_the_process_again_and_again_is_given_up(tmp_path, monkeypatch):
    def die(*_, **__):
        raise Death

    subject = loaded()
    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(matrix.ShapeRun, "measure", die)
            with pytest.raises(Death):
                measured(tmp_path, subject)
    report = measured(tmp_path, subject)
    assert len(report.ok) == 3
    assert "ended the process 3 times" in report.failed[0].failure


def test_an_interrupt_by_hand_is_not_held_against_the_shape(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    subject = loaded()
    for _ in range(4):
        with monkeypatch.context() as patch:
            patch.setattr(matrix.ShapeRun, "measure", stop)
            with pytest.raises(KeyboardInterrupt):
                measured(tmp_path, subject)
    report = measured(tmp_path, subject)
    assert (len(report.ok), report.sessions) == (4, 5)


def test_a_label_of_another_experiment_is_refused_by_the_field_that_differs(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(results.Journal, "append", dying_at(5, False))
        with pytest.raises(Death):
            measured(tmp_path)
    with pytest.raises(results.ResultError, match=r"workload\.repeats was 3 and is 4"):
        measured(tmp_path, work=protocol(repeats=4))


# --- the student's interface -------------------------------------------------------------------------

TINY_RUN = {
    "WORKLOAD_ID": LAUNCH,
    "WORKLOAD_VERSION": "test",
    "GPU_BATCH_SIZES": [1],
    "GPU_CONTEXT_LENGTHS": [8],
    "GPU_WARMUP": 0,
    "GPU_REPEATS": 2,
}


def test_a_dry_run_registers_the_plan_and_writes_nothing(tmp_path):
    outcome = experiment.run(experiment.settings(RUN_MODE="dry_run", GPU_RESULT_DIR=str(tmp_path)))
    assert (outcome.status, outcome.report) == ("skipped", None)
    assert "Set 'real_gpu' with a GPU" in outcome.failure
    planned = {str(p.shape): p for p in outcome.plan.shapes}
    assert planned["8 × 1024"].kv_bytes == 939_524_096
    assert planned["1 × 128"].kv_bytes == 14_680_064
    assert outcome.plan.weight_bytes == 1_192_099_840
    assert planned["8 × 1024"].memory_bytes > 939_524_096
    assert "0.940" in str(outcome)
    assert os.listdir(tmp_path) == []


def test_the_plans_times_are_those_of_the_students_own_function():
    asked = []

    def step_ms(sizes, context_tokens, prefill_tokens, decode_tokens):
        asked.append((sizes, context_tokens, prefill_tokens, decode_tokens))
        return len(context_tokens)

    planned = experiment.plan(experiment.settings(), step_ms=step_ms)
    last = planned.shapes[-1]
    assert (last.decode_ms, last.prefill_ms) == (8.0, 0.0)
    sizes, *prefill = asked[-2]
    assert prefill == [[], 8 * 1024, 0]
    assert (sizes.weight_bytes, sizes.kv_bytes_per_token) == (1_192_099_840, 114_688)
    assert sizes.flops_per_token == 1_192_099_840
    assert asked[-1] == (sizes, [1024] * 8, 0, 8)


def test_a_plan_needs_no_transformers(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "12.8" not in str(experiment.plan(experiment.settings()))
    tiny = experiment.plan(experiment.settings(WORKLOAD_ID=LAUNCH))
    assert tiny.weight_bytes is None
    outcome = experiment.run(experiment.settings(RUN_MODE="real_cpu"))
    assert (outcome.status, "pip install torch" in outcome.failure) == ("failed", True)


def test_constants_of_the_course_text_become_settings(tmp_path):
    chosen = experiment.settings(
        RUN_MODE="real_gpu",
        RUN_LABEL="t4-monday",
        PROFILE_ID="INF-CUDA-MECHANISM",
        WORKLOAD_ID=DEFAULT,
        WORKLOAD_VERSION="v3",
        GPU_MODEL_ID="Qwen/Qwen3-0.6B",
        GPU_MODEL_REVISION="main",
        GPU_DTYPE="float16",
        GPU_BATCH_SIZES=[1, 2, 4, 8],
        GPU_CONTEXT_LENGTHS=[128, 512, 1024],
        GPU_WARMUP=5,
        GPU_REPEATS=20,
        GPU_SEED=2026,
        GPU_RESULT_DIR=str(tmp_path),
    )
    assert chosen.result_path == tmp_path / "iteration_budget_t4-monday.json"
    assert (chosen.workload.dtype, chosen.profile()) == ("float16", "INF-CUDA-MECHANISM")


@pytest.mark.parametrize(
    ("constants", "said"),
    [
        ({"GPU_BATCHES": [1]}, "There is no constant GPU_BATCHES"),
        ({"RUN_MODE": "real"}, "RUN_MODE must be one of dry_run, real_gpu, real_cpu, got 'real'"),
        ({"RUN_LABEL": "a/b"}, "RUN_LABEL must be 1 to 64 letters"),
        ({"PROFILE_ID": "X"}, "PROFILE_ID must be one of"),
        ({"WEIGHTS": "none"}, "WEIGHTS must be one of published, random"),
        ({"GPU_REPEATS": 5}, "repeats changed from 20 to 5"),
        ({"WORKLOAD_ID": "x"}, "No experiment 'x' is registered"),
    ],
)
def test_a_bad_constant_is_refused_with_name_rule_and_value(constants, said):
    with pytest.raises(ValueError) as error:
        experiment.settings(**constants)
    assert said in str(error.value)


def test_a_run_from_the_constants_ends_in_a_file_and_the_same_call_reads_it(tmp_path):
    chosen = experiment.settings(RUN_MODE="real_cpu", GPU_RESULT_DIR=str(tmp_path), **TINY_RUN)
    lines = []
    outcome = experiment.run(chosen, progress=lines.append)
    assert outcome.status == "completed", outcome
    assert os.listdir(tmp_path) == [results.path_for("", "default", LAUNCH).name]
    assert results.load(outcome.result_path) == outcome.report
    assert [f.code for f in results.audit(outcome.result_path) if f.level == "error"] == []
    again = experiment.run(chosen, progress=lines.append)
    assert again.report == outcome.report
    assert "already there" in lines[-1]
    other = replace(chosen, workload=replace(chosen.workload, repeats=3))
    with pytest.raises(results.ResultError, match=r"workload\.repeats was 2 and is 3"):
        experiment.run(other)


def test_an_interrupted_run_says_how_to_go_on(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(matrix.ShapeRun, "measure", stop)
    chosen = experiment.settings(RUN_MODE="real_cpu", GPU_RESULT_DIR=str(tmp_path), **TINY_RUN)
    outcome = experiment.run(chosen, progress=lambda line: None)
    assert (outcome.status, outcome.report) == ("partial", None)
    assert "run the same cell again" in outcome.failure


def test_a_gpu_run_without_a_gpu_ends_with_reasons_and_no_file(tmp_path):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    chosen = experiment.settings(
        RUN_MODE="real_gpu", PROFILE_ID="INF-CUDA-MECHANISM", WEIGHTS="random", GPU_RESULT_DIR=str(tmp_path)
    )
    outcome = experiment.run(chosen, progress=lambda line: None)
    assert outcome.status == "failed"
    assert ON_CPU in outcome.failure
    assert os.listdir(tmp_path) == []


def test_a_gpu_run_on_the_cpus_profile_is_refused(tmp_path):
    chosen = experiment.settings(
        RUN_MODE="real_gpu", PROFILE_ID="INF-CPU-MECHANISM", GPU_RESULT_DIR=str(tmp_path)
    )
    assert "set 'real_cpu'" in experiment.run(chosen).failure


def test_weights_that_cannot_be_loaded_end_in_a_sentence(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "none"}')
    chosen = experiment.settings(
        RUN_MODE="real_cpu",
        WORKLOAD_ID=ON_CPU,
        SOURCE=str(tmp_path),
        GPU_RESULT_DIR=str(tmp_path / "out"),
    )
    outcome = experiment.run(chosen, progress=lambda line: None)
    assert outcome.status == "failed"
    assert "could not be loaded" in outcome.failure


def test_a_failed_line_of_progress_gives_the_reason():
    record = results.ShapeRecord(batch=1, context_tokens=8, status="failed", failure="OOM: x")
    assert matrix.progress_line(record, 1, 4, 61.0) == "[1/4] 1 × 8: failed, OOM: x; about 1 min 01 s left"


# --- the command -------------------------------------------------------------------------------------


def test_the_command_lists_plans_runs_shows_judges_and_audits(tmp_path, capsys):
    assert command.main(["--language", "en", "list"]) == 0
    assert f"{ON_CPU} v1" in capsys.readouterr().out
    options = [LAUNCH, "--folder", str(tmp_path), "--version", "test"]
    options += ["--batch-sizes", "1", "--context-lengths", "8", "--repeats", "2", "--warmup", "0"]
    assert command.main(["--language", "en", "plan", *options]) == 0
    assert os.listdir(tmp_path) == []
    assert command.main(["--language", "en", "run", *options]) == 0
    path = str(results.path_for(tmp_path, "default", LAUNCH))
    assert path in capsys.readouterr().out
    assert command.main(["--language", "en", "show", path]) == 0
    assert "1 × 8" in capsys.readouterr().out
    assert command.main(["--language", "zh", "judge", path]) == 0
    assert "运行与口径" in capsys.readouterr().out
    assert command.main(["--language", "en", "audit", path]) == 0


def test_the_command_refuses_in_one_sentence(tmp_path, capsys):
    assert command.main(["--language", "en", "judge", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().out.startswith("There is no result file")
    assert command.main(["--language", "en", "plan", DEFAULT, "--repeats", "2"]) == 1
    assert "another version" in capsys.readouterr().out


def test_help_teaches_by_examples():
    said = command.parser().format_help()
    assert f"python -m helpers.experiment run {ON_CPU}" in said
    assert "goes on with the same command" in said
