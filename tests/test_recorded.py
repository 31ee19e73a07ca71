"""The shipped measurements against the figures of the curriculum, computed by hand or by another way."""

import csv
import dataclasses
import itertools
from pathlib import Path
from statistics import fmean

import pytest

import helpers.recorded
from helpers import recorded, text

FOLDER = Path(helpers.recorded.__file__).parent


@pytest.fixture(autouse=True)
def _english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def while_queued(server, field):
    """What the server reported, averaged over the seconds with a queue."""
    return fmean(getattr(state, field) for state in server.states_while_queued)


def test_the_rtx_4090_ran_34_requests_while_a_queue_existed():
    server = recorded.server("rtx4090-llama-3.1-8b")
    assert server.mean_running_while_queued == pytest.approx(34.19, abs=0.005)
    assert while_queued(server, "generated_tokens_per_s") == pytest.approx(1106, abs=0.5)
    assert while_queued(server, "kv_cache_percent") == pytest.approx(97.4, abs=0.05)


def test_its_requests_have_the_lengths_and_the_context_of_the_curriculum():
    server = recorded.server("rtx4090-llama-3.1-8b")
    assert len(server.requests) == 300
    assert fmean(request.input_tokens for request in server.requests) == pytest.approx(857, abs=0.5)
    assert fmean(request.output_tokens for request in server.requests) == pytest.approx(653, abs=0.5)
    assert server.mean_context_tokens == pytest.approx(1194, abs=0.5)


def test_its_kv_cache_predicts_34_requests_below_its_256_slots():
    server = recorded.server("rtx4090-llama-3.1-8b")
    assert (server.kv_tokens, server.max_num_seqs, server.max_num_batched_tokens) == (41_408, 256, 2048)
    assert server.device_memory_bytes == 25_250_627_584
    assert int(server.kv_tokens / server.mean_context_tokens) == 34


@pytest.mark.parametrize(
    ("name", "running", "tokens_per_s", "devices"),
    [("rtxpro6000-llama-3.1-8b", 124.87, 3595, 1), ("rtxpro6000x2-qwen3-32b", 119.31, 1351, 2)],
)
def test_the_other_servers_fill_their_128_slots(name, running, tokens_per_s, devices):
    server = recorded.server(name)
    assert server.max_num_seqs == 128
    assert server.mean_running_while_queued == pytest.approx(running, abs=0.01)
    assert while_queued(server, "generated_tokens_per_s") == pytest.approx(tokens_per_s, abs=0.5)
    assert server.device_count == devices


def test_what_was_not_recorded_is_none_and_not_zero():
    server = recorded.server("rtxpro6000-llama-3.1-8b")
    assert server.kv_tokens is None
    assert server.device_memory_bytes is None
    assert {state.kv_cache_percent for state in server.timeseries} == {None}


def test_every_request_starts_after_its_queue_and_ends_after_its_first_token():
    for name in recorded.servers():
        for request in recorded.server(name).requests:
            assert 0 <= request.queue_s <= request.ttft_s <= request.e2e_s
            assert request.running_s > 0


@pytest.mark.parametrize("name", ["rtxpro6000-llama-3.1-8b", "rtxpro6000x2-qwen3-32b"])
def test_requests_and_seconds_tell_the_same_time_spent_running(name):
    """Seconds running, summed over the requests, are the requests running, summed over the seconds."""
    server = recorded.server(name)
    by_request = sum(request.running_s for request in server.requests)
    by_second = sum(state.running for state in server.timeseries)
    assert by_request == pytest.approx(by_second, rel=0.005)


def test_on_the_full_rtx_4090_some_requests_waited_a_second_time():
    """The time missing from its running requests is the waiting that no request's first queue explains."""
    server = recorded.server("rtx4090-llama-3.1-8b")
    not_running = sum(request.running_s for request in server.requests) - sum(
        state.running for state in server.timeseries
    )
    waited_again = sum(state.waiting for state in server.timeseries) - sum(
        request.queue_s for request in server.requests
    )
    assert not_running == pytest.approx(472, abs=1)
    assert waited_again == pytest.approx(not_running, rel=0.05)


