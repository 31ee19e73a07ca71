"""Reports on devices: whose clock was read, what was computed before it stopped, against which peak."""

from __future__ import annotations

from statistics import median

from course.lessons.benchmark.report_cases import CONSTRUCTED, Json, ReportCase
from helpers import models, recorded
from helpers.text import Phrase

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
        title=Phrase("矩阵乘达到了多少 TFLOP/s？", "How many TFLOP/s do the matrix products reach?"),
        notes=(
            Phrase(
                "一次调用 = 一次 prefill 里 28 层的全部 GEMM。每次调用前后各读一次 time.perf_counter()，"
                "mean_call_ms 是 50 次的"
                "平均。",
                "One call is every GEMM of the 28 layers in a prefill. time.perf_counter() was read before "
                "and after "
                "each call; mean_call_ms is the mean of the 50.",
            ),
            Phrase(
                "loop_total_ms 从第一次调用开始，到 50 份结果都能打印出来为止。每个形状先预热 10 次，不计入"
                "。",
                "loop_total_ms runs from the first call until all 50 results could be printed. Each shape "
                "was warmed "
                "up 10 times before; that is not counted.",
            ),
        ),
        claim=Phrase(
            "prefill 16,384 个 token 时达到 {claimed:,.0f} TFLOP/s（compute_tflops）。",
            "A prefill of 16,384 tokens reaches {claimed:,.0f} TFLOP/s (compute_tflops).",
        ),
        setup={"device": "H200 SXM", "model": "Qwen3-0.6B", "dtype": "bfloat16"},
        figures={"peak_compute_tflops": 989, "layers": 28},
        rows=rows,
        claimed={"compute_tflops": round(last["flops_per_call"] / last["mean_call_ms"] / 1e9, 1)},
        value=last["flops_per_call"] * last["calls"] / last["loop_total_ms"] / 1e9,
        source=Phrase(
            "loop_total_ms：H200 上逐个测得的 kernel 之和 × 50，github.com/ai-dynamo/aiconfigurator "
            "@095f58a。mean_call_ms 是构造"
            "的。",
            "loop_total_ms: kernels measured one by one on an H200, added up, × 50; "
            "github.com/ai-dynamo/aiconfigurator @095f58a. mean_call_ms is constructed.",
        ),
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
        title=Phrase("提交的 kernel 有多快？", "How fast is the submitted kernel?"),
        notes=(
            Phrase(
                "提交的代码和计时的代码在同一个 Python 进程里运行。event_total_ms 是这个进程用 CUDA event "
                "测得的总和。",
                "The submitted code and the code that times it run in one Python process. event_total_ms "
                "is the sum "
                "that this process measured with CUDA events.",
            ),
            Phrase(
                "process_s 是外面另一个进程看到的：从启动到退出；启动每次一样久。输出全部通过了核对。",
                "process_s is what another process saw from outside, from start to exit; starting up takes "
                "the same "
                "each time. All outputs passed the comparison.",
            ),
        ),
        claim=Phrase(
            "一次调用只要 {claimed:g} ms（call_ms）。",
            "One call takes no more than {claimed:g} ms (call_ms).",
        ),
        setup={"device": "H200 SXM", "operation": "[4096, 4096] @ [4096, 4096]", "dtype": "bfloat16"},
        figures={"flops_per_call": 2 * 4096**3, "peak_compute_tflops": 989},
        rows=rows,
        claimed={"call_ms": 0.0067},
        value=0.67,
        source=CONSTRUCTED,
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
        title=Phrase("分解一个 n × n 的矩阵要多久？", "How long does it take to factor an n × n matrix?"),
        notes=(
            Phrase(
                "call_ms：同步，计时，调用，再同步，停表。50 次的中位数。",
                "call_ms: synchronise, start the clock, call, synchronise again, stop. Median of 50.",
            ),
            Phrase(
                "停表以后，核对程序把每份输出读两遍，也记了时间：first_read_ms 与 second_read_ms。读一份算"
                "好的输出，两遍应当一"
                "样久。",
                "After the clock has stopped, the checking program reads each output twice and noted the "
                "times: "
                "first_read_ms and second_read_ms. An output that is there takes as long the second time "
                "as the "
                "first.",
            ),
        ),
        claim=Phrase(
            "n = 4,096 时，一次分解只要 {claimed:g} ms（factor_ms）。",
            "At n = 4,096 one factorisation takes no more than {claimed:g} ms (factor_ms).",
        ),
        setup={"device": "B200", "dtype": "float32"},
        figures={"calls": 50},
        rows=rows,
        claimed={"factor_ms": 0.021},
        value=0.021 + 3.418 - 0.058,
        relative=0.02,
        source=CONSTRUCTED,
        origin={"all": "constructed after gpu-mode/reference-kernels issue 162: placeholders returned"},
    )


