"""Every CUDA path of the harness on the stand-in of `fake_cuda`: no figure here is a measurement."""

from __future__ import annotations

import contextlib
import gc

import fake_cuda
import pytest
from test_experiment import config, protocol

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from helpers import experiment, preflight, results, text, timing  # noqa: E402
from helpers.experiment import failure, model, running, sentinel  # noqa: E402
from helpers.experiment.device import DeviceRuntime  # noqa: E402
from helpers.experiment.graph import Graphs  # noqa: E402
from helpers.experiment.running import run_matrix  # noqa: E402
from helpers.experiment.shape import ShapeRun  # noqa: E402
from helpers.schedule import schedule  # noqa: E402
from helpers.workload import Shape  # noqa: E402

KV_BYTES_PER_TOKEN = 384  # as in test_experiment: 3 layers × 2 × 2 heads × 8 elements × 4 bytes
WORKSPACE = 8_519_680
CHECKED = preflight.Preflight(
    "INF-CUDA-MECHANISM",
    (),
    "float32",
    preflight.DeviceFacts("cuda", True, "Tesla T4", capability=(7, 5), uuid="GPU-0000"),
    preflight.Supply("random"),
)


class Answer:
    """A driver that answers at the third time of asking: clock and temperature of a T4 at work."""

    def __init__(self, gpu):
        self.gpu, self.asked = gpu, 0

    @property
    def has_answered(self):
        self.asked += 1
        return self.asked > 2

    def numbers(self, count):
        return (1410.0, 71.0)[:count]


@pytest.fixture(autouse=True)
def english(monkeypatch):
    before, threads = text.spoken(), torch.get_num_threads()
    gc.freeze()
    text.speak("en")
    torch.set_num_threads(1)
    monkeypatch.setattr(running, "_young_heap", contextlib.nullcontext)
    monkeypatch.setattr(sentinel, "REPEATS", 1)
    monkeypatch.setattr(sentinel, "DEVICE_REPEATS", 1)
    yield
    gc.unfreeze()
    text.speak(before)
    torch.set_num_threads(threads)


class Bench:
    """A tiny model on the stand-in."""

    def __init__(self, work, shape=None, **options):
        torch.manual_seed(1)
        tiny = transformers.AutoModelForCausalLM.from_config(config(**shape or {}), dtype=torch.float32)
        self.work = work
        self.loaded = model.prepared(tiny, work, "random")
        self.torch = fake_cuda.Torch(**options)
        self.cuda = self.torch.cuda
        self.runtime = DeviceRuntime("cuda", self.torch, timing.clock_for("cuda", self.torch), Answer)
        self.weights = self.loaded.info.weight_bytes

    def run(self, folder):
        chosen = experiment.Settings(
            workload=self.work, run_mode="real_gpu", weights="random", result_dir=str(folder)
        )
        self.lines = []
        with self.cuda:
            self.cuda.adopt(self.loaded.model)
            return run_matrix(chosen, self.loaded, self.runtime, CHECKED, progress=self.lines.append)

    def visit(self, shape, graphs=None, **options):
        """One first visit to a shape."""
        turn = next(t for t in schedule(self.work) if t.shape == shape)
        repetition = timing.Repetition(1, 2, host_passes=1)
        with self.cuda, torch.inference_mode():
            self.cuda.adopt(self.loaded.model)
            run = ShapeRun(self.loaded, shape, self.work, self.runtime, graphs)
            return run.measure(turn, repetition, repetition)


def small(**fields):
    return protocol(**{"batch_sizes": (1, 2), "context_lengths": (6,), "repeats": 3, **fields})


ALL = ("dynamic", "static", "cuda_graph")


def test_a_run_on_a_gpu_measures_every_series_with_events_and_peaks(tmp_path):
    bench = Bench(small(series=ALL))
    report = bench.run(tmp_path)
    assert (report.status, len(report.ok), report.lacks) == ("completed", 6, ())
    for record in report.ok:
        assert record.boundary == "event"
        assert record.gates.failed == ()
        assert record.decode_rounds == (1, 1, 1)
        assert len(record.decode_submit_samples_ms) == len(record.decode_wall_samples_ms) == 3
        assert all(
            s <= w
            for s, w in zip(record.decode_submit_samples_ms, record.decode_wall_samples_ms, strict=True)
        )
        assert record.sm_clock_mhz == (1410.0, 1410.0, 1410.0)
        assert record.decode_peak_memory_bytes > bench.weights
        assert (record.prefill_peak_memory_bytes is None) == (record.series != "dynamic")
    assert bench.cuda.replays > 0
    assert [f.code for f in results.audit(report) if f.level == "error"] == ["unregistered"]


