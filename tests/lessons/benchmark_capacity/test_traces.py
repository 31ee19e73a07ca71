"""The request lists: as recorded, as derived, and throughput up while goodput falls."""

import csv
from pathlib import Path

import pytest

import helpers.recorded
from helpers import recorded, text

FOLDER = Path(helpers.recorded.__file__).parent


def source(stem):
    with (FOLDER / f"{stem}_requests.csv").open(encoding="utf-8", newline="") as file:
        return {row["request_id"]: row for row in csv.DictReader(file)}


def served_in_time(request, ttft_slo_ms, tpot_slo_ms):
    """Plain arithmetic on a completed request."""
    if request["status"] != "completed" or request["ttft_ms"] > ttft_slo_ms:
        return False
    return request["e2e_s"] * 1000 - request["ttft_ms"] <= tpot_slo_ms * (request["output_tokens"] - 1)


def test_throughput_rises_while_goodput_falls():
    first, following = recorded.trace("rtxpro6000-first-30s"), recorded.trace("rtxpro6000-next-30s")
    assert (first.window_s, following.window_s) == (30.0, 30.0)
    assert (len(first.requests), len(following.requests)) == (78, 195)
    good = [sum(served_in_time(r, 1000, 40) for r in trace.requests) for trace in (first, following)]
    assert good == [78, 50]
    tokens_per_s = [sum(r["output_tokens"] for r in trace.requests) / 30 for trace in (first, following)]
    assert tokens_per_s == pytest.approx([1655.5, 4231.4], abs=0.05)


@pytest.mark.parametrize(("name", "start_s"), [("rtxpro6000-first-30s", 0), ("rtxpro6000-next-30s", 30)])
def test_a_half_minute_holds_what_finished_in_it_as_recorded(name, start_s):
    rows = source("vllm_rtxpro6000_llama-3.1-8b")
    trace = recorded.trace(name)
    ends_s = {key: float(row["arrival_s"]) + float(row["e2e_s"]) for key, row in rows.items()}
    assert [r["request_id"] for r in trace.requests] == [
        key for key, end_s in ends_s.items() if start_s <= end_s < start_s + 30
    ]
    for request in trace.requests:
        row = rows[request["request_id"]]
        assert request["status"] == "completed"
        assert request["ttft_ms"] == pytest.approx(float(row["ttft_s"]) * 1000)
        assert request["e2e_s"] == float(row["e2e_s"])
        assert request["output_tokens"] == int(row["output_tokens"]) > 1


def test_impatient_clients_cancel_and_the_gateway_cuts_by_the_stated_rule():
    rows = source("vllm_rtx4090_llama-3.1-8b")
    trace = recorded.trace("rtx4090-impatient-clients")
    assert [trace.count(status) for status in recorded.STATUSES] == [128, 152, 20]
    for request in trace.requests:
        row = rows[request["request_id"]]
        ttft_s, e2e_s = float(row["ttft_s"]), float(row["e2e_s"])
        if request["status"] == "cancelled":
            assert ttft_s > 60
            assert (request["ttft_ms"], request["e2e_s"], request["output_tokens"]) == (None, None, 0)
        elif request["status"] == "failed":
            assert ttft_s <= 60 < 75 < e2e_s
            assert request["e2e_s"] is None
            assert 0 < request["output_tokens"] < int(row["output_tokens"])
        else:
            assert ttft_s <= 60
            assert e2e_s <= 75
            assert request["e2e_s"] == e2e_s


def test_counting_survivors_only_more_than_doubles_the_share():
    trace = recorded.trace("rtx4090-impatient-clients")
    in_time = sum(served_in_time(r, 30_000, 1000) for r in trace.requests)
    assert (in_time, in_time / trace.count("completed"), in_time / 300) == (72, 0.5625, 0.24)


def test_a_trace_says_its_rule_in_the_language_spoken_and_its_source():
    for name in recorded.traces():
        text.speak("zh")
        chinese = recorded.trace(name)
        text.speak("en")
        english = recorded.trace(name)
        assert chinese.rule != english.rule
        assert chinese.title != english.title
        assert "LLMServingSim" in english.source
    with pytest.raises(ValueError, match="no recorded measurement named 'x'"):
        recorded.trace("x")
