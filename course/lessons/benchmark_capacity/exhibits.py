"""Benchmark reports to take apart, built from recorded measurements; and the answers, which are not shipped.

Nothing here was measured by this project. Each report starts from recorded figures and makes one public kind
of mistake on top of them, or none; `origin` says of each figure where it comes from. `key()` has the answers.
`build()` writes everything that `helpers.recorded` ships for lesson 2; a test builds it again and compares.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import helpers.recorded
from course.lessons.benchmark_capacity import metrics_pages, traces
from course.lessons.benchmark_capacity.exhibit_words import WORDS
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
from helpers import models, recorded, timing
from helpers.recorded import RecordedRequest
from helpers.text import Phrase

FOLDER = Path(helpers.recorded.__file__).parent
TWO_RTX_PRO_6000 = "rtxpro6000x2-qwen3-32b"
NIM = "llama-3.3-70b-2xh100-fp8"
EAGER = "llama-2-7b-a100-eager"

WRITTEN = "The report around them was written for this exercise."


@dataclass(frozen=True)
class Answer:
    """What is wrong with a report, and what its number should say.

    relative: how far from `value` a repaired number may lie; origin: where each figure comes from.
    """

    fault: recorded.Fault
    entry: str
    value: float
    origin: Mapping[str, str]
    relative: float = 1e-3


@dataclass(frozen=True)
class Case:
    """A report as shipped and the answer that is not."""

    report: Json
    answer: Answer


def _case(figures: Json, answer: Answer) -> Case:
    """The report with its sentences, in the order in which it is read."""
    words, claimed = WORDS[answer.fault], figures["claimed"][answer.entry]
    report = {
        "title": _both(words.title),
        "notes": [_both(note) for note in words.notes],
        **{part: figures[part] for part in ("setup", "figures", "rows")},
        "claim": _both(words.claim, claimed=claimed),
        **{part: figures[part] for part in ("claimed", "source", "licence")},
    }
    return Case(report, answer)


def _both(phrase: Phrase, **values: object) -> Json:
    return {"zh": phrase.in_language("zh", **values), "en": phrase.in_language("en", **values)}


def _source(text: str) -> str:
    return f"{text} {WRITTEN}"


# --- the reports -------------------------------------------------------------------------------------


def first_token_in_itl() -> Case:
    """Recorded requests that queued; the list of gaps of a request starts at its arrival."""
    requests = recorded.server(RTX_PRO_6000).requests[150:162]
    rows = [
        {
            "request": request.request_id,
            "output_tokens": request.output_tokens,
            "gaps": request.output_tokens,
            "ttft_ms": round(request.ttft_s * 1e3, 1),
            "e2e_ms": round(request.e2e_s * 1e3, 1),
            "mean_gap_ms": round(request.e2e_s * 1e3 / request.output_tokens, 2),
        }
        for request in requests
    ]
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
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "output_tokens, ttft_ms, e2e_ms": "recorded, requests 150 to 161 of the RTX PRO 6000",
        "gaps, mean_gap_ms": "the mistake: e2e ÷ tokens, so the wait for the first token is one of the gaps",
    }
    return _case(report, Answer("first_token_in_itl", "itl_ms", repaired, origin))


def gb_for_gib() -> Case:
    """The device's own byte count, read as so many GiB."""
    server, model = recorded.server(RTX_4090), models.get("Llama-3.1-8B")
    total_bytes = server.device_memory_bytes
    read_gib = round(total_bytes / 1e9, 2)
    claimed = int((read_gib * 2**30 * 0.9 - model.weight_bytes) // model.kv_bytes_per_token)
    repaired = (total_bytes * 9 // 10 - model.weight_bytes) // model.kv_bytes_per_token
    report = {
        "setup": {"device": "RTX 4090", "model": "Llama-3.1-8B", "dtype": "bfloat16", "utilization": 0.9},
        "figures": {
            "device_memory_bytes": total_bytes,
            "device_memory_gib": read_gib,
            "usable_gib": round(read_gib * 0.9, 3),
            "weight_bytes": model.weight_bytes,
            "weights_gib": round(model.weight_bytes / 2**30, 3),
            "kv_bytes_per_token": model.kv_bytes_per_token,
        },
        "rows": [
            {"item": "usable", "gib": round(read_gib * 0.9, 3)},
            {"item": "weights", "gib": round(model.weight_bytes / 2**30, 3)},
            {"item": "KV cache", "gib": round(read_gib * 0.9 - model.weight_bytes / 2**30, 3)},
        ],
        "claimed": {"kv_tokens": claimed},
        "source": _source("Device memory: " + VLLM_SOURCE.removeprefix("Times: ")),
        "licence": "MIT",
    }
    origin = {
        "device_memory_bytes": "recorded, meta file of the RTX 4090 run",
        "weight_bytes, kv_bytes_per_token": "helpers.models, counted",
        "device_memory_gib": "the mistake: the bytes divided by 10^9 and called GiB",
    }
    return _case(report, Answer("gb_for_gib", "kv_tokens", repaired, origin))


def honest() -> Case:
    """A whole recorded run, ramp-up and drain included, as it says; its tail looks bad and is true."""
    server = recorded.server(TWO_RTX_PRO_6000)
    requests = server.requests
    span_s = round(max(map(ends_s, requests)), 3)
    tokens = sum(request.output_tokens for request in requests)
    rows = [_group(index, requests[index : index + 50]) for index in range(0, 300, 50)]
    claimed = round(tokens / span_s, 1)
    waits = [request.ttft_s * 1e3 for request in requests]
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
            "in_system": round(sum(s.running + s.waiting for s in server.timeseries) / span_s, 1),
            "mean_e2e_s": round(fmean(request.e2e_s for request in requests), 2),
            "ttft_p50_ms": round(timing.percentile(waits, 50), 1),
            "ttft_p95_ms": round(timing.percentile(waits, 95), 1),
            "ttft_p99_ms": round(timing.percentile(waits, 99), 1),
        },
        "rows": rows,
        "claimed": {"output_tokens_per_s": claimed},
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {"all": "recorded, every request and every second of the run on two RTX PRO 6000"}
    return _case(report, Answer("honest", "output_tokens_per_s", claimed, origin))


def _group(first: int, requests: Sequence[RecordedRequest]) -> Json:
    return {
        "requests": f"{first + 1}–{first + len(requests)}",
        "output_tokens": sum(request.output_tokens for request in requests),
        "mean_ttft_ms": round(fmean(request.ttft_s for request in requests) * 1e3, 1),
        "mean_tpot_ms": round(fmean(map(tpot_ms, requests)), 2),
        "mean_e2e_s": round(fmean(request.e2e_s for request in requests), 2),
    }


H200_LAUNCHES = 112
LAUNCH_US = 4.5
LAYER_PARAMETERS = 15_728_640


def no_synchronisation() -> Case:
    """GEMM times of a prefill, measured kernel by kernel; the script's stopwatch stops when the calls return.

    28 layers of four GEMMs (QKV, output, gate and up, down) are 112 launches. Their 4.5 µs each are a usual
    figure and constructed; the loop's total is 50 times the measured kernels.
    """
    rows = []
    for tokens, gemm_ms in _h200_prefill_gemms((1024, 4096, 16_384)):
        rows.append(
            {
                "tokens": tokens,
                "flops_per_call": 2 * 28 * LAYER_PARAMETERS * tokens,
                "calls": 50,
                "mean_call_ms": round(H200_LAUNCHES * LAUNCH_US / 1e3, 3),
                "loop_total_ms": round(50 * gemm_ms, 1),
            }
        )
    last = rows[-1]
    claimed = round(last["flops_per_call"] / (last["mean_call_ms"] * 1e-3) / 1e12, 1)
    repaired = last["flops_per_call"] * last["calls"] / (last["loop_total_ms"] * 1e-3) / 1e12
    report = {
        "setup": {"device": "H200 SXM", "model": "Qwen3-0.6B", "dtype": "bfloat16"},
        "figures": {"peak_compute_tflops": 989, "layers": 28},
        "rows": rows,
        "claimed": {"compute_tflops": claimed},
        "source": _source(
            "GEMMs: kernels measured one by one on an H200, github.com/ai-dynamo/aiconfigurator @095f58a, "
            "added up."
        ),
        "licence": "Apache-2.0",
    }
    origin = {
        "loop_total_ms": "50 × gemm_ms of aic_qwen3_0p6b_kernel_sums.csv, h200_sxm, prefill, batch 1",
        "flops_per_call": "2 × 28 layers × 15,728,640 parameters × tokens",
        "mean_call_ms": "constructed: 112 launches of 4.5 µs, the same for every shape",
        "peak_compute_tflops": "helpers.hardware",
    }
    return _case(report, Answer("no_synchronisation", "compute_tflops", repaired, origin))


def _h200_prefill_gemms(tokens: Sequence[int]) -> list[tuple[int, float]]:
    """Milliseconds of all GEMMs of one prefill, by its length in tokens."""
    rows = {
        int(row["context"]): float(row["gemm_ms"])
        for row in recorded.read_rows("aic_qwen3_0p6b_kernel_sums.csv")
        if (row["system"], row["phase"], row["batch"]) == ("h200_sxm", "prefill", "1")
    }
    return [(length, rows[length]) for length in tokens]


WAIT_SLO_S = 30.0


def failed_requests_dropped() -> Case:
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
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "ttft_within_slo": "counted on the recorded requests of the RTX 4090",
        "status": "derived by the stated rule: cancelled where the recorded TTFT exceeds 60 s, failed where "
        "the recorded time to the last token exceeds 75 s; all 300 completed in the record",
        "share_served": "the mistake: divided by the completed requests instead of the sent ones",
    }
    return _case(report, Answer("failed_requests_dropped", "share_served", repaired, origin))


