"""Reports on recorded servers: their latencies, their throughput, who is counted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from statistics import fmean

from course.lessons.benchmark_capacity.exhibit_cases import (
    ExhibitAnswer,
    ExhibitCase,
    exhibit_case,
    source_line,
)
from course.lessons.benchmark_capacity.traces import (
    GATEWAY_S,
    PATIENCE_S,
    RTX_4090,
    RTX_PRO_6000,
    VLLM_SOURCE,
    Json,
    ends_s,
    status,
    tpot_ms,
)
from helpers import recorded, timing
from helpers.recorded import RecordedRequest, RecordedServer

TWO_RTX_PRO_6000 = "rtxpro6000x2-qwen3-32b"


def first_token_in_itl() -> ExhibitCase:
    """Recorded requests that queued; the list of gaps of a request starts at its arrival."""
    rows = list(map(_gaps, recorded.server(RTX_PRO_6000).requests[150:162]))
    claimed = round(fmean(row["mean_gap_ms"] for row in rows), 2)
    repaired = fmean((row["e2e_ms"] - row["ttft_ms"]) / (row["output_tokens"] - 1) for row in rows)
    report = {
        "setup": {
            "device": "RTX PRO 6000",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "max_num_seqs": 128,
        },
        "figures": {"requests_sent": 300, "requests_completed": 300, "requests_shown": 12},
        "rows": rows,
        "claimed": {"itl_ms": claimed},
        "source": source_line(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "output_tokens, ttft_ms, e2e_ms": "recorded, requests 150 to 161 of the RTX PRO 6000",
        "gaps, mean_gap_ms": "the mistake: e2e ÷ tokens, so the wait for the first token is one of the gaps",
    }
    return exhibit_case(report, ExhibitAnswer("first_token_in_itl", "itl_ms", repaired, origin))


def _gaps(request: RecordedRequest) -> Json:
    return {
        "request": request.request_id,
        "output_tokens": request.output_tokens,
        "gaps": request.output_tokens,
        "ttft_ms": round(request.ttft_s * 1e3, 1),
        "e2e_ms": round(request.e2e_s * 1e3, 1),
        "mean_gap_ms": round(request.e2e_s * 1e3 / request.output_tokens, 2),
    }


def honest() -> ExhibitCase:
    """A whole recorded run, ramp-up and drain included, as it says; its tail looks bad and is true."""
    server = recorded.server(TWO_RTX_PRO_6000)
    requests = server.requests
    span_s = round(max(map(ends_s, requests)), 3)
    tokens = sum(request.output_tokens for request in requests)
    rows = [_group(index, requests[index : index + 50]) for index in range(0, 300, 50)]
    claimed = round(tokens / span_s, 1)
    report = {
        "setup": {
            "device": "2 × RTX PRO 6000",
            "model": "Qwen3-32B",
            "server": "vLLM 0.19.0",
            "max_num_seqs": server.max_num_seqs,
            "offered_requests_per_s": 10,
        },
        "figures": {
            "requests_sent": 300,
            "requests_completed": 300,
            "output_tokens": tokens,
            "span_s": span_s,
            **_load(server, span_s),
        },
        "rows": rows,
        "claimed": {"output_tokens_per_s": claimed},
        "source": source_line(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {"all": "recorded, every request and every second of the run on two RTX PRO 6000"}
    return exhibit_case(report, ExhibitAnswer("honest", "output_tokens_per_s", claimed, origin))


def _load(server: RecordedServer, span_s: float) -> Json:
    waits = [request.ttft_s * 1e3 for request in server.requests]
    in_system = sum(state.running + state.waiting for state in server.timeseries)
    return {
        "in_system": round(in_system / span_s, 1),
        "mean_e2e_s": round(fmean(request.e2e_s for request in server.requests), 2),
        "ttft_p50_ms": round(timing.percentile(waits, 50), 1),
        "ttft_p95_ms": round(timing.percentile(waits, 95), 1),
        "ttft_p99_ms": round(timing.percentile(waits, 99), 1),
    }


def _group(first: int, requests: Sequence[RecordedRequest]) -> Json:
    return {
        "requests": f"{first + 1}–{first + len(requests)}",
        "output_tokens": sum(request.output_tokens for request in requests),
        "mean_ttft_ms": round(fmean(request.ttft_s for request in requests) * 1e3, 1),
        "mean_tpot_ms": round(fmean(map(tpot_ms, requests)), 2),
        "mean_e2e_s": round(fmean(request.e2e_s for request in requests), 2),
    }


WAIT_SLO_S = 30.0


def failed_requests_dropped() -> ExhibitCase:
    """The overloaded RTX 4090 as impatient clients meet it; the share counts the survivors only."""
    requests = recorded.server(RTX_4090).requests
    rows = [_outcome(outcome, requests) for outcome in recorded.STATUSES]
    completed = rows[0]
    claimed = round(completed["ttft_within_slo"] / completed["requests"], 4)
    repaired = sum(row["ttft_within_slo"] for row in rows if row["status"] == "completed") / len(requests)
    report = {
        "setup": {
            "device": "RTX 4090",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "ttft_slo_ms": 30_000,
        },
        "figures": {"requests_sent": len(requests), "patience_s": PATIENCE_S, "gateway_timeout_s": GATEWAY_S},
        "rows": rows,
        "claimed": {"share_served": claimed},
        "source": source_line(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "ttft_within_slo": "counted on the recorded requests of the RTX 4090",
        "status": "derived by the stated rule: cancelled where the recorded TTFT exceeds 60 s, failed where "
        "the recorded time to the last token exceeds 75 s; all 300 completed in the record",
        "share_served": "the mistake: divided by the completed requests instead of the sent ones",
    }
    return exhibit_case(
        report,
        ExhibitAnswer("failed_requests_dropped", "share_served", repaired, origin),
    )


def _outcome(outcome: recorded.Status, requests: Sequence[RecordedRequest]) -> Json:
    with_status = [request for request in requests if status(request) == outcome]
    return {
        "status": outcome,
        "requests": len(with_status),
        "ttft_within_slo": sum(request.ttft_s <= WAIT_SLO_S for request in with_status),
    }


STEADY_SLOTS = 120


def warmup_inside_window() -> ExhibitCase:
    """A recorded server, second by second; the average for full slots begins while they fill."""
    states = recorded.server(RTX_PRO_6000).timeseries[:49]
    rows = [
        {
            "time_s": state.time_s,
            "running": state.running,
            "waiting": state.waiting,
            "generated_tokens_per_s": state.generated_tokens_per_s,
        }
        for state in states
    ]
    claimed = round(fmean(row["generated_tokens_per_s"] for row in rows), 1)
    steady = [row["generated_tokens_per_s"] for row in rows if row["running"] >= STEADY_SLOTS]
    report = {
        "setup": {
            "device": "RTX PRO 6000",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "max_num_seqs": 128,
        },
        "figures": {"window_s": 49, "steady_from_running": STEADY_SLOTS},
        "rows": rows,
        "claimed": {"output_tokens_per_s": claimed},
        "source": source_line(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "rows": "recorded, seconds 1 to 49 of the RTX PRO 6000",
        "output_tokens_per_s": "the mistake: the first eleven seconds, in which the slots fill, are averaged "
        "in",
    }
    return exhibit_case(
        report,
        ExhibitAnswer("warmup_inside_window", "output_tokens_per_s", fmean(steady), origin),
    )


def prefix_cache_hit() -> ExhibitCase:
    """Recorded first rounds of ten prompts, each sent twice; in the second round the cache answers.

    A hit computes one block and no more, so its TTFT is taken as one iteration of that request: its recorded
    time between two tokens.
    """
    requests = recorded.server(RTX_PRO_6000).requests[:10]
    rows = [_sent(request, number) for number in (1, 2) for request in requests]
    claimed = round(fmean(row["ttft_ms"] for row in rows), 2)
    repaired = fmean(row["ttft_ms"] for row in rows if row["round"] == 1)
    report = {
        "setup": {
            "device": "RTX PRO 6000",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "enable_prefix_caching": True,
        },
        "figures": {"requests_sent": 20, "requests_completed": 20},
        "rows": rows,
        "claimed": {"ttft_ms": claimed},
        "source": source_line(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "input_tokens, ttft_ms of round 1": "recorded, requests 0 to 9 of the RTX PRO 6000, which did not "
        "queue",
        "ttft_ms of round 2": "constructed: one iteration, the recorded time between two tokens of that "
        "request",
        "ttft_ms claimed": "the mistake: 10 of 20 requests found their prompt in the cache",
    }
    return exhibit_case(report, ExhibitAnswer("prefix_cache_hit", "ttft_ms", repaired, origin))


def _sent(request: RecordedRequest, number: int) -> Json:
    """The request as it was answered in this round."""
    prompt = hashlib.sha256(request.request_id.encode()).hexdigest()
    return {
        "round": number,
        "prompt_sha256": prompt[:8],
        "input_tokens": request.input_tokens,
        "ttft_ms": round(request.ttft_s * 1e3 if number == 1 else tpot_ms(request), 2),
    }
