"""The matrix product at three boundaries: checked first, saved, resumed; never how fast."""

import json
import subprocess
import sys

import pytest

from helpers import gemm, plots, results, text
from helpers.gemm import Gemm, running
from helpers.gemm.bench import Bench
from helpers.gemm.queue import CpuQueue
from helpers.results import ResultError

SMALL = (Gemm(8, 16, 16), Gemm(16, 16, 16))


@pytest.fixture(autouse=True)
def _english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def small_run(folder, label="t", device="cpu", **options):
    pytest.importorskip("torch")
    return gemm.run(folder, label, device, SMALL, **{"rounds": 6, "warmup": 1, **options})


def test_the_shapes_are_those_of_the_seed():
    assert str(gemm.SHAPE_GPU) == "[256,1024] @ [1024,1024]"
    assert str(gemm.SHAPE_CPU) == "[64,256] @ [256,256]"
    assert gemm.SHAPE_GPU.flops == 536_870_912
    for device in gemm.DEVICES:
        shapes = gemm.shapes_for(device)
        assert (gemm.SHAPE_CPU if device in ("cpu", "queue") else gemm.SHAPE_GPU) in shapes
        assert len({shape.flops for shape in shapes}) == len(shapes)


@pytest.mark.parametrize("sides", [(0, 1, 1), (1, -1, 1), (1, 1, 2.0), (True, 1, 1)])
def test_a_product_without_positive_sides_is_refused(sides):
    with pytest.raises(ValueError, match="must be a positive integer, got"):
        Gemm(*sides)


def test_on_a_cpu_there_is_one_boundary_and_no_allocator(tmp_path):
    report = small_run(tmp_path)
    assert report.complete
    for record in report.records:
        assert (record.submit_us, record.event_us) == (None, None)
        assert len(record.synchronized_samples_us) == 6
        assert record.tflops > 0
    assert not report.memory.applicable
    assert set(report.memory.model_dump().values()) == {None}
    assert "–" in repr(report.memory.table)
    assert report.device_memory_gib is None
    assert report.setting.dtype == "float32"


def test_behind_a_queue_all_three_boundaries_exist(tmp_path):
    report = small_run(tmp_path, device="queue")
    assert "behind a queue" in report.device_name
    for record in report.records:
        assert len(record.submit_samples_us) == 6
        assert len(record.synchronized_samples_us) == 6
        assert len(record.event_samples_us) == 6
        assert min(record.submit_us, record.synchronized_us, record.event_us) > 0
    assert not report.memory.applicable


def test_a_call_on_the_queue_returns_before_it_is_done():
    import threading

    queue, gate = CpuQueue(), threading.Event()
    before, after = queue.clock.event(), queue.clock.event()
    before.record()
    pending = queue.submit(gate.wait)
    after.record()
    assert not pending.done()
    gate.set()
    queue.clock.synchronize()
    assert pending.done()
    assert before.elapsed_time(after) > 0


def test_a_complete_run_is_read_back_and_not_measured_again(tmp_path):
    first = small_run(tmp_path)
    assert small_run(tmp_path) == first == gemm.load(tmp_path / "benchmark_capacity_gemm_t.jsonl")


def test_a_run_cut_off_goes_on_with_what_is_missing(tmp_path):
    whole = small_run(tmp_path)
    path = tmp_path / "benchmark_capacity_gemm_t.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + lines[2][:40])
    assert not gemm.load(path).complete
    again = small_run(tmp_path)
    assert again.complete
    assert again.records[0] == whole.records[0]
    assert path.read_bytes().startswith(lines[0] + lines[1])


def test_other_conditions_are_refused_under_the_same_label(tmp_path):
    small_run(tmp_path)
    with pytest.raises(ResultError, match=r"rounds was 6 and is 7\. Choose another label"):
        small_run(tmp_path, rounds=7)
    assert small_run(tmp_path, label="other", rounds=7).complete


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: "{", "t.jsonl:2 is (truncated|damaged)"),
        (lambda line: line.replace('"m": 8', '"m": 0'), "t.jsonl:2 is refused: m breaks a rule"),
        (lambda line: line.replace('"m": 8', '"m": 9'), r"\[9,16\] @ \[16,16\] in .* is no part of this run"),
        (lambda line: line.replace('"m": 8, ', ""), "t.jsonl:2 is refused: m, it is missing"),
    ],
)
def test_a_damaged_line_is_refused_by_its_number(tmp_path, change, message):
    small_run(tmp_path)
    path = tmp_path / "benchmark_capacity_gemm_t.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[1] = change(lines[1])
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ResultError, match=message):
        gemm.load(path)