def _outcome(outcome: recorded.Status, requests: Sequence[RecordedRequest]) -> Json:
    with_status = [request for request in requests if status(request) == outcome]
    return {
        "status": outcome,
        "requests": len(with_status),
        "ttft_within_slo": sum(request.ttft_s <= WAIT_SLO_S for request in with_status),
    }


def littles_law() -> Case:
    """A published table with the throughput of one row raised; only Little's law notices."""
    rows = [
        {
            "concurrency": row["batch"],
            "ttft_ms": row["ttft_ms"],
            "itl_ms": row["iteration_ms"],
            "output_tokens_per_s": 1000.0 if row["batch"] == 100 else row["throughput"],
        }
        for row in recorded.sweep(NIM).rows
    ]
    row = next(row for row in rows if row["concurrency"] == 100)
    latency_s = (row["ttft_ms"] + 499 * row["itl_ms"]) / 1e3
    repaired = 100 / latency_s * 500
    report = {
        "setup": {
            "device": "2 × H100 SXM",
            "model": "Llama-3.3-70B",
            "dtype": "fp8",
            "server": "NVIDIA NIM 1.8.0",
        },
        "figures": {"input_tokens": 5000, "output_tokens": 500},
        "rows": rows,
        "claimed": {"output_tokens_per_s": 1000.0},
        "source": _source(
            "Table: NVIDIA NIM for LLMs benchmarking guide 1.0.0, page Performance (NIM 1.8.0)."
        ),
        "licence": "figures quoted with their source",
    }
    origin = {
        "all but one figure": "published averages, nim_llama33_70b_2xh100_fp8_concurrency.csv",
        "output_tokens_per_s at concurrency 100": "the mistake: 1,000 where the source says 917.26; Little's "
        "law gives 919.9, within 0.3 % of the source",
    }
    return _case(report, Answer("littles_law", "output_tokens_per_s", repaired, origin, relative=0.01))


