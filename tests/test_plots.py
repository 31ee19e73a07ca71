"""The pictures: what they show, in both languages, and what they refuse."""

import math
import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg

from helpers import hardware, plots, recorded, results, serving, text
from helpers.plots.style import FONT_FILE

ROOT = Path(plots.__file__).parents[2]
LANGUAGES = ("zh", "en")


@pytest.fixture(autouse=True)
def _english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


# Data as a student's functions return them; the numbers are those of the curriculum (Qwen3-0.6B on a T4).


def ledger(batch, context_tokens, overhead_ms=0.0):
    read, write = 114_688 * batch * context_tokens, 114_688 * batch
    memory_bytes = 1_192_099_840 + read + write
    memory_ms, compute_ms = memory_bytes / 320e9 * 1e3, 1_192_099_840 * batch / 65e12 * 1e3
    return {
        "memory_bytes": memory_bytes,
        "kv_read_bytes": read,
        "kv_write_bytes": write,
        "memory_ms": memory_ms,
        "compute_ms": compute_ms,
        "exposed_overhead_ms": overhead_ms,
        "iteration_ms": memory_ms + overhead_ms,
        "dominant": "memory",
    }


PREFILL = {
    **ledger(1, 0),
    "memory_ms": 4.1,
    "compute_ms": 18.8,
    "exposed_overhead_ms": 2.0,
    "iteration_ms": 20.8,
    "dominant": "compute",
}


def bound(slo, kv, slot=256, token=2048, backend=512):
    limits = {"slot": slot, "kv": kv, "token": token, "slo": slo, "backend": backend}
    final = min(limits.values())
    return {
        "limits": limits,
        "final_limit": final,
        "binding_constraints": [name for name, limit in limits.items() if limit == final],
        "kv_bytes_per_request": 1,
    }


BOUNDS = {128: bound(350, 415), 512: bound(88, 166), 1024: bound(44, 92), 8192: bound(5, 12)}
SWEEP = recorded.sweep("llama-3.3-70b-2xh100-fp8").rows
KNEE = {
    "selected_batch": 100,
    "selected_record": dict(SWEEP[4]),
    "stop_reason": "throughput_saturation",
}
POINTS = [("decode 1", 1.19e9, 1.31e9), ("prefill 1,024", 1.22e12, 1.31e9)]


def iteration(index, prefill, decode, admitted=(), finished=(), waiting=0):
    return serving.Iteration(
        index=index,
        start_ms=10.0 * index,
        duration_ms=10.0,
        waiting=waiting,
        admitted=admitted,
        prefill_tokens=prefill,
        decode_tokens=decode,
        context_tokens=(100,),
        kv_tokens=100 * (index + 1),
        finished=finished,
    )


ITERATIONS = [iteration(0, 512, 0, ("A", "B")), iteration(1, 0, 2, waiting=1), iteration(2, 0, 2, (), ("A",))]


def report_with_failures():
    report = recorded.report("qwen3-0.6b-h200-composed")
    failed = [
        results.ShapeRecord(
            batch=batch, context_tokens=16384, status="failed", failure="out of memory", failure_kind="oom"
        )
        for batch in (64, 128)
    ]
    return report.model_copy(update={"records": (*report.records, *failed)})


def measured_report():
    """A measurement with raw samples: this course's own run on a two-core CPU."""
    return results.load(recorded.own("smollm2-135m-cpu"))


PICTURES = {
    "step_time": lambda: plots.step_time({(1, 1024): ledger(1, 1024), (8, 1024): ledger(8, 1024, 2.0)}, "T4"),
    "step_time_compute_bound": lambda: plots.step_time({(1, 1024): PREFILL}),
    "bounds": lambda: plots.bounds(BOUNDS),
    "bounds_of_zero": lambda: plots.bounds({1024: bound(44, 92), 131_072: bound(0, 0)}),
    "knee": lambda: plots.knee(SWEEP, KNEE, max_iteration_ms=90.0, title="Llama-3.3-70B"),
    "service": lambda: plots.service(SWEEP, 1000, 60),
    "decode_ms": lambda: plots.batch_context(report_with_failures()),
    "prefill_tokens_per_s": lambda: plots.batch_context(
        recorded.report("qwen3-0.6b-h200-composed"), "prefill", "tokens_per_s"
    ),
    "prefill_ms": lambda: plots.batch_context(recorded.report("llama-2-7b-a100-eager"), "prefill"),
    "memory": lambda: plots.memory(measured_report(), limit_bytes=16e9),
    "against_ledger": lambda: plots.against_ledger(measured_report(), {(1, 128): 40.0, (2, 512): 50.0}),
    "roofline": lambda: plots.roofline(POINTS, hardware.get("T4")),
    "timeline": lambda: plots.timeline(ITERATIONS, kv_limit_tokens=1000),
}