def test_a_missing_file_and_an_unmeasured_shape_are_named(tmp_path):
    with pytest.raises(ResultError, match="There is no result file"):
        gemm.load(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match=r"\[1,1\] @ \[1,1\] was not measured; there are: \[8,16\]"):
        small_run(tmp_path).record(Gemm(1, 1, 1))
    assert small_run(tmp_path).record(SMALL[1]).shape == SMALL[1]


def test_a_wrong_product_is_not_timed(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(Bench, "_step", lambda self, x, weight: lambda: x @ weight + 1)
    with pytest.raises(ValueError, match="not timed, since correctness comes before speed"):
        small_run(tmp_path)
    assert gemm.load(tmp_path / "benchmark_capacity_gemm_t.jsonl").records == ()


def test_the_difference_is_that_of_a_product_in_double_precision(tmp_path):
    torch = pytest.importorskip("torch")
    report = small_run(tmp_path, seed=5)
    source = torch.Generator().manual_seed(5)
    x, weight = torch.randn(8, 16, generator=source), torch.randn(16, 16, generator=source)
    exact = x.double() @ weight.double()
    expected = float((torch.mm(x, weight).double() - exact).abs().max())
    assert report.records[0].max_abs_difference == pytest.approx(expected, rel=1e-6)


def test_a_device_that_is_not_there_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="device must be one that this machine has"):
        gemm.chosen_device("tpu", torch)
    assert gemm.chosen_device("queue", torch) == "queue"
    assert gemm.chosen_device("auto", torch) in ("cuda", "mps", "cpu")


def test_the_allocator_figures_read_as_the_seed_prints_them():
    """12.125 → 28.625 → 12.125 MiB allocated, 44 MiB reserved at the end, on the seed's RTX 3080."""
    mib = 2**20
    window = gemm.AllocatorWindow(
        temporary_bytes=16 * mib,
        baseline_allocated_bytes=int(12.125 * mib),
        baseline_reserved_bytes=22 * mib,
        peak_allocated_bytes=int(28.625 * mib),
        peak_reserved_bytes=44 * mib,
        after_allocated_bytes=int(12.125 * mib),
        after_reserved_bytes=44 * mib,
    )
    assert window.applicable
    assert [row[1:] for row in window.table.rows] == [("12.12", "22"), ("28.62", "44"), ("12.12", "44")]


def test_the_seeds_line_is_printed_without_torch(capsys):
    assert gemm.main(["--capacity", "--language", "en"]) == 0
    printed = capsys.readouterr().out.splitlines()
    expected = "capacity usable_GiB=18.000 fixed_GiB=15.500 KV_bytes_per_token=131072 token_capacity=20480"
    assert printed[0] == expected
    assert "quoted from examples/benchmark_capacity.py" in printed[1]


def test_the_line_takes_figures_that_somebody_else_worked_out():
    assert gemm.capacity_line(9.5, 4.25, 7, 8) == (
        "capacity usable_GiB=9.500 fixed_GiB=4.250 KV_bytes_per_token=7 token_capacity=8"
    )


def test_the_command_prints_what_the_seeds_script_prints(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(running, "shapes_for", lambda device: SMALL)
    options = ["--results", str(tmp_path), "--device", "cpu", "--rounds", "6", "--warmup", "1"]
    assert gemm.main([*options, "--language", "en"]) == 0
    printed = capsys.readouterr().out
    assert "[8,16] @ [16,16] correctness_max_abs_diff=" in printed
    assert "submit_without_sync=n/a synchronized_wall=" in printed
    assert "baseline_allocated=n/a" in printed
    assert "token_capacity=20480" in printed
    assert gemm.main([*options[:-1], "2"]) == 2
    assert "warmup was 1 and is 2" in capsys.readouterr().out


def test_importing_the_module_imports_no_torch():
    code = "import sys; import helpers.gemm, helpers.profiler, helpers.metrics; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_picture_shows_the_boundaries_that_there_are(tmp_path):
    queue, cpu = small_run(tmp_path, device="queue"), small_run(tmp_path, label="c")
    assert [line.get_label() for line in plots.boundaries(queue).axes[0].lines] == [
        "submit returns",
        "synchronised wall clock",
        "device events",
    ]
    assert [line.get_label() for line in plots.boundaries(cpu).axes[0].lines] == ["synchronised wall clock"]
    assert plots.boundaries(queue)._repr_png_()[0].startswith(b"\x89PNG")


def test_a_result_is_plain_json_lines(tmp_path):
    small_run(tmp_path)
    path = results.journal_for(tmp_path, "t", f"{gemm.STEM}-gemm")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["schema_version"] == gemm.SCHEMA_VERSION
    assert [set(line) for line in lines[1:]] == [{"gemm"}, {"gemm"}, {"allocator"}]