def wrong_peak_bandwidth() -> Case:
    """Measured decode steps of an 80 GB A100, divided by the 40 GB card's bandwidth."""
    model = models.get("Llama-2-7B")
    rows = [
        {
            "batch": row["batch"],
            "step_ms": round(row["iteration_ms"], 2),
            "weights_gbps": round(model.weight_bytes / row["iteration_ms"] / 1e6, 1),
        }
        for row in recorded.sweep(EAGER).rows[:4]
    ]
    claimed = round(rows[0]["weights_gbps"] / 1555, 4)
    repaired = rows[0]["weights_gbps"] / (5120 / 8 * 2 * 1593e6 / 1e9)
    report = {
        "setup": {
            "device": "A100-SXM4-80GB",
            "model": "Llama-2-7B",
            "dtype": "float16",
            "runtime": "transformers, eager",
            "memory_clock_mhz": 1593,
            "memory_bus_bits": 5120,
        },
        "figures": {"weight_bytes": model.weight_bytes, "peak_bandwidth_gbps": 1555},
        "rows": rows,
        "claimed": {"bandwidth_share": claimed},
        "source": _source("Steps: github.com/huggingface/optimum-benchmark @c8bbe4e, A100-80GB."),
        "licence": "Apache-2.0",
    }
    origin = {
        "step_ms": "measured, optimum_llama2_7b_a100_hf_eager.csv: decode ÷ 511 steps",
        "weight_bytes": "helpers.models, counted",
        "memory_clock_mhz, memory_bus_bits": "the card's data sheet: 5120 bits, 1593 MHz, two transfers a "
        "clock: 2,039 GB/s",
        "peak_bandwidth_gbps": "the mistake: 1,555 GB/s is the 40 GB card's",
    }
    return _case(report, Answer("wrong_peak_bandwidth", "bandwidth_share", repaired, origin))