def test_servers_and_requests_count_the_same_tokens():
    for name in recorded.servers():
        server = recorded.server(name)
        assert sum(state.generated_tokens_per_s for state in server.timeseries) == sum(
            request.output_tokens for request in server.requests
        )


def test_the_concurrency_sweep_is_the_one_of_the_curriculum():
    rows = recorded.sweep("llama-3.3-70b-2xh100-fp8").rows
    assert [row["batch"] for row in rows] == [1, 5, 25, 50, 100, 150, 200, 250]
    assert [round(row["throughput"], 1) for row in rows][:5] == [51.7, 218.5, 623.4, 814.4, 917.3]
    assert rows[4]["ttft_ms"] == pytest.approx(8000, abs=5)
    assert rows[4]["throughput"] / rows[3]["throughput"] - 1 == pytest.approx(0.126, abs=0.0005)


def test_littles_law_closes_within_one_percent_in_every_row_of_it():
    for row in recorded.sweep("llama-3.3-70b-2xh100-fp8").rows:
        latency_s = (row["ttft_ms"] + (row["output_tokens"] - 1) * row["iteration_ms"]) / 1e3
        requests_per_s = row["throughput"] / row["output_tokens"]
        assert requests_per_s * latency_s == pytest.approx(row["batch"], rel=0.01)


def test_the_eager_sweep_divides_the_decode_by_511_steps():
    rows = recorded.sweep("llama-2-7b-a100-eager").rows
    assert [row["batch"] for row in rows] == [1, 2, 4, 8, 16, 32, 64]
    assert [round(row["iteration_ms"], 1) for row in rows] == [25.8, 26.2, 26.8, 27.2, 33.5, 51.7, 86.5]
    gains = [
        round(100 * (after["throughput"] / before["throughput"] - 1))
        for before, after in itertools.pairwise(rows)
    ]
    assert gains == [97, 96, 97, 63, 30, 19]


def test_changing_a_row_does_not_change_the_next_reading():
    recorded.sweep("llama-2-7b-a100-eager").rows[0]["throughput"] = 0
    assert recorded.sweep("llama-2-7b-a100-eager").rows[0]["throughput"] > 38


def test_everything_says_whether_it_was_measured_and_where_it_comes_from():
    for shipped in [recorded.server(n) for n in recorded.servers()] + [
        recorded.sweep(n) for n in recorded.sweeps()
    ]:
        assert shipped.kind == "measured end to end"
        assert shipped.source
        assert shipped.licence
        with pytest.raises(dataclasses.FrozenInstanceError):
            shipped.kind = "composed from kernels"


def test_composed_figures_are_never_called_measured():
    for name in recorded.reports():
        report = recorded.report(name)
        composed = name.endswith("-composed")
        assert report.provenance.kind == ("composed_from_kernels" if composed else "recorded_elsewhere")
        assert report.provenance.source
        assert report.provenance.licence == ("MIT" if name.endswith("-gb10") else "Apache-2.0")
        assert not any(record.has_samples for record in report.records)


def test_a_composed_step_is_the_sum_of_its_kernels():
    """A100, decode, batch 1, context 128: 1.01743 + 0.35959 + 0.21874 ms."""
    record = recorded.report("qwen3-0.6b-a100-composed").record(1, 128)
    assert record.decode_median_ms == pytest.approx(1.01743 + 0.35959 + 0.21874, abs=2e-5)


def test_the_composed_reports_hold_all_689_rows():
    figures = [
        figure
        for name in recorded.reports()
        if name.endswith("-composed")
        for record in recorded.report(name).records
        for figure in (record.prefill_median_ms, record.decode_median_ms)
        if figure is not None
    ]
    assert len(figures) == 689


def test_the_composed_h200_goes_from_4_8_times_the_roofline_to_1_14_times():
    report = recorded.report("qwen3-0.6b-h200-composed")
    for batch, context, ratio in ((1, 128, 4.8), (128, 4096, 1.14)):
        roofline_ms = (1_192_099_840 + 114_688 * batch * (context + 1)) / 4800e9 * 1e3
        assert report.record(batch, context).decode_median_ms / roofline_ms == pytest.approx(ratio, rel=0.01)


