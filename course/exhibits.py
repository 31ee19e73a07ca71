"""Lesson 2's material, built from recorded measurements: reports with a fault, request lists, metrics pages.

Nothing here was measured by this project. Each report starts from recorded figures and makes one public kind
of mistake on top of them, or none. `KEY` holds the answers; they never go to `helpers`. `build()` writes
what `helpers.recorded` ships; a test builds it again and compares.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import helpers.recorded
from helpers import models, recorded, timing
from helpers.recorded import RecordedRequest

FOLDER = Path(helpers.recorded.__file__).parent
RTX_4090 = "rtx4090-llama-3.1-8b"
RTX_PRO_6000 = "rtxpro6000-llama-3.1-8b"
TWO_RTX_PRO_6000 = "rtxpro6000x2-qwen3-32b"
NIM = "llama-3.3-70b-2xh100-fp8"
EAGER = "llama-2-7b-a100-eager"

VLLM_SOURCE = (
    "Times: vLLM 0.19.0 as recorded by github.com/casys-kaist/LLMServingSim @5daddb2, bench/examples/"
)
WRITTEN = "The report around them was written for this exercise."

Json = dict[str, Any]


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


def _both(zh: str, en: str) -> Json:
    return {"zh": zh, "en": en}


def _source(text: str) -> str:
    return f"{text} {WRITTEN}"


def _tpot_ms(request: RecordedRequest) -> float:
    """Milliseconds between two tokens of one request: what follows the first token, over its gaps."""
    return (request.e2e_s - request.ttft_s) / (request.output_tokens - 1) * 1e3


def _ends_s(request: RecordedRequest) -> float:
    return request.arrival_s + request.e2e_s


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
        "title": _both("流式输出有多快？", "How fast does the text stream?"),
        "notes": [
            _both(
                "每个请求先求相邻两个 token 的平均间隔（mean_gap_ms），再对 12 个请求取平均，得到 itl_ms。",
                "For each request the gaps between neighbouring tokens were averaged (mean_gap_ms); itl_ms "
                "is the mean over the 12 requests.",
            ),
            _both(
                "TTFT 从请求到达服务器算起，含排队。",
                "TTFT counts from the request's arrival, queue included.",
            ),
        ],
        "setup": {
            "device": "RTX PRO 6000",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "max_num_seqs": 128,
        },
        "figures": {"requests_sent": 12, "requests_completed": 12},
        "rows": rows,
        "claim": _both(f"ITL 平均 {claimed:.2f} ms。", f"The mean ITL is {claimed:.2f} ms."),
        "claimed": {"itl_ms": claimed},
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "output_tokens, ttft_ms, e2e_ms": "recorded, requests 150 to 161 of the RTX PRO 6000",
        "gaps, mean_gap_ms": "the mistake: e2e ÷ tokens, so the wait for the first token is one of the gaps",
    }
    return Case(report, Answer("first_token_in_itl", "itl_ms", repaired, origin))


def gb_for_gib() -> Case:
    """The device's own byte count, read as so many GiB."""
    server, model = recorded.server(RTX_4090), models.get("Llama-3.1-8B")
    total_bytes = server.device_memory_bytes
    read_gib = round(total_bytes / 1e9, 2)
    claimed = int((read_gib * 2**30 * 0.9 - model.weight_bytes) // model.kv_bytes_per_token)
    repaired = (total_bytes * 9 // 10 - model.weight_bytes) // model.kv_bytes_per_token
    report = {
        "title": _both("这块卡放得下多少 token 的 KV？", "How many tokens of KV does this card hold?"),
        "notes": [
            _both(
                "上界：只减去权重，没有减去激活、CUDA graph 和 context。",
                "An upper limit: only the weights are subtracted, neither activations nor CUDA graphs nor "
                "the context.",
            ),
            _both(
                "device_memory_bytes 是设备自己报告的总量；usable_gib 是其中 90%。",
                "device_memory_bytes is the total that the device itself reports; usable_gib is 90 % of it.",
            ),
        ],
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
        "claim": _both(
            f"这块卡最多放得下 {claimed:,} 个 token 的 KV。",
            f"The card holds at most {claimed:,} tokens of KV.",
        ),
        "claimed": {"kv_tokens": claimed},
        "source": _source("Device memory: " + VLLM_SOURCE.removeprefix("Times: ")),
        "licence": "MIT",
    }
    origin = {
        "device_memory_bytes": "recorded, meta file of the RTX 4090 run",
        "weight_bytes, kv_bytes_per_token": "helpers.models, counted",
        "device_memory_gib": "the mistake: the bytes divided by 10^9 and called GiB",
    }
    return Case(report, Answer("gb_for_gib", "kv_tokens", repaired, origin))


def honest() -> Case:
    """A whole recorded run, ramp-up and drain included, as it says; its tail looks bad and is true."""
    server = recorded.server(TWO_RTX_PRO_6000)
    requests = server.requests
    span_s = round(max(map(_ends_s, requests)), 3)
    tokens = sum(request.output_tokens for request in requests)
    rows = [_group(index, requests[index : index + 50]) for index in range(0, 300, 50)]
    claimed = round(tokens / span_s, 1)
    waits = [request.ttft_s * 1e3 for request in requests]
    report = {
        "title": _both("300 个请求跑完要多久？", "How long do 300 requests take?"),
        "notes": [
            _both(
                "吞吐 = 全部 output token ÷ 全程时间，从第一个请求到达，到最后一个请求完成；爬升和收尾都算"
                "在内。",
                "Throughput is all output tokens over the whole time, from the first arrival to the last "
                "token; ramp-up and drain are included.",
            ),
            _both(
                "分位数取第 ⌈q·n⌉ 小的样本，n = 300。时间从请求进入服务器的队列算起。",
                "A percentile is the ⌈q·n⌉-th smallest sample, n = 300. Times count from the entry into the "
                "server's queue.",
            ),
            _both(
                "in_system 是每秒在跑与在排队的请求数，对全程取平均。",
                "in_system is the number of requests running or waiting, each second, averaged over the "
                "whole time.",
            ),
        ],
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
        "claim": _both(
            f"全程平均 {claimed:,.1f} token/s。", f"{claimed:,.1f} tokens/s on average over the whole run."
        ),
        "claimed": {"output_tokens_per_s": claimed},
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {"all": "recorded, every request and every second of the run on two RTX PRO 6000"}
    return Case(report, Answer("honest", "output_tokens_per_s", claimed, origin))


def _group(first: int, requests: Sequence[RecordedRequest]) -> Json:
    return {
        "requests": f"{first + 1}–{first + len(requests)}",
        "output_tokens": sum(request.output_tokens for request in requests),
        "mean_ttft_ms": round(fmean(request.ttft_s for request in requests) * 1e3, 1),
        "mean_tpot_ms": round(fmean(map(_tpot_ms, requests)), 2),
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
        "title": _both("矩阵乘达到了多少 TFLOP/s？", "How many TFLOP/s do the matrix products reach?"),
        "notes": [
            _both(
                "一次调用 = 一次 prefill 里 28 层的全部 GEMM。每次调用前后各读一次 time.perf_counter()，"
                "mean_call_ms 是 50 次的平均。",
                "One call is every GEMM of the 28 layers in a prefill. time.perf_counter() was read before "
                "and after each call; mean_call_ms is the mean of the 50.",
            ),
            _both(
                "loop_total_ms 从第一次调用开始，到 50 份结果都能打印出来为止。",
                "loop_total_ms runs from the first call until all 50 results could be printed.",
            ),
            _both(
                "每个形状先预热 10 次，不计入。",
                "Ten warm-up calls for each shape came before and are not counted.",
            ),
        ],
        "setup": {"device": "H200 SXM", "model": "Qwen3-0.6B", "dtype": "bfloat16"},
        "figures": {"peak_compute_tflops": 989, "layers": 28},
        "rows": rows,
        "claim": _both(
            f"prefill {last['tokens']:,} 个 token 时达到 {claimed:,.0f} TFLOP/s。",
            f"A prefill of {last['tokens']:,} tokens reaches {claimed:,.0f} TFLOP/s.",
        ),
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
    return Case(report, Answer("no_synchronisation", "compute_tflops", repaired, origin))


def _h200_prefill_gemms(tokens: Sequence[int]) -> list[tuple[int, float]]:
    """Milliseconds of all GEMMs of one prefill, by its length in tokens."""
    rows = {
        int(row["context"]): float(row["gemm_ms"])
        for row in recorded.read_rows("aic_qwen3_0p6b_kernel_sums.csv")
        if (row["system"], row["phase"], row["batch"]) == ("h200_sxm", "prefill", "1")
    }
    return [(length, rows[length]) for length in tokens]


PATIENCE_S, GATEWAY_S, WAIT_SLO_S = 60.0, 75.0, 30.0


def failed_requests_dropped() -> Case:
    """The overloaded RTX 4090 as impatient clients meet it; the share counts the survivors only."""
    requests = recorded.server(RTX_4090).requests
    rows = [_outcome(status, requests) for status in recorded.STATUSES]
    completed = rows[0]
    claimed = round(completed["ttft_within_slo"] / completed["requests"], 4)
    repaired = sum(row["ttft_within_slo"] for row in rows if row["status"] == "completed") / len(requests)
    report = {
        "title": _both(
            "多少请求按时得到了第一个 token？", "How many requests get their first token in time?"
        ),
        "notes": [
            _both(
                "TTFT 目标 30 s。客户端等第一个 token 最多等 60 s，然后取消；网关在 75 s 时切断还没生成完的"
                "请求。",
                "The TTFT target is 30 s. Clients wait 60 s for the first token and then cancel; the gateway "
                "cuts requests that are not finished after 75 s.",
            ),
            _both(
                "share_served 是用户发出的请求里，TTFT 达标并且完成了的比例。",
                "share_served is the share of the users' requests that completed with a TTFT within the "
                "target.",
            ),
        ],
        "setup": {
            "device": "RTX 4090",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "ttft_slo_ms": 30_000,
        },
        "figures": {"requests_sent": len(requests), "patience_s": PATIENCE_S, "gateway_timeout_s": GATEWAY_S},
        "rows": rows,
        "claim": _both(
            f"{claimed:.1%} 的请求按时得到服务（share_served）。",
            f"{claimed:.1%} of the requests were served in time (share_served).",
        ),
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
    return Case(report, Answer("failed_requests_dropped", "share_served", repaired, origin))


def _status(request: RecordedRequest) -> recorded.Status:
    """What a client with 60 s of patience behind a gateway with a timeout of 75 s would have met."""
    if request.ttft_s > PATIENCE_S:
        return "cancelled"
    return "failed" if request.e2e_s > GATEWAY_S else "completed"


def _outcome(status: recorded.Status, requests: Sequence[RecordedRequest]) -> Json:
    with_status = [request for request in requests if _status(request) == status]
    return {
        "status": status,
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
        "title": _both("并发加到多少还划算？", "Up to which concurrency does it pay?"),
        "notes": [
            _both(
                "每一档始终保持 concurrency 个请求在系统里：一个完成，立刻补上一个。每个请求输入 5,000、输"
                "出 500 个 token；各列都是"
                "稳态的平均值。",
                "Each row keeps `concurrency` requests in the system: one finishes, the next is sent. Every "
                "request has 5,000 tokens in and 500 out; all columns are averages of the steady state.",
            ),
            _both(
                "一个请求的时间 = TTFT + 499 × ITL。output_tokens_per_s 是并发 100 那一档的。",
                "A request takes TTFT + 499 × ITL. output_tokens_per_s is that of concurrency 100.",
            ),
        ],
        "setup": {
            "device": "2 × H100 SXM",
            "model": "Llama-3.3-70B",
            "dtype": "fp8",
            "server": "NVIDIA NIM 1.8.0",
        },
        "figures": {"input_tokens": 5000, "output_tokens": 500},
        "rows": rows,
        "claim": _both(
            "并发 100 时达到 1,000 token/s，再往上反而下降。",
            "Concurrency 100 reaches 1,000 tokens/s; beyond, throughput falls again.",
        ),
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
    return Case(report, Answer("littles_law", "output_tokens_per_s", repaired, origin, relative=0.01))


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
        "title": _both("一步 decode 用上了多少带宽？", "How much of the bandwidth does a decode step use?"),
        "notes": [
            _both(
                "只算每步读一遍的权重，不算 KV：这是下界。bandwidth_share = batch 1 的 weights_gbps ÷ 峰值"
                "带宽。",
                "Only the weights, read once a step, are counted and no KV: a lower bound. bandwidth_share "
                "is weights_gbps at batch 1 over the peak bandwidth.",
            ),
            _both(
                "显存每个时钟传输两次；memory_clock_mhz 与 memory_bus_bits 由驱动报告。",
                "The memory transfers twice a clock; memory_clock_mhz and memory_bus_bits are what the "
                "driver reports.",
            ),
        ],
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
        "claim": _both(
            f"batch 1 时用上了峰值带宽的 {claimed:.1%}（bandwidth_share）。",
            f"At batch 1 the step uses {claimed:.1%} of the peak bandwidth (bandwidth_share).",
        ),
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
    return Case(report, Answer("wrong_peak_bandwidth", "bandwidth_share", repaired, origin))


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
        "title": _both(
            "128 个 slot 都在用时，吞吐是多少？", "What is the throughput with all 128 slots in use?"
        ),
        "notes": [
            _both(
                "服务器刚启动就开始压测，每秒到达 10 个请求。running 至少为 120 的那些秒算稳态。",
                "The load of 10 requests a second starts with the server. A second is steady when at least "
                "120 requests run.",
            ),
            _both(
                "generated_tokens_per_s 对第 1 秒到第 49 秒取平均。",
                "generated_tokens_per_s was averaged over seconds 1 to 49.",
            ),
        ],
        "setup": {
            "device": "RTX PRO 6000",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "max_num_seqs": 128,
        },
        "figures": {"window_s": 49, "steady_from_running": STEADY_SLOTS},
        "rows": rows,
        "claim": _both(
            f"slot 用满的稳态下，吞吐是 {claimed:,.1f} token/s。",
            f"In the steady state, with its slots in use, the server generates {claimed:,.1f} tokens/s.",
        ),
        "claimed": {"output_tokens_per_s": claimed},
        "source": _source(VLLM_SOURCE),
        "licence": "MIT",
    }
    origin = {
        "rows": "recorded, seconds 1 to 49 of the RTX PRO 6000",
        "output_tokens_per_s": "the mistake: the first eleven seconds, in which the slots fill, are averaged "
        "in",
    }
    return Case(report, Answer("warmup_inside_window", "output_tokens_per_s", fmean(steady), origin))


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
            "ttft_ms": round(request.ttft_s * 1e3 if number == 1 else _tpot_ms(request), 2),
        }
        for number in (1, 2)
        for request in requests
    ]
    claimed = round(fmean(row["ttft_ms"] for row in rows), 2)
    repaired = fmean(row["ttft_ms"] for row in rows if row["round"] == 1)
    report = {
        "title": _both("第一个 token 要等多久？", "How long is the wait for the first token?"),
        "notes": [
            _both(
                "目的：预测上线后的 TTFT。线上的每个提示词都是新的。",
                "The purpose is to predict TTFT in production, where every prompt is new.",
            ),
            _both(
                "10 个提示词各发 2 次，一共 20 个请求，没有排队；ttft_ms 取平均。服务器用默认设置。",
                "Ten prompts were sent twice each, 20 requests without a queue; ttft_ms is their mean. The "
                "server ran with its default settings.",
            ),
        ],
        "setup": {
            "device": "RTX PRO 6000",
            "model": "Llama-3.1-8B",
            "server": "vLLM 0.19.0",
            "enable_prefix_caching": True,
        },
        "figures": {"requests_sent": 20, "requests_completed": 20},
        "rows": rows,
        "claim": _both(f"TTFT 平均 {claimed:.2f} ms。", f"The mean TTFT is {claimed:.2f} ms."),
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
    return Case(report, Answer("prefix_cache_hit", "ttft_ms", repaired, origin))


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


# --- request lists for goodput -----------------------------------------------------------------------


def traces() -> dict[str, Json]:
    """The request lists: one server's first and second half minute, and one met by impatient clients."""
    early, late = (_finished_between(start_s, start_s + 30) for start_s in (0, 30))
    patient = [_as_met(request) for request in recorded.server(RTX_4090).requests]
    return {
        "rtxpro6000-first-30s": _trace(
            _both("RTX PRO 6000，第 0–30 秒完成的请求", "RTX PRO 6000, requests finished in seconds 0 to 30"),
            _FINISHED,
            30.0,
            early,
        ),
        "rtxpro6000-next-30s": _trace(
            _both(
                "RTX PRO 6000，第 30–60 秒完成的请求", "RTX PRO 6000, requests finished in seconds 30 to 60"
            ),
            _FINISHED,
            30.0,
            late,
        ),
        "rtx4090-impatient-clients": _trace(
            _both("RTX 4090，客户端等 60 秒就走", "RTX 4090, clients leave after 60 seconds"),
            _both(
                "记录里 300 个请求都完成了。这里按规则改写：TTFT 超过 60 s 的算客户端取消（cancelled），其"
                "余总时间超过 75 s 的算网关"
                "切断（failed）。取消本会让队列变短，这一点没有模拟。",
                "In the record all 300 completed. Here, by rule: a TTFT above 60 s counts as cancelled by "
                "the client; of the rest, more than 75 s in all as cut by the gateway (failed). That "
                "cancelling would have shortened the queue is not simulated.",
            ),
            round(max(map(_ends_s, recorded.server(RTX_4090).requests)), 3),
            patient,
        ),
    }


_FINISHED = _both(
    "一个请求算在它完成的那个窗口里。所有请求都完成了，数字原样取自记录。",
    "A request counts in the window in which it finished. All completed; the figures are as recorded.",
)


def _trace(title: Json, rule: Json, window_s: float, requests: list[Json]) -> Json:
    return {
        "title": title,
        "rule": rule,
        "window_s": window_s,
        "requests": requests,
        "source": VLLM_SOURCE,
        "licence": "MIT",
    }


def _finished_between(start_s: float, end_s: float) -> list[Json]:
    requests = recorded.server(RTX_PRO_6000).requests
    return [_entry(request, "completed") for request in requests if start_s <= _ends_s(request) < end_s]


def _entry(request: RecordedRequest, status: recorded.Status) -> Json:
    return {
        "request_id": request.request_id,
        "arrival_s": request.arrival_s,
        "status": status,
        "input_tokens": request.input_tokens,
        "output_tokens": request.output_tokens,
        "ttft_ms": round(request.ttft_s * 1e3, 3),
        "e2e_s": request.e2e_s,
    }


def _as_met(request: RecordedRequest) -> Json:
    """The request as an impatient client met it: what never came is None, tokens are those that came."""
    status = _status(request)
    entry = _entry(request, status)
    if status == "cancelled":
        return entry | {"output_tokens": 0, "ttft_ms": None, "e2e_s": None}
    if status == "failed":
        tokens = 1 + int((GATEWAY_S - request.ttft_s) * 1e3 / _tpot_ms(request))
        return entry | {"output_tokens": tokens, "e2e_s": None}
    return entry


# --- pages of metrics --------------------------------------------------------------------------------

TTFT_BOUNDS_S = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5),
    *(10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0),
)
TOKEN_BOUNDS_S = (
    *(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5),
    *(10.0, 20.0, 40.0, 80.0),
)
REQUEST_BOUNDS_S = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0),
    *(240.0, 480.0, 960.0, 1920.0, 7680.0),
)
LENGTH_BOUNDS = tuple(float(m * 10**e) for e in range(5) for m in (1, 2, 5) if m * 10**e <= 32_768)
PAGES: dict[str, float] = {"vllm_metrics_rtx4090.prom": 184.0, "vllm_metrics_rtx4090_at_60s.prom": 60.0}
MODEL_NAME = "meta-llama/Llama-3.1-8B"