def test_a_gpus_report_names_device_host_and_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    hardware = Bench(small(batch_sizes=(1,))).run(tmp_path).hardware
    assert (hardware.gpu_uuid, hardware.allocator) == ("GPU-0000", "expandable_segments:True")
    assert hardware.processor == preflight.cpu_name()
    assert hardware.cpu_threads == 1


def test_the_device_has_a_sentinel_of_its_own_read_under_load(tmp_path):
    report = Bench(small()).run(tmp_path)
    assert [one.position for one in report.sentinels] == [0, 4, 6]
    for one in report.sentinels:
        assert (one.prefill_tokens, one.sm_clock_mhz, one.temperature_c) == (11, 1410.0, 71.0)
        assert one.prefill_median_ms > 0


def test_prefills_are_as_many_as_the_statistics_need(tmp_path, monkeypatch):
    seen = []
    forward = ShapeRun.forward
    monkeypatch.setattr(
        ShapeRun,
        "forward",
        lambda self, ids, cache=None: seen.append((tuple(ids.shape), cache)) or forward(self, ids, cache),
    )
    Bench(small(batch_sizes=(2,), warmup=5, repeats=20)).run(tmp_path)
    prefills = [size for size, cache in seen if cache is None and size[0] == 2 and size[1] in (6, 7)]
    assert len(prefills) == 30  # cold, check, a warm-up, then (5 + 1) and three times (1 + 5 + 1)


def test_the_cold_calls_are_the_very_first_of_their_shape(tmp_path, monkeypatch):
    calls = []
    forward, cold = ShapeRun.forward, timing.cold_ms

    def logged(self, ids, cache=None):
        calls.append((self.shape, ids.shape[1] == 1, "call"))
        return forward(self, ids, cache)

    def timed(step, clock, **options):
        calls.append("cold")
        return cold(step, clock, **options)

    monkeypatch.setattr(ShapeRun, "forward", logged)
    monkeypatch.setattr(timing, "cold_ms", timed)
    work = small()
    Bench(work).run(tmp_path)
    for shape in work.shapes:
        for decode in (False, True):
            first = calls.index((shape, decode, "call"))
            assert calls[first - 1] == "cold"


# --- memory ------------------------------------------------------------------------------------------


def test_workspaces_are_no_leak(tmp_path):
    bench = Bench(small(batch_sizes=(1, 20_000)), memory_bytes=100_000_000, workspace_bytes=20_000_000)
    report = bench.run(tmp_path)
    assert [record.batch for record in report.failed] == [20_000]
    assert report.failed[0].failure_kind == "oom"
    assert report.failed[0].oom_recovered is True
    assert report.status == "completed"
    assert len(report.ok) == 1


def test_memory_that_somebody_still_holds_after_an_oom_is_no_recovery():
    bench = Bench(small())
    with bench.cuda:
        bench.cuda.adopt(bench.loaded.model)
        baseline = bench.cuda.memory_allocated()
        kept = torch.zeros(10_000_000)
        assert not failure.recovered(bench.runtime, baseline)
        del kept
        assert failure.recovered(bench.runtime, baseline)


def test_an_allocator_that_cannot_be_emptied_is_no_recovery_and_no_crash():
    bench = Bench(small())
    bench.cuda.allocator.poisoned = True
    with bench.cuda:
        assert not failure.recovered(bench.runtime, None)