def test_the_eager_report_keeps_prefill_and_decode_at_their_own_context():
    report = recorded.report("llama-2-7b-a100-eager")
    assert report.record(8, 256).prefill_median_ms == 210
    assert report.record(8, 256).decode_median_ms is None
    assert report.record(8, 512).decode_median_ms == pytest.approx(27.2, abs=0.01)
    assert report.workload.context_held is False


def test_the_gb10_report_divides_the_decode_by_its_32_steps():
    report = recorded.report("qwen2.5-coder-7b-gb10")
    assert report.record(32, 512).prefill_median_ms == 6956
    assert report.record(32, 528).decode_median_ms == pytest.approx(1726 / 32)
    assert len(report.records) == 36
    assert report.provenance.kind == "recorded_elsewhere"


@pytest.mark.parametrize("name", ["smollm2-135m-cpu-clean", "launch-cpu-clean"])
def test_the_clean_recordings_did_not_drift(name):
    from helpers import results

    report = results.load(recorded.own(name))
    assert results.drift_of(report) < results.DRIFT_OF_EVIDENCE
    assert report.status == "completed"


def test_reports_can_be_saved_and_read_again(tmp_path):
    from helpers import results

    for name in recorded.reports():
        path = results.save(recorded.report(name), tmp_path / f"{name}.json")
        assert results.load(path) == recorded.report(name)


@pytest.mark.parametrize("read", [recorded.server, recorded.sweep, recorded.report])
def test_an_unknown_name_is_refused_in_the_language_spoken(read):
    with pytest.raises(ValueError, match=r"no recorded measurement named 'tpu'; known: .*llama"):
        read("tpu")
    text.speak("zh")
    with pytest.raises(ValueError, match="没有名为 'tpu' 的实测数据"):
        read("tpu")


def test_every_data_file_stands_in_the_readme_with_its_licence():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    named = [line.split("`")[1] for line in readme.splitlines() if line.startswith("| `")]
    for file in [*FOLDER.glob("*.csv"), *FOLDER.glob("*.json")]:
        assert any(file.match(pattern) for pattern in named), file.name
    assert "MIT License" in (FOLDER / "LICENSE.MIT.txt").read_text(encoding="utf-8")
    assert "Apache License" in (FOLDER / "LICENSE.Apache-2.0.txt").read_text(encoding="utf-8")


def test_every_csv_is_rectangular():
    for path in FOLDER.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            assert len({len(row) for row in csv.reader(file)}) == 1, path.name


# Parameters and KV bytes per token in float32, counted on the published shapes, not read from the files.
SHAPES = {
    "smollm2-135m-cpu": (134_515_008, 46_080, "published", 10),
    "qwen3-0.6b-random-cpu": (596_049_920, 229_376, "random", 12),
}


@pytest.mark.parametrize("name", [*SHAPES, "launch-cpu"])
def test_every_own_result_is_whole_and_holds_what_its_program_would_write(name):
    from helpers import results

    report = results.load(recorded.own(name))
    assert [finding for finding in results.audit(report) if finding.level == "error"] == []
    assert {record.status for record in report.records} == {"ok"}
    assert report.missing == ()
    assert report.hardware.gpu is None
    assert report.evidence_level.endswith("_cpu")


@pytest.mark.parametrize("name", SHAPES)
def test_an_own_result_has_the_sizes_of_its_model(name):
    from helpers import results

    report = results.load(recorded.own(name))
    parameters, kv_bytes, weights, shapes = SHAPES[name]
    assert (report.model.parameters, report.model.weights, len(report.records)) == (
        parameters,
        weights,
        shapes,
    )
    for record in report.records:
        assert record.kv_cache_bytes == kv_bytes * record.batch * record.context_tokens
        assert len(record.decode_samples_ms) == 20


def test_a_tiny_models_step_takes_as_long_for_eight_requests_as_for_one():
    """Nothing but launches: eight times the work costs less than three times the time, on any machine."""
    from helpers import results

    report = results.load(recorded.own("launch-cpu"))
    one, eight = (report.record(batch, 128).decode_median_ms for batch in (1, 8))
    assert eight < 3 * one


def test_every_own_file_is_registered_and_stands_in_the_readme():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in (FOLDER / "own").iterdir()}
    assert files == set(recorded.OWN.values())
    assert all(f"`own/{name}`" in readme for name in files)