_HEADER = """\
# Not scraped from a server: put together by this project's course/exhibits.py out of the recorded requests
# and seconds of vLLM 0.19.0 on an RTX 4090 with Llama-3.1-8B (github.com/casys-kaist/LLMServingSim @5daddb2,
# bench/examples/, MIT), as that server's /metrics would have shown them {time_s:g} s after the first arrival.
# Names, labels and bucket bounds are those of vllm/v1/metrics/loggers.py (github.com/vllm-project/vllm).
# As in vLLM, a TTFT is observed at the first token; what concerns a whole request, when it finishes.
# Times count from the entry into the queue. Not recorded, hence not here: the gap of every single token
# (vllm:inter_token_latency_seconds), preemptions, prefix-cache hits. How a request finished was not recorded
# either: every recorded server generated the same number of tokens for it, so it stands under length.
"""


def page(time_s: float) -> str:
    """The metrics page of the RTX 4090 server, that many seconds after the first arrival."""
    server = recorded.server(RTX_4090)
    started = [r for r in server.requests if r.arrival_s + r.ttft_s <= time_s]
    finished = [r for r in server.requests if _ends_s(r) <= time_s]
    seconds = [state for state in server.timeseries if state.time_s <= time_s]
    return "".join(
        (_HEADER.format(time_s=time_s), *_state_lines(seconds, finished), *_times(started, finished))
    )


