"""The traced request: its ranges, operator times against torch's own sums, and what is refused."""

import itertools
import json

import pytest

from helpers import plots, profiler, text
from helpers.profiler import Workload, trace_file
from helpers.profiler.traced_model import TracedModel
from helpers.results import ResultError

WORK = Workload(batch=2, context_tokens=12, decode_steps=3)


@pytest.fixture(autouse=True)
def _english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("traces")
    return profiler.run(folder, "t", "cpu", WORK)


def test_the_ranges_are_stable_names_with_shapes(traced):
    found = [(item.name, item.batch, item.tokens, item.context_tokens) for item in traced.ranges]
    assert found == [
        ("request", 2, 12, 0),
        ("prefill", 2, 12, 0),
        ("decode_step", 2, 1, 12),
        ("decode_step", 2, 1, 13),
        ("decode_step", 2, 1, 14),
    ]
    assert len(traced.range_table.rows) == 5


def test_ranges_lie_within_the_request_and_follow_each_other(traced):
    request, *parts = traced.ranges
    assert request.start_ms == 0
    assert all(a.end_ms <= b.start_ms for a, b in itertools.pairwise(parts))
    assert parts[-1].end_ms <= request.end_ms
    assert all(span.start_ms >= 0 and span.end_ms <= request.end_ms for span in traced.operator_spans)


def test_operators_count_what_the_model_does(traced):
    """Four layers of seven products and the output layer, four forwards."""
    calls = {item.operator: item.calls for item in traced.operators}
    assert calls["aten::linear"] == (4 * 7 + 1) * 4
    assert calls["aten::embedding"] == 4
    assert all(item.prefill_ms >= 0 and item.decode_ms >= 0 for item in traced.operators)
    assert [item.self_device_ms for item in traced.operators] == [None] * len(traced.operators)
    times = [item.self_cpu_ms for item in traced.operators]
    assert times == sorted(times, reverse=True)
    assert len(traced.table.rows) == 10


def test_own_times_are_those_that_torch_adds_up(tmp_path):
    pytest.importorskip("transformers")
    session = TracedModel("cpu", WORK)
    session.request()
    with session.profiled() as recorder:
        shapes = session.request()
    path = tmp_path / "trace.json"
    trace_file.write(path, trace_file.annotated(trace_file.exported(recorder), shapes, session, "t"))
    theirs = {item.key: item for item in recorder.key_averages() if item.key not in profiler.RANGES}
    for item in profiler.load(path).operators:
        assert item.calls == theirs[item.operator].count
        assert item.self_cpu_ms == pytest.approx(
            theirs[item.operator].self_cpu_time_total / 1e3, rel=1e-3, abs=2e-3
        )


def test_the_trace_is_a_chrome_trace_that_names_no_host(traced):
    trace = json.loads(traced.path.read_text(encoding="utf-8"))
    complete = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    assert all({"name", "ts", "dur", "pid", "tid"} <= set(event) for event in complete)
    assert {"request", "prefill", "decode_step"} <= {event["name"] for event in complete}
    assert "host_name" not in trace
    assert "traceName" not in trace
    shaped = [event for event in complete if event["name"] == "prefill"]
    assert shaped[0]["args"]["tokens"] == 12


def test_a_label_is_traced_once(traced):
    assert profiler.run(traced.path.parent, "t", "cpu", WORK) == traced
    with pytest.raises(ResultError, match=r"workload was .* Choose another label"):
        profiler.run(traced.path.parent, "t", "cpu", Workload())


def test_the_request_gives_the_tokens_of_whole_forwards():
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    session = TracedModel("cpu", WORK)
    with torch.inference_mode():
        token, cache = session._forward(session.prompt, None)
        after, _ = session._forward(token, cache)
        whole = session.model(input_ids=torch.cat([session.prompt, token], dim=1)).logits
    assert torch.equal(whole[:, -1:].argmax(-1), after)


def test_what_tracing_costs_is_a_ratio_of_medians():
    cost = profiler.TracingCost((1.0, 2.0, 9.0), (3.0, 4.0, 5.0))
    assert (cost.untraced_ms, cost.traced_ms, cost.ratio) == (2.0, 4.0, 2.0)
    pytest.importorskip("transformers")
    measured = profiler.cost("cpu", Workload(1, 4, 1), rounds=2)
    assert len(measured.untraced_samples_ms) == len(measured.traced_samples_ms) == 2
    assert measured.ratio > 0
    assert len(measured.table.rows) == 1
    with pytest.raises(ValueError, match="rounds must be an integer >= 1, got 0"):
        profiler.cost("cpu", rounds=0)