def test_the_harness_cuts_the_cache_where_a_copy_does_not_fit():
    """The border of memory is the server's: a step needs one layer's copy, not the whole cache's."""
    shape, deep = Shape(300, 4), {"num_hidden_layers": 20, "num_key_value_heads": 4}
    work = small(batch_sizes=(4,), context_lengths=(300,))
    roomy = Bench(work, deep).visit(shape)
    assert roomy.cache_held == "kept"
    peak = max(roomy.prefill_peak_memory_bytes, roomy.decode_peak_memory_bytes)
    tight = Bench(work, deep, memory_bytes=peak + roomy.kv_cache_bytes // 10).visit(shape)
    assert tight.cache_held == "cut"
    assert tight.gates.failed == ()
    assert tight.gates.repeats_identical


def test_the_peak_of_a_decode_step_is_that_of_service():
    shape = Shape(500, 8)
    visit = Bench(small(batch_sizes=(8,), context_lengths=(500,))).visit(shape)
    cache, layer = KV_BYTES_PER_TOKEN * shape.tokens, KV_BYTES_PER_TOKEN * shape.tokens // 3
    held = visit.decode_peak_memory_bytes - WORKSPACE - Bench(small()).weights
    assert cache < held < cache + 2 * layer


def test_free_memory_counts_what_is_reserved_but_not_used():
    bench = Bench(small(), memory_bytes=100_000_000)
    with bench.cuda:
        kept = torch.zeros(1_000_000)
        torch.zeros(2_000_000)
        assert bench.cuda.memory_reserved() == 12_000_000
        assert bench.runtime.free_bytes() == 100_000_000 - kept.nbytes


def test_one_bad_reading_costs_a_reading_and_not_the_shape(tmp_path):
    bench = Bench(small())
    bench.cuda.bad_readings = {3: 0.0, 9: -1.0}
    report = bench.run(tmp_path)
    assert len(report.ok) == 2
    assert sum(record.samples_dropped for record in report.ok) >= 1
    assert all(min(record.decode_samples_ms) > 0 for record in report.ok)


# --- graphs ------------------------------------------------------------------------------------------


def test_all_graphs_of_a_run_share_one_stream(tmp_path):
    bench = Bench(small(series=("dynamic", "cuda_graph")))
    assert bench.run(tmp_path).status == "completed"
    assert len(bench.cuda.streams) == 2  # the default one and the graphs' own
    assert bench.cuda.allocator.workspaces <= {0, 1}
    assert bench.cuda.current_stream() is bench.cuda.default


def reading_back(bench):
    """The model, with a step that reads its length back from the device, as transformers 5.0 does."""
    forward = bench.loaded.model.forward

    def reads(*args, **options):
        torch.ones(1).item()
        return forward(*args, **options)

    bench.loaded.model.forward = reads
    return bench


def test_a_step_that_reads_back_is_skipped_with_a_sentence_and_never_captured(tmp_path):
    bench = reading_back(Bench(small(series=ALL)))
    report = bench.run(tmp_path)
    assert {record.series for record in report.ok} == {"dynamic", "static"}
    assert {record.failure_kind for record in report.failed} == {"skipped"}
    assert "reads back from the device" in report.failed[0].failure
    assert not bench.cuda.allocator.poisoned


def test_a_failed_capture_leaves_everything_else_measured(tmp_path, monkeypatch):
    bench = reading_back(Bench(small(series=ALL)))
    monkeypatch.setattr("helpers.experiment.graph.READS_BACK", frozenset())
    report = bench.run(tmp_path)
    assert bench.cuda.allocator.poisoned
    assert len(report.ok) == 4
    assert {record.series for record in report.ok} == {"dynamic", "static"}
    assert [record.failure_kind for record in report.failed] == ["error", "skipped"]
    assert "not be captured before" in report.failed[1].failure
    assert report.status == "completed"
    assert bench.cuda.current_stream() is bench.cuda.default


def test_a_replay_is_what_is_timed():
    bench = Bench(small(series=("cuda_graph",)))
    visit = bench.visit(Shape(6, 1, "cuda_graph"), Graphs(bench.runtime))
    assert bench.cuda.replays >= 1 + 2 + 1  # a warm-up, two samples, a pass of the host's clock
    assert visit.decode_cold_ms > 0


def test_under_load_the_device_works_until_the_driver_has_answered():
    bench = Bench(small())
    steps = []
    load = bench.runtime.under_load(lambda: steps.append(1), lambda: None)
    assert (len(steps), load.sm_clock_mhz, load.temperature_c) == (2, 1410.0, 71.0)


def test_nothing_of_a_visit_stays_allocated():
    bench = Bench(small())
    before = bench.cuda.adopt(bench.loaded.model) and bench.cuda.memory_allocated()
    bench.visit(Shape(6, 2))
    gc.collect()
    assert bench.cuda.memory_allocated() == before + WORKSPACE