def _state_lines(seconds: Sequence[recorded.ServerState], finished: Sequence[RecordedRequest]) -> list[str]:
    now = seconds[-1]
    ended = {
        reason: len(finished) if reason == "length" else 0 for reason in ("stop", "length", "abort", "error")
    }
    return [
        _single(
            "num_requests_running", "gauge", "Requests in the batches that the model executes.", now.running
        ),
        _single("num_requests_waiting", "gauge", "Requests that wait to be processed.", now.waiting),
        _single(
            "kv_cache_usage_perc", "gauge", "KV cache in use; 1 is all of it.", now.kv_cache_percent / 100
        ),
        _single(
            "prompt_tokens_total",
            "counter",
            "Prefill tokens processed.",
            sum(s.prompt_tokens_per_s for s in seconds),
        ),
        _single(
            "generation_tokens_total",
            "counter",
            "Tokens generated.",
            sum(s.generated_tokens_per_s for s in seconds),
        ),
        _head("request_success_total", "counter", "Requests that finished, by reason."),
        *(_sample("request_success_total", count, finished_reason=reason) for reason, count in ended.items()),
    ]


def _times(started: Sequence[RecordedRequest], finished: Sequence[RecordedRequest]) -> list[str]:
    return [
        _histogram(
            "time_to_first_token_seconds",
            "Seconds to the first token.",
            TTFT_BOUNDS_S,
            (r.ttft_s for r in started),
        ),
        _histogram(
            "request_time_per_output_token_seconds",
            "Seconds per output token, mean of a request.",
            TOKEN_BOUNDS_S,
            (round(_tpot_ms(r) / 1e3, 9) for r in finished),
        ),
        _histogram(
            "e2e_request_latency_seconds",
            "Seconds from arrival to the last token.",
            REQUEST_BOUNDS_S,
            (r.e2e_s for r in finished),
        ),
        _histogram(
            "request_queue_time_seconds",
            "Seconds spent waiting.",
            REQUEST_BOUNDS_S,
            (r.queue_s for r in finished),
        ),
        _histogram(
            "request_prompt_tokens",
            "Prompt tokens of a request.",
            LENGTH_BOUNDS,
            (r.input_tokens for r in finished),
        ),
        _histogram(
            "request_generation_tokens",
            "Generated tokens of a request.",
            LENGTH_BOUNDS,
            (r.output_tokens for r in finished),
        ),
    ]


