"""Reports on servers: who sets the load, who is measured, which seconds count."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from course.lessons.benchmark.report_cases import Json, ReportCase
from helpers import recorded, timing
from helpers.recorded import RecordedRequest

NIM = "llama-3.3-70b-2xh100-fp8"
RTX_PRO_6000 = "rtxpro6000-llama-3.1-8b"
TWO_RTX_PRO_6000 = "rtxpro6000x2-qwen3-32b"
STEADY_SLOTS = 120


def closed_loop() -> ReportCase:
    """A published sweep by concurrency; the report calls the rate that its generator was set to the load."""
    rows = [
        {
            "max_concurrency": row["batch"],
            "ttft_ms": row["ttft_ms"],
            "itl_ms": row["iteration_ms"],
            "output_tokens_per_s": row["throughput"],
        }
        for row in recorded.sweep(NIM).rows
    ]
    hundred = next(row for row in rows if row["max_concurrency"] == 100)
    return ReportCase(
        fault="closed_loop",
        setup={
            "device": "2 × H100 SXM",
            "model": "Llama-3.3-70B",
            "dtype": "fp8",
            "server": "NVIDIA NIM 1.8.0",
        },
        figures={"request_rate_per_s": 10, "input_tokens": 5000, "output_tokens": 500},
        rows=rows,
        claimed={"load_requests_per_s": 10.0},
        value=hundred["output_tokens_per_s"] / 500,
        relative=0.01,
        origin={"rows": "published averages", "request_rate_per_s": "constructed; the load is 917.26 ÷ 500"},
    )


def warmup_in_window() -> ReportCase:
    """A recorded server, second by second; the average for full slots begins while they fill."""
    rows = [
        {
            "time_s": state.time_s,
            "running": state.running,
            "waiting": state.waiting,
            "generated_tokens_per_s": state.generated_tokens_per_s,
        }
        for state in recorded.server(RTX_PRO_6000).timeseries[:49]
    ]
    steady = [row["generated_tokens_per_s"] for row in rows if row["running"] >= STEADY_SLOTS]
    return ReportCase(
        fault="warmup_in_window",
        setup={
            "device": "RTX PRO 6000",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "max_num_seqs": 128,
        },
        figures={"window_s": 49, "steady_from_running": STEADY_SLOTS},
        rows=rows,
        claimed={"output_tokens_per_s": round(fmean(row["generated_tokens_per_s"] for row in rows), 1)},
        value=fmean(steady),
        origin={"rows": "recorded, seconds 1 to 49", "claimed": "the first eleven seconds are averaged in"},
    )


def client_bottleneck() -> ReportCase:
    """A public bug report: one server, two load generators; the slow one is taken for the server."""
    measured = (
        (8, (503, 1493), (494, 3226)),
        (32, (591, 790), (640, 3757)),
        (50, (486, 1331), (44, 134_173)),
        (100, (298, 1016), (25, 97_115)),
    )
    rows = [
        {"context_thousand_tokens": context, "client": client, "output_tokens_per_s": rate, "ttft_ms": ttft}
        for context, *both in measured
        for client, (rate, ttft) in zip(("other", "own"), both, strict=True)
    ]
    return ReportCase(
        fault="client_bottleneck",
        setup={"device": "8 × RTX 6000", "model": "MiniMax-M2.5", "server": "vLLM", "expert_parallel": 8},
        figures={"output_tokens": 256},
        rows=rows,
        claimed={"server_tokens_per_s": 44.0},
        value=486.0,
        origin={"rows": "quoted, vllm-project/vllm issue 39963"},
    )


def nothing_wrong() -> ReportCase:
    """A whole recorded run, ramp-up and drain included, as it says; its tail looks bad and is true."""
    server = recorded.server(TWO_RTX_PRO_6000)
    requests = server.requests
    span_s = round(max(request.arrival_s + request.e2e_s for request in requests), 3)
    tokens = sum(request.output_tokens for request in requests)
    waits = [request.ttft_s * 1e3 for request in requests]
    quantiles = {f"ttft_p{q}_ms": round(timing.percentile(waits, q), 1) for q in (50, 95, 99)}
    in_system = sum(state.running + state.waiting for state in server.timeseries)
    claimed = round(tokens / span_s, 1)
    return ReportCase(
        fault="nothing_wrong",
        setup={
            "device": "2 × RTX PRO 6000",
            "model": "Qwen3-32B",
            "server": "vLLM 0.19.0",
            "max_num_seqs": 128,
        },
        figures={
            "requests_sent": 300,
            "requests_completed": 300,
            "output_tokens": tokens,
            "span_s": span_s,
            "in_system": round(in_system / span_s, 1),
            "mean_e2e_s": round(fmean(request.e2e_s for request in requests), 2),
            **quantiles,
        },
        rows=[_group(first, requests[first : first + 50]) for first in range(0, 300, 50)],
        claimed={"output_tokens_per_s": claimed},
        value=claimed,
        origin={"all": "recorded, every request and every second of the run"},
    )


def _group(first: int, requests: Sequence[RecordedRequest]) -> Json:
    return {
        "requests": f"{first + 1}–{first + len(requests)}",
        "output_tokens": sum(request.output_tokens for request in requests),
        "mean_ttft_ms": round(fmean(request.ttft_s for request in requests) * 1e3, 1),
        "mean_e2e_s": round(fmean(request.e2e_s for request in requests), 2),
    }
