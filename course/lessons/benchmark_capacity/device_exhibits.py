"""Reports on devices and published tables: memory, kernels, bandwidth, a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from course.lessons.benchmark_capacity.exhibit_cases import (
    ExhibitAnswer,
    ExhibitCase,
    exhibit_case,
    source_line,
)
from course.lessons.benchmark_capacity.traces import (
    RTX_4090,
    VLLM_SOURCE,
    Json,
)
from helpers import models, recorded

NIM = "llama-3.3-70b-2xh100-fp8"
EAGER = "llama-2-7b-a100-eager"


def gb_for_gib() -> ExhibitCase:
    """The device's own byte count, read as so many GiB."""
    server, model = recorded.server(RTX_4090), models.get("Llama-3.1-8B")
    total_bytes = server.device_memory_bytes
    read_gib = round(total_bytes / 1e9, 2)
    claimed = int((read_gib * 2**30 * 0.9 - model.weight_bytes) // model.kv_bytes_per_token)
    gib = {
        "usable": round(read_gib * 0.9, 3),
        "weights": round(model.weight_bytes / 2**30, 3),
        "KV cache": round(read_gib * 0.9 - model.weight_bytes / 2**30, 3),
    }
    repaired = (total_bytes * 9 // 10 - model.weight_bytes) // model.kv_bytes_per_token
    report = {
        "setup": {"device": "RTX 4090", "model": "Llama-3.1-8B", "dtype": "bfloat16", "utilization": 0.9},
        "figures": {
            "device_memory_bytes": total_bytes,
            "device_memory_gib": read_gib,
            "usable_gib": gib["usable"],
            "weight_bytes": model.weight_bytes,
            "weights_gib": gib["weights"],
            "kv_bytes_per_token": model.kv_bytes_per_token,
        },
        "rows": [{"item": item, "gib": size} for item, size in gib.items()],
        "claimed": {"kv_tokens": claimed},
        "source": source_line("Device memory: " + VLLM_SOURCE.removeprefix("Times: ")),
        "licence": "MIT",
    }
    origin = {
        "device_memory_bytes": "recorded, meta file of the RTX 4090 run",
        "weight_bytes, kv_bytes_per_token": "helpers.models, counted",
        "device_memory_gib": "the mistake: the bytes divided by 10^9 and called GiB",
    }
    return exhibit_case(report, ExhibitAnswer("gb_for_gib", "kv_tokens", repaired, origin))


H200_LAUNCHES = 112
LAUNCH_US = 4.5
LAYER_PARAMETERS = 15_728_640


def no_synchronisation() -> ExhibitCase:
    """GEMM times of a prefill, measured kernel by kernel; the script's stopwatch stops when the calls return.

    28 layers of four GEMMs (QKV, output, gate and up, down) are 112 launches. Their 4.5 µs each are a usual
    figure and constructed; the loop's total is 50 times the measured kernels.
    """
    gemms = _h200_prefill_gemms((1024, 4096, 16_384))
    rows = [_loop(tokens, gemm_ms) for tokens, gemm_ms in gemms]
    last = rows[-1]
    claimed = round(last["flops_per_call"] / (last["mean_call_ms"] * 1e-3) / 1e12, 1)
    repaired = last["flops_per_call"] * last["calls"] / (last["loop_total_ms"] * 1e-3) / 1e12
    report = {
        "setup": {"device": "H200 SXM", "model": "Qwen3-0.6B", "dtype": "bfloat16"},
        "figures": {"peak_compute_tflops": 989, "layers": 28},
        "rows": rows,
        "claimed": {"compute_tflops": claimed},
        "source": source_line(
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
    return exhibit_case(report, ExhibitAnswer("no_synchronisation", "compute_tflops", repaired, origin))


def _loop(tokens: int, gemm_ms: float) -> Json:
    return {
        "tokens": tokens,
        "flops_per_call": 2 * 28 * LAYER_PARAMETERS * tokens,
        "calls": 50,
        "mean_call_ms": round(H200_LAUNCHES * LAUNCH_US / 1e3, 3),
        "loop_total_ms": round(50 * gemm_ms, 1),
    }


def _h200_prefill_gemms(tokens: Sequence[int]) -> list[tuple[int, float]]:
    """Milliseconds of all GEMMs of one prefill, by its length in tokens."""
    rows = {
        int(row["context"]): float(row["gemm_ms"])
        for row in recorded.read_rows("aic_qwen3_0p6b_kernel_sums.csv")
        if (row["system"], row["phase"], row["batch"]) == ("h200_sxm", "prefill", "1")
    }
    return [(length, rows[length]) for length in tokens]


def littles_law() -> ExhibitCase:
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
        "source": source_line(
            "Table: NVIDIA NIM for LLMs benchmarking guide 1.0.0, page Performance (NIM 1.8.0)."
        ),
        "licence": "figures quoted with their source",
    }
    origin = {
        "all but one figure": "published averages, nim_llama33_70b_2xh100_fp8_concurrency.csv",
        "output_tokens_per_s at concurrency 100": "the mistake: 1,000 where the source says 917.26; Little's "
        "law gives 919.9, within 0.3 % of the source",
    }
    return exhibit_case(
        report,
        ExhibitAnswer("littles_law", "output_tokens_per_s", repaired, origin, relative=0.01),
    )


def wrong_peak_bandwidth() -> ExhibitCase:
    """Measured decode steps of an 80 GB A100, divided by the 40 GB card's bandwidth."""
    model = models.get("Llama-2-7B")
    rows = [_step(row, model.weight_bytes) for row in recorded.sweep(EAGER).rows[:4]]
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
        "source": source_line("Steps: github.com/huggingface/optimum-benchmark @c8bbe4e, A100-80GB."),
        "licence": "Apache-2.0",
    }
    origin = {
        "step_ms": "measured, optimum_llama2_7b_a100_hf_eager.csv: decode ÷ 511 steps",
        "weight_bytes": "helpers.models, counted",
        "memory_clock_mhz, memory_bus_bits": "the card's data sheet: 5120 bits, 1593 MHz, two transfers a "
        "clock: 2,039 GB/s",
        "peak_bandwidth_gbps": "the mistake: 1,555 GB/s is the 40 GB card's",
    }
    return exhibit_case(
        report,
        ExhibitAnswer("wrong_peak_bandwidth", "bandwidth_share", repaired, origin),
    )


def _step(row: Mapping[str, float], weight_bytes: int) -> Json:
    return {
        "batch": row["batch"],
        "step_ms": round(row["iteration_ms"], 2),
        "weights_gbps": round(weight_bytes / row["iteration_ms"] / 1e6, 1),
    }
