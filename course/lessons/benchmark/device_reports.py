"""Reports on devices: whose clock was read, what was computed before it stopped, against which peak."""

from __future__ import annotations

from statistics import median

from course.lessons.benchmark.report_cases import Json, ReportCase
from helpers import models, recorded

EAGER = "llama-2-7b-a100-eager"
LAYER_PARAMETERS = 15_728_640
LAUNCHES, LAUNCH_US = 112, 4.5


def no_wait() -> ReportCase:
    """GEMM times of a prefill, measured kernel by kernel; the script's stopwatch stops when the calls return.

    28 layers of four GEMMs (QKV, output, gate and up, down) are 112 launches of 4.5 µs each (constructed).
    """
    rows = [_loop(tokens) for tokens in (1024, 4096, 16_384)]
    last = rows[-1]
    return ReportCase(
        fault="no_synchronisation",
        setup={"device": "H200 SXM", "model": "Qwen3-0.6B", "dtype": "bfloat16"},
        figures={"peak_compute_tflops": 989, "layers": 28},
        rows=rows,
        claimed={"compute_tflops": round(last["flops_per_call"] / last["mean_call_ms"] / 1e9, 1)},
        value=last["flops_per_call"] * last["calls"] / last["loop_total_ms"] / 1e9,
        origin={
            "loop_total_ms": "50 × gemm_ms of aic_qwen3_0p6b_kernel_sums.csv, h200_sxm, prefill, batch 1",
            "flops_per_call": "2 × 28 layers × 15,728,640 parameters × tokens",
            "mean_call_ms": "constructed: 112 launches of 4.5 µs, the same for every shape",
        },
    )


def _loop(tokens: int) -> Json:
    gemm_ms = next(
        float(row["gemm_ms"])
        for row in recorded.read_rows("aic_qwen3_0p6b_kernel_sums.csv")
        if (row["system"], row["phase"], row["batch"]) == ("h200_sxm", "prefill", "1")
        and int(row["context"]) == tokens
    )
    return {
        "tokens": tokens,
        "flops_per_call": 2 * 28 * LAYER_PARAMETERS * tokens,
        "calls": 50,
        "mean_call_ms": round(LAUNCHES * LAUNCH_US / 1e3, 3),
        "loop_total_ms": round(50 * gemm_ms, 1),
    }


def patched_timer() -> ReportCase:
    """A submission that makes events report a hundredth; how long its process takes it cannot change."""
    rows = [
        {
            "calls": calls,
            "event_total_ms": round(calls * 0.0067, 2),
            "process_s": round(2.1 + calls * 0.67e-3, 3),
        }
        for calls in (200, 400, 800)
    ]
    return ReportCase(
        fault="timer_patched",
        setup={"device": "H200 SXM", "operation": "[4096, 4096] @ [4096, 4096]", "dtype": "bfloat16"},
        figures={"flops_per_call": 2 * 4096**3, "peak_compute_tflops": 989},
        rows=rows,
        claimed={"call_ms": 0.0067},
        value=0.67,
        origin={"all": "constructed after gpu-mode/reference-kernels issue 162: 1/100 of the time reported"},
    )


def lazy_output() -> ReportCase:
    """A submission that returns an object which computes when first read, after the clock has stopped."""
    measured = ((1024, 0.020, 0.142, 0.010), (2048, 0.021, 0.801, 0.034), (4096, 0.021, 3.418, 0.058))
    rows = [
        {"n": n, "call_ms": call, "first_read_ms": first, "second_read_ms": second}
        for n, call, first, second in measured
    ]
    return ReportCase(
        fault="lazy_output",
        setup={"device": "B200", "dtype": "float32"},
        figures={"calls": 50},
        rows=rows,
        claimed={"factor_ms": 0.021},
        value=0.021 + 3.418 - 0.058,
        relative=0.02,
        origin={"all": "constructed after gpu-mode/reference-kernels issue 162: placeholders returned"},
    )


def cached_answer() -> ReportCase:
    """A submission that keeps its answers by their input; the harness hands it one input again and again."""
    calls = [(11, 4.62), *((11, ms) for ms in (0.031, 0.030, 0.031, 0.032, 0.031, 0.030, 0.031, 0.031))]
    calls += [(12, 4.58), (13, 4.66), (14, 4.61), (15, 4.63)]
    rows = [{"call": place, "input_seed": seed, "call_ms": ms} for place, (seed, ms) in enumerate(calls, 1)]
    return ReportCase(
        fault="cached_answer",
        setup={"device": "B200", "dtype": "float32"},
        figures={"calls": 13, "warmup": 0},
        rows=rows,
        claimed={"batch_ms": round(median(row["call_ms"] for row in rows), 3)},
        value=4.62,
        relative=0.002,
        origin={
            "all": "constructed after gpu-mode/reference-kernels issue 162 and kernelbot pull request 501"
        },
    )


def wrong_peak() -> ReportCase:
    """Measured decode steps of an 80 GB A100, divided by the 40 GB card's bandwidth."""
    model = models.get("Llama-2-7B")
    rows = [
        {
            "batch": row["batch"],
            "step_ms": row["iteration_ms"],
            "weights_gbps": round(model.weight_bytes / row["iteration_ms"] / 1e6, 2),
        }
        for row in recorded.sweep(EAGER).rows[:4]
    ]
    return ReportCase(
        fault="wrong_peak_bandwidth",
        setup={
            "device": "A100-SXM4-80GB",
            "model": "Llama-2-7B",
            "dtype": "float16",
            "runtime": "transformers, eager",
            "memory_clock_mhz": 1593,
            "memory_bus_bits": 5120,
        },
        figures={"weight_bytes": model.weight_bytes, "peak_bandwidth_gbps": 1555},
        rows=rows,
        claimed={"bandwidth_share": round(rows[0]["weights_gbps"] / 1555, 4)},
        value=rows[0]["weights_gbps"] / (5120 / 8 * 2 * 1593e6 / 1e9),
        origin={"peak_bandwidth_gbps": "the mistake: 1,555 GB/s is the 40 GB card's; the bus gives 2,039"},
    )