STEADY_SLOTS = 120


def warmup_inside_window() -> Case:
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
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "rows": "recorded, seconds 1 to 49 of the RTX PRO 6000",
        "output_tokens_per_s": "the mistake: the first eleven seconds, in which the slots fill, are averaged "
        "in",
    }
    return _case(report, Answer("warmup_inside_window", "output_tokens_per_s", fmean(steady), origin))


def prefix_cache_hit() -> Case:
    """Recorded first rounds of ten prompts, each sent twice; in the second round the cache answers.

    A hit computes one block and no more, so its TTFT is taken as one iteration of that request: its recorded
    time between two tokens.
    """
    requests = recorded.server(RTX_PRO_6000).requests[:10]
    rows = [
        {
            "round": number,
            "prompt_sha256": hashlib.sha256(request.request_id.encode()).hexdigest()[:8],
            "input_tokens": request.input_tokens,
            "ttft_ms": round(request.ttft_s * 1e3 if number == 1 else tpot_ms(request), 2),
        }
        for number in (1, 2)
        for request in requests
    ]
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
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "input_tokens, ttft_ms of round 1": "recorded, requests 0 to 9 of the RTX PRO 6000, which did not "
        "queue",
        "ttft_ms of round 2": "constructed: one iteration, the recorded time between two tokens of that "
        "request",
        "ttft_ms claimed": "the mistake: 10 of 20 requests found their prompt in the cache",
    }
    return _case(report, Answer("prefix_cache_hit", "ttft_ms", repaired, origin))


_MAKERS: dict[str, Callable[[], Case]] = {
    "A": first_token_in_itl,
    "B": gb_for_gib,
    "C": honest,
    "D": no_synchronisation,
    "E": failed_requests_dropped,
    "F": littles_law,
    "G": wrong_peak_bandwidth,
    "H": warmup_inside_window,
    "I": prefix_cache_hit,
}


def cases() -> dict[str, Case]:
    """Every report by its name."""
    return {name: make() for name, make in _MAKERS.items()}


def key() -> dict[str, Answer]:
    """The answers: the fault of each report and what its number should say."""
    return {name: case.answer for name, case in cases().items()}


# --- writing -----------------------------------------------------------------------------------------


def files() -> dict[str, str]:
    """Every shipped file, by its path below helpers/recorded, and its content."""
    reports = {f"exhibits/{name}.json": _json(case.report) for name, case in cases().items()}
    lists = {f"traces/{name}.json": _json(data) for name, data in traces.all_traces().items()}
    return {
        **reports,
        **lists,
        **{name: metrics_pages.page(time_s) for name, time_s in metrics_pages.PAGES.items()},
    }


def build(folder: Path = FOLDER) -> None:
    """Write every file below `folder`."""
    for name, content in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")


def _json(data: Json) -> str:
    """JSON with one row a line."""
    fields = []
    for name, value in data.items():
        if isinstance(value, list):
            rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in value)
            fields.append(f' "{name}": [\n{rows}\n ]')
        else:
            fields.append(f' "{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(fields) + "\n}\n"


if __name__ == "__main__":
    build()