def words(figure):
    """All text of a drawn figure."""
    FigureCanvasAgg(figure).draw()
    return "\n".join(item.get_text() for item in figure.findobj(matplotlib.text.Text) if item.get_visible())


def line(axes, label):
    return next(item for item in axes.lines if item.get_label() == label)


# Every picture


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_draws_without_a_warning_and_fits_a_small_screen(name, language):
    text.speak(language)
    figure = PICTURES[name]()
    image = figure._repr_png_()[0]
    assert image.startswith(b"\x89PNG")
    assert figure.get_size_inches()[0] <= 7
    shown = [item for item in figure.findobj(matplotlib.text.Text) if item.get_text() and item.get_visible()]
    assert min(item.get_fontsize() for item in shown) >= 10
    assert {item.get_fontname() for item in shown} == {"Noto Sans SC"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PICTURES)
def test_every_axis_says_its_quantity_and_its_unit(name, language):
    text.speak(language)
    figure = PICTURES[name]()
    *_, last = figure.axes
    labels = [last.get_xlabel(), *(axes.get_ylabel() for axes in figure.axes)]
    for label in labels:
        assert "（" in label or "(" in label, label
        if language == "en":
            assert label.isascii()


@pytest.mark.parametrize("name", PICTURES)
def test_the_chinese_picture_is_chinese(name):
    text.speak("zh")
    written = words(PICTURES[name]())
    assert any("一" <= letter <= "鿿" for letter in written)


def test_the_shipped_font_has_every_glyph_of_the_phrases():
    glyphs = font_manager.get_font(FONT_FILE).get_charmap()
    messages = [text.CATALOG.messages(language) for language in text.LANGUAGES]
    said = [message for known in messages for key, message in known.items() if key.startswith("plot.")]
    missing = {letter for message in said for letter in message if ord(letter) not in glyphs}
    assert missing <= {"\n"}


def test_no_global_setting_of_matplotlib_is_changed():
    before = dict(matplotlib.rcParams)
    PICTURES["bounds"]()._repr_png_()
    assert dict(matplotlib.rcParams) == before


def _python(code):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_only_this_package_imports_matplotlib():
    everything = "checks, hardware, models, recorded, results, serving, text"
    assert (
        _python(f"import sys\nfrom helpers import {everything}\nprint('matplotlib' in sys.modules)")
        == "False"
    )