def cached_answer() -> ReportCase:
    """A submission that keeps its answers by their input; the harness hands it one input again and again."""
    calls = [(11, 4.62), *((11, ms) for ms in (0.031, 0.030, 0.031, 0.032, 0.031, 0.030, 0.031, 0.031))]
    calls += [(12, 4.58), (13, 4.66), (14, 4.61), (15, 4.63)]
    rows = [{"call": place, "input_seed": seed, "call_ms": ms} for place, (seed, ms) in enumerate(calls, 1)]
    return ReportCase(
        fault="cached_answer",
        title=Phrase(
            "求一批矩阵的特征值要多久？", "How long do the eigenvalues of a batch of matrices take?"
        ),
        notes=(
            Phrase(
                "input_seed 相同，输入就相同。每次调用都同步后停表，输出都通过了核对。",
                "The same input_seed makes the same input. Each call was synchronised before the clock "
                "stopped; all "
                "outputs passed the comparison.",
            ),
            Phrase(
                "要预测的是线上：每一批矩阵都是新的。batch_ms 是 13 次 call_ms 的中位数。",
                "What is to be predicted is production, where each batch is new. batch_ms is the median of "
                "the 13 call_ms.",
            ),
        ),
        claim=Phrase("中位数 {claimed:g} ms（batch_ms）。", "The median is {claimed:g} ms (batch_ms)."),
        setup={"device": "B200", "dtype": "float32"},
        figures={"calls": 13, "warmup": 0},
        rows=rows,
        claimed={"batch_ms": round(median(row["call_ms"] for row in rows), 3)},
        value=4.62,
        relative=0.002,
        source=CONSTRUCTED,
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
        title=Phrase("一步 decode 用上了多少带宽？", "How much of the bandwidth does a decode step use?"),
        notes=(
            Phrase(
                "只算每步读一遍的权重，不算 KV：这是下界。bandwidth_share = batch 1 的 weights_gbps ÷ 峰值"
                "带宽。",
                "Only the weights, read once a step, are counted and no KV: a lower bound. bandwidth_share "
                "is "
                "weights_gbps at batch 1 over the peak bandwidth.",
            ),
            Phrase(
                "显存每个时钟传输两次；memory_clock_mhz 与 memory_bus_bits 由驱动报告。",
                "The memory transfers twice a clock; memory_clock_mhz and memory_bus_bits are what the "
                "driver reports.",
            ),
        ),
        claim=Phrase(
            "batch 1 时用上了峰值带宽的 {claimed:.1%}（bandwidth_share）。",
            "At batch 1 the step uses {claimed:.1%} of the peak bandwidth (bandwidth_share).",
        ),
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
        source=Phrase(
            "step_ms：github.com/huggingface/optimum-benchmark @c8bbe4e，A100-80GB。报告的文字是为这道题写"
            "的。",
            "step_ms: github.com/huggingface/optimum-benchmark @c8bbe4e, A100-80GB. The report around them "
            "was written "
            "for this exercise.",
        ),
        origin={"peak_bandwidth_gbps": "the mistake: 1,555 GB/s is the 40 GB card's; the bus gives 2,039"},
    )