def _head(name: str, kind: str, what: str) -> str:
    return f"# HELP vllm:{name} {what}\n# TYPE vllm:{name} {kind}\n"


def _sample(name: str, value: float, **labels: str) -> str:
    every = {"engine": "0", **labels, "model_name": MODEL_NAME}
    inside = ",".join(f'{key}="{value}"' for key, value in every.items())
    return f"vllm:{name}{{{inside}}} {float(value)!r}\n"


def _single(name: str, kind: str, what: str, value: float) -> str:
    return _head(name, kind, what) + _sample(name, value)


def _histogram(name: str, what: str, bounds: Sequence[float], observed: Iterable[float]) -> str:
    values = list(observed)
    lines = [_head(name, "histogram", what)]
    for bound in (*bounds, math.inf):
        label = "+Inf" if bound == math.inf else repr(bound)
        lines.append(_sample(f"{name}_bucket", sum(value <= bound for value in values), le=label))
    lines.append(_sample(f"{name}_count", len(values)))
    lines.append(_sample(f"{name}_sum", round(math.fsum(values), 6)))
    return "".join(lines)


# --- writing -----------------------------------------------------------------------------------------


def files() -> dict[str, str]:
    """Every shipped file, by its path below helpers/recorded, and its content."""
    reports = {f"exhibits/{name}.json": _json(case.report) for name, case in cases().items()}
    lists = {f"traces/{name}.json": _json(data) for name, data in traces().items()}
    return {**reports, **lists, **{name: page(time_s) for name, time_s in PAGES.items()}}


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