def test_pyplot_stays_out():
    code = (
        "import sys\nfrom helpers import plots, recorded\n"
        "plots.service(recorded.sweep('llama-3.3-70b-2xh100-fp8').rows, 1000, 60)._repr_png_()\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert _python(code) == "False"


@pytest.mark.parametrize("first_line", ["", "%matplotlib inline", "import matplotlib.pyplot"])
def test_a_figure_as_the_last_expression_of_a_cell_shows_as_one_image(first_line):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cell = f"{first_line}\nfrom helpers import plots, recorded\n" + (
        "plots.service(recorded.sweep('llama-3.3-70b-2xh100-fp8').rows, 1000, 60)"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute(env=environment)
    images = [output for output in notebook.cells[0].outputs if "image/png" in output.get("data", {})]
    assert len(images) == 1
    assert len(notebook.cells[0].outputs) == 1


# What each picture shows


def test_the_ledger_bar_has_the_weights_the_kv_and_the_returned_total():
    axes = plots.step_time({(8, 1024): ledger(8, 1024, 2.0)}).axes[0]
    weights, kv, overhead = (bars[0].get_height() for bars in axes.containers)
    assert weights == pytest.approx(3.725, abs=1e-3)
    assert weights + kv == pytest.approx(6.664, abs=1e-3)
    assert overhead == 2.0
    total = axes.collections[0].get_segments()[0]
    assert total[0][1] == pytest.approx(8.664, abs=1e-3)
    assert line(axes, "compute (overlaps memory)").get_ydata()[0] == pytest.approx(0.147, abs=1e-3)


def test_compute_beyond_memory_fills_the_bar_up_to_the_maximum():
    axes = plots.step_time({(1, 1024): PREFILL}).axes[0]
    heights = {bars.get_label(): bars[0].get_height() for bars in axes.containers}
    assert heights["compute beyond memory"] == pytest.approx(18.8 - 4.1)
    assert sum(heights.values()) == pytest.approx(20.8)


def test_a_total_that_adds_memory_and_compute_lies_above_its_bar():
    wrong = {**PREFILL, "iteration_ms": 4.1 + 18.8 + 2.0}
    axes = plots.step_time({(1, 1024): wrong}).axes[0]
    top = sum(bars[0].get_height() for bars in axes.containers)
    assert axes.collections[0].get_segments()[0][0][1] - top == pytest.approx(4.1)


def test_bars_stand_in_groups_of_one_context():
    steps = {(b, c): ledger(b, c) for b in (8, 1) for c in (1024, 128)}
    axes = plots.step_time(steps).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "8", "1", "8"]
    places = axes.get_xticks()
    assert places[2] - places[1] > places[1] - places[0]


def test_five_bounds_and_the_final_one_are_drawn():
    axes = plots.bounds(BOUNDS).axes[0]
    assert list(line(axes, "KV").get_ydata()) == [415, 166, 92, 12]
    assert list(line(axes, "slot").get_xdata()) == [128, 512, 1024, 8192]
    assert list(axes.lines[0].get_ydata()) == [256, 88, 44, 5]
    notes = [note.get_text() for note in axes.texts]
    assert notes == ["slot\n256", "SLO\n88", "SLO\n44", "SLO\n5"]


def test_a_bound_of_zero_lies_inside_the_picture_and_names_all_that_bind():
    axes = plots.bounds({1024: bound(44, 92), 131_072: bound(0, 0)}).axes[0]
    low, high = axes.get_ylim()
    assert low < 0 < high
    assert axes.texts[-1].get_text() == "KV\nSLO\n0"
    assert 0 in axes.get_yticks()


def test_the_chosen_batch_is_ringed_in_both_panels_and_the_reason_said():
    figure = plots.knee(SWEEP, KNEE, max_iteration_ms=120.0, title="Llama-3.3-70B")
    assert "Batch 100: the next size gains too little throughput" in words(figure)
    for axes, value in zip(figure.axes, (917.26, 92.91), strict=True):
        ring = line(axes, "chosen")
        assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (100, value)
    assert line(figure.axes[1], "SLO 120 ms").get_ydata()[0] == 120


def test_records_over_the_slo_are_crossed():
    choice = {"selected_batch": 50, "stop_reason": "slo_violation"}
    lower = plots.knee(SWEEP, choice, max_iteration_ms=60.0).axes[1]
    assert list(line(lower, "over the SLO").get_xdata()) == [100, 150, 200, 250]


def test_unsorted_records_are_drawn_in_order():
    upper = plots.knee(SWEEP[::-1], KNEE, max_iteration_ms=120.0).axes[0]
    assert list(upper.lines[0].get_xdata()) == [1, 5, 25, 50, 100, 150, 200, 250]


def test_a_single_record_is_a_picture_too():
    choice = {"selected_batch": 1, "stop_reason": "largest_valid_batch"}
    assert "no larger size was measured" in words(plots.knee(SWEEP[:1], choice, max_iteration_ms=60.0))


def test_four_concurrencies_hold_both_slos_on_average():
    upper, ttft, itl = plots.service(SWEEP, 1000, 60).axes
    for axes in (upper, ttft, itl):
        assert list(line(axes, "average within both SLOs").get_xdata()) == [1, 5, 25, 50]
        assert list(line(axes, "average breaks an SLO").get_xdata()) == [100, 150, 200, 250]
    assert ttft.get_yscale() == "log"


def test_a_report_read_from_its_json_gives_one_curve_a_context(tmp_path):
    path = results.save(recorded.report("qwen3-0.6b-h200-composed"), tmp_path / "report.json")
    axes = plots.batch_context(results.load(path), contexts=(128, 4096)).axes[0]
    curves = {item.get_label(): item for item in axes.lines}
    assert sorted(curves) == ["128", "4,096"]
    assert list(curves["128"].get_xdata()) == [1, 2, 4, 8, 16, 32, 64, 128, 256]


def test_the_title_never_calls_composed_figures_measured():
    composed = words(plots.batch_context(recorded.report("qwen3-0.6b-h200-composed")))
    assert "composed from kernel times, not measured end to end" in composed
    published = words(plots.batch_context(recorded.report("llama-2-7b-a100-eager")))
    assert "measured and published by others" in published


@pytest.mark.parametrize(
    ("name", "random"), [("smollm2-135m-cpu", False), ("qwen3-0.6b-random-cpu", True), ("launch-cpu", True)]
)
def test_the_title_says_when_the_weights_are_random(name, random):
    shown = words(plots.batch_context(results.load(recorded.own(name))))
    assert ("random weights" in shown) is random


def test_failed_shapes_are_crosses_under_the_curves():
    axes = plots.batch_context(report_with_failures()).axes[0]
    crosses = line(axes, "failed")
    assert list(crosses.get_xdata()) == [64, 128]
    FigureCanvasAgg(axes.figure).draw()
    highest_cross = max(axes.get_xaxis_transform().transform((64, y))[1] for y in crosses.get_ydata())
    lowest_point = min(
        axes.transData.transform((x, y))[1]
        for item in axes.lines
        if item is not crosses
        for x, y in zip(item.get_xdata(), item.get_ydata(), strict=True)
    )
    assert highest_cross < lowest_point


def test_the_band_of_a_measured_curve_spans_the_middle_half_of_its_samples():
    axes = plots.batch_context(measured_report(), contexts=(128,)).axes[0]
    (band,) = axes.collections
    samples = sorted(measured_report().record(1, 128).decode_samples_ms)
    n = len(samples)
    at_one = sorted(y for x, y in band.get_paths()[0].vertices if x == 1)
    assert at_one[0] == pytest.approx(samples[math.ceil(n / 4) - 1])
    assert at_one[-1] == pytest.approx(samples[math.ceil(3 * n / 4) - 1])


def test_published_figures_without_samples_have_no_band():
    assert not plots.batch_context(recorded.report("qwen3-0.6b-h200-composed")).axes[0].collections


def test_memory_grows_by_the_counted_kv_bytes_and_the_device_limit_is_drawn():
    axes = plots.memory(measured_report(), limit_bytes=16e9).axes[0]
    assert list(line(axes, "128").get_ydata())[:2] == pytest.approx([0.00589824, 0.01179648])
    assert line(axes, "device memory 16 GB").get_ydata()[0] == 16.0


def test_measured_over_predicted_is_drawn_for_the_shapes_predicted():
    report = measured_report()
    axes = plots.against_ledger(report, {(1, 128): 40.0, (2, 512): 50.0}).axes[0]
    assert list(line(axes, "128").get_ydata()) == [report.record(1, 128).decode_median_ms / 40.0]
    assert list(line(axes, "512").get_xdata()) == [2]


def test_work_lies_on_the_roof_by_its_flop_per_byte():
    axes = plots.roofline([("one", 1e9, 1e9), ("many", 1e12, 1e9)], hardware.get("T4")).axes[0]
    points = [(item.get_xdata()[0], item.get_ydata()[0]) for item in axes.lines if item.get_marker() == "o"]
    assert points == [(1.0, pytest.approx(0.32)), (1000.0, 65)]
    assert "ridge 203 FLOP/byte" in [note.get_text() for note in axes.texts]


def test_the_timeline_has_a_bar_for_each_iteration_and_names_who_came_and_went():
    figure = plots.timeline(ITERATIONS, kv_limit_tokens=1000)
    prefill, decode, waiting, kv = figure.axes
    assert [bar.get_height() for bar in prefill.patches] == [512, 0, 0]
    assert [bar.get_height() for bar in decode.patches] == [0, 2, 2]
    assert [bar.get_height() for bar in waiting.patches] == [0, 1, 0]
    assert [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in kv.patches] == [
        (0, 10, 100),
        (10, 10, 200),
        (20, 10, 300),
    ]
    assert prefill.texts[0].get_text() == "A B"
    assert decode.texts[-1].get_text() == "A"


# What is refused


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: plots.step_time({}), "steps must not be empty, got {}."),
        (lambda: plots.step_time([1]), "steps must be a dictionary, got [1]."),
        (lambda: plots.step_time({(1, 2): None}), "steps[(1, 2)] must be a dictionary, got None."),
        (lambda: plots.step_time({5: ledger(1, 1)}), "steps must have keys (batch, context_tokens), got 5."),
        (
            lambda: plots.step_time({(1, 2): {**ledger(1, 2), "memory_ms": math.nan}}),
            "steps[(1, 2)]['memory_ms'] must be a finite number, 0 or more, got nan.",
        ),
        (
            lambda: plots.step_time({(1, 2): {"memory_bytes": 1}}),
            "steps[(1, 2)] must have the key 'kv_read_bytes', got ['memory_bytes'].",
        ),
        (lambda: plots.bounds({0: bound(1, 1)}), "bounds_by_context must be a finite number above 0, got 0."),
        (
            lambda: plots.bounds({8: {**bound(1, 1), "binding_constraints": ["gpu"]}}),
            "bounds_by_context[8]['binding_constraints'] must be one of slot, kv, token, slo, backend, "
            "got ['gpu'].",
        ),
        (lambda: plots.knee([], KNEE, max_iteration_ms=60.0), "records must not be empty, got []."),
        (
            lambda: plots.knee(SWEEP, KNEE, max_iteration_ms=0),
            "max_iteration_ms must be a finite number above 0, got 0.",
        ),
        (
            lambda: plots.knee(SWEEP, {**KNEE, "selected_batch": 7}, max_iteration_ms=60.0),
            "choice['selected_batch'] must be among the records, got 7.",
        ),
        (
            lambda: plots.knee(
                [{"batch": 0, "throughput": 1, "iteration_ms": 1}], KNEE, max_iteration_ms=60.0
            ),
            "records[0]['batch'] must be a finite number above 0, got 0.",
        ),
        (
            lambda: plots.service(SWEEP, 1000, -1),
            "itl_slo_ms must be a finite number above 0, got -1.",
        ),
        (
            lambda: plots.batch_context(recorded.report("llama-2-7b-a100-eager"), "training"),
            "phase must be one of prefill, decode, got 'training'.",
        ),
        (
            lambda: plots.batch_context(recorded.report("llama-2-7b-a100-eager"), contexts=[7]),
            "report must hold measurements of decode, got '14 records'.",
        ),
        (
            lambda: plots.roofline([("a", 1)], hardware.get("T4")),
            "points must be (label, flops, bytes), got ('a', 1).",
        ),
        (
            lambda: plots.against_ledger(measured_report(), {(1, 128): 0.0}),
            "predicted_ms[(1, 128)] must be a finite number above 0, got 0.0.",
        ),
        (
            lambda: plots.memory(recorded.report("llama-2-7b-a100-eager")),
            "report must hold measured KV bytes, got '14 records'.",
        ),
        (lambda: plots.timeline([]), "iterations must not be empty, got []."),
    ],
)
def test_bad_data_is_refused_in_one_sentence_with_argument_rule_and_value(draw, sentence):
    with pytest.raises(ValueError) as refused:
        draw()
    assert str(refused.value) == sentence


def test_the_refusal_is_said_in_chinese_too():
    text.speak("zh")
    with pytest.raises(ValueError, match="max_iteration_ms 应为大于 0 的有限数，得到 0。"):
        plots.knee(SWEEP, KNEE, max_iteration_ms=0)