def event(name, start_us, duration_us, category="cpu_op", external=None, **shape):
    args = {"External id": external, **shape}
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "ts": start_us,
        "dur": duration_us,
        "tid": 1,
        "args": args,
    }


def written(folder, events, device="cpu"):
    entry = {
        "schema_version": profiler.SCHEMA_VERSION,
        "label": "x",
        "device": device,
        "device_name": "x",
        "torch": "2",
        "workload": {"batch": 1, "context_tokens": 4, "decode_steps": 1, "seed": 0},
    }
    path = folder / "x.json"
    trace_file.write(path, {profiler.ENTRY: entry, "traceEvents": events})
    return path


SHAPE = {"batch": 1, "tokens": 4, "context_tokens": 0}
RANGES = (
    event("request", 1000, 1000, "user_annotation", **SHAPE),
    event("prefill", 1000, 600, "user_annotation", **SHAPE),
    event("decode_step", 1600, 400, "user_annotation", **SHAPE),
)


def test_own_time_is_time_without_the_operators_inside(tmp_path):
    events = [
        *RANGES,
        event("outer", 1100, 300, external=1),
        event("inner", 1150, 100, external=2),
        event("inner", 1270, 50, external=3),
        event("inner", 1700, 80, external=4),
        event("before", 10, 20, external=5),
    ]
    times = {item.operator: item for item in profiler.load(written(tmp_path, events)).operators}
    assert set(times) == {"outer", "inner"}
    assert times["outer"].self_cpu_ms == pytest.approx(0.150)
    assert (times["inner"].prefill_ms, times["inner"].decode_ms) == pytest.approx((0.150, 0.080))
    assert times["inner"].calls == 3


def test_kernels_belong_to_the_operator_that_launched_them(tmp_path):
    events = [
        *RANGES,
        event("mm", 1100, 30, external=1),
        event("add", 1200, 10, external=2),
        event("sgemm", 1300, 200, "kernel", external=1),
        event("sgemm", 1500, 100, "kernel", external=1),
        event("copy", 1600, 40, "gpu_memcpy", external=9),
    ]
    profile = profiler.load(written(tmp_path, events, device="cuda"))
    assert {item.operator: item.self_device_ms for item in profile.operators} == {
        "mm": pytest.approx(0.3),
        "add": 0.0,
    }
    assert [span.name for span in profile.kernel_spans] == ["sgemm", "sgemm", "copy"]
    assert "kernels (ms)" in profile.table.headings
    lanes = [tick.get_text() for tick in plots.trace(profile).axes[0].get_yticklabels()]
    assert lanes == ["request", "phases", "operators", "kernels"]


def test_the_picture_has_a_lane_for_ranges_and_one_for_operators(traced):
    figure = plots.trace(traced)
    lanes = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert lanes == ["request", "phases", "operators"]
    labels = {label.get_text() for label in figure.legends[0].get_texts()}
    assert {"request", "prefill", "decode_step", "others"} <= labels
    assert figure._repr_png_()[0].startswith(b"\x89PNG")


def test_a_damaged_trace_names_the_line(traced, tmp_path):
    lines = traced.path.read_text(encoding="utf-8").splitlines()
    damaged = tmp_path / "damaged.json"
    damaged.write_text("\n".join([*lines[:20], "#", *lines[21:]]), encoding="utf-8")
    with pytest.raises(ResultError, match=r"damaged.json is damaged: no valid JSON at line 21"):
        profiler.load(damaged)
    damaged.write_text("\n".join(lines[:20]), encoding="utf-8")
    with pytest.raises(ResultError, match="truncated: it ends at line 20"):
        profiler.load(damaged)


def test_what_is_no_trace_of_this_course_is_refused(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"traceEvents": []}', encoding="utf-8")
    with pytest.raises(ResultError, match="no trace of this course"):
        profiler.load(path)
    with pytest.raises(ResultError, match="holds none of the ranges request, prefill, decode_step"):
        profiler.load(written(tmp_path, [event("mm", 1, 1)]))
    with pytest.raises(ResultError, match="There is no result file"):
        profiler.load(tmp_path / "none.json")


@pytest.mark.parametrize("name", ["batch", "context_tokens", "decode_steps"])
def test_a_request_without_work_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} must be an integer >= 1, got 0"):
        Workload(**{name: 0})


def test_the_command_prints_the_tables_and_the_path(tmp_path, capsys):
    pytest.importorskip("transformers")
    assert profiler.main(["--results", str(tmp_path), "--device", "cpu", "--language", "en"]) == 0
    printed = capsys.readouterr().out
    assert "decode_step" in printed
    assert "aten::mm" in printed
    assert "benchmark_capacity_trace_default.json" in printed
    assert profiler.main(["--results", str(tmp_path), "--label", "a/b"]) == 2
