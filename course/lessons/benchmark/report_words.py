"""What the reports to take apart say, in both languages; `{claimed}` marks a report's number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from helpers.text import Phrase

VLLM_SOURCE = Phrase(
    "时间：github.com/casys-kaist/LLMServingSim @5daddb2（bench/examples/）记录的 vLLM 0.19.0"
    "。报告的文字是为这道题写的。",
    "Times: vLLM 0.19.0 as recorded by github.com/casys-kaist/LLMServingSim @5daddb2, "
    "bench/examples/. The report around them was written for this exercise.",
)
CONSTRUCTED = Phrase(
    "数字是照着一个公开的例子构造的，没有人测过。",
    "The figures are constructed after a public case; nobody measured them.",
)


@dataclass(frozen=True)
class ReportWords:
    """The sentences of a report, and where its figures are from."""

    title: Phrase
    notes: tuple[Phrase, ...]
    claim: Phrase
    source: Phrase


WORDS: Mapping[str, ReportWords] = {
    "closed_loop": ReportWords(
        title=Phrase(
            "每秒 10 个请求，撑得住吗？",
            "Does it hold at 10 requests a second?",
        ),
        notes=(
            Phrase(
                "压测程序设为每秒 10 个请求，同时在途的不超过 max_concurrency 个：满了就等一个答完，再发"
                "下一个。",
                "The load generator is set to 10 requests a second, with at most max_concurrency in "
                "flight: when that is reached it waits for one to be answered before it sends the next.",
            ),
            Phrase(
                "每个请求输入 5,000、输出 500 个 token。TTFT 从发出算起。各列都是稳态的平均值。",
                "Each request has 5,000 tokens in and 500 out. TTFT counts from sending. All columns are "
                "averages of the steady state.",
            ),
        ),
        claim=Phrase(
            "max_concurrency 为 100 时，服务承受的负载是每秒 {claimed:g} 个请求（load_requests_per_s"
            "），ITL 平均 93 ms。",
            "With a max_concurrency of 100, the service bears a load of {claimed:g} requests a "
            "second (load_requests_per_s) at a mean ITL of 93 ms.",
        ),
        source=Phrase(
            "表：NVIDIA NIM for LLMs benchmarking guide 1.0.0，Performance 一页（NIM 1.8.0）。"
            "request_rate_per_s 和报告的文字是构造的。",
            "Table: NVIDIA NIM for LLMs benchmarking guide 1.0.0, page Performance (NIM 1.8.0). "
            "request_rate_per_s and the report around the table are constructed.",
        ),
    ),
    "warmup_in_window": ReportWords(
        title=Phrase(
            "128 个 slot 都在用时，吞吐是多少？",
            "What is the throughput with all 128 slots in use?",
        ),
        notes=(
            Phrase(
                "服务器刚启动就开始压测，每秒到达 10 个请求。running 至少为 120 的那些秒算稳态。",
                "The load of 10 requests a second starts with the server. A second is steady when at "
                "least 120 requests run.",
            ),
            Phrase(
                "generated_tokens_per_s 对第 1 秒到第 49 秒取平均。",
                "generated_tokens_per_s was averaged over seconds 1 to 49.",
            ),
        ),
        claim=Phrase(
            "slot 用满的稳态下，吞吐是 {claimed:,.1f} token/s（output_tokens_per_s）。",
            "In the steady state, with its slots in use, the server generates {claimed:,.1f} "
            "tokens/s (output_tokens_per_s).",
        ),
        source=VLLM_SOURCE,
    ),
    "client_bottleneck": ReportWords(
        title=Phrase(
            "长上下文让服务器垮掉吗？",
            "Does the server break down with long contexts?",
        ),
        notes=(
            Phrase(
                "同一台服务器，没有重启；own 是本报告的压测程序，other 是另一个团队的。两者的请求和并发相"
                "同。",
                "One server, not restarted in between; `own` is the load generator of this report, `other"
                "` is another team's. Both send the same requests at the same concurrency.",
            ),
            Phrase(
                "主张说的是服务器，数字取 client 为 own 的那一行。",
                "The claim is about the server; its figure is the row with client `own`.",
            ),
        ),
        claim=Phrase(
            "上下文到 50 千 token，服务器就垮了：只能生成 {claimed:g} token/s（server_tokens_per_s）。",
            "At a context of 50 thousand tokens the server breaks down: it generates no more than "
            "{claimed:g} tokens/s (server_tokens_per_s).",
        ),
        source=Phrase(
            "数字引自 GitHub 上一个公开的讨论（2026 年春）；报告的文字是为这道题写的。",
            "Figures quoted from a public thread on GitHub (spring 2026); the report around them was "
            "written for this exercise.",
        ),
    ),
    "nothing_wrong": ReportWords(
        title=Phrase(
            "300 个请求跑完，吞吐是多少？",
            "What throughput do 300 requests come to?",
        ),
        notes=(
            Phrase(
                "吞吐 = 全部 output token ÷ 全程时间，从第一个请求到达，到最后一个请求完成；爬升和收尾都"
                "算在内。",
                "Throughput is all output tokens over the whole time, from the first arrival to the last "
                "token; ramp-up and drain are included.",
            ),
            Phrase(
                "分位数取第 ⌈q·n⌉ 小的样本，n = 300。时间从请求进入服务器的队列算起。",
                "A percentile is the ⌈q·n⌉-th smallest sample, n = 300. Times count from the entry into "
                "the server's queue.",
            ),
            Phrase(
                "in_system 是每秒在跑与在排队的请求数，对全程取平均。",
                "in_system is the number of requests running or waiting, each second, averaged over the "
                "whole time.",
            ),
        ),
        claim=Phrase(
            "全程平均 {claimed:,.1f} token/s（output_tokens_per_s）。",
            "{claimed:,.1f} tokens/s on average over the whole run (output_tokens_per_s).",
        ),
        source=VLLM_SOURCE,
    ),
    "no_synchronisation": ReportWords(
        title=Phrase(
            "矩阵乘达到了多少 TFLOP/s？",
            "How many TFLOP/s do the matrix products reach?",
        ),
        notes=(
            Phrase(
                "一次调用 = 一次 prefill 里 28 层的全部 GEMM。每次调用前后各读一次 time.perf_counter()，"
                "mean_call_ms 是 50 次的平均。",
                "One call is every GEMM of the 28 layers in a prefill. time.perf_counter() was read "
                "before and after each call; mean_call_ms is the mean of the 50.",
            ),
            Phrase(
                "loop_total_ms 从第一次调用开始，到 50 份结果都能打印出来为止。每个形状先预热 10 次，不计"
                "入。",
                "loop_total_ms runs from the first call until all 50 results could be printed. Each "
                "shape was warmed up 10 times before; that is not counted.",
            ),
        ),
        claim=Phrase(
            "prefill 16,384 个 token 时达到 {claimed:,.0f} TFLOP/s（compute_tflops）。",
            "A prefill of 16,384 tokens reaches {claimed:,.0f} TFLOP/s (compute_tflops).",
        ),
        source=Phrase(
            "loop_total_ms：H200 上逐个测得的 kernel 之和 × 50，github.com/ai-dynamo/aiconfigurator "
            "@095f58a。mean_call_ms 是构造的。",
            "loop_total_ms: kernels measured one by one on an H200, added up, × 50; "
            "github.com/ai-dynamo/aiconfigurator @095f58a. mean_call_ms is constructed.",
        ),
    ),
    "timer_patched": ReportWords(
        title=Phrase(
            "提交的 kernel 有多快？",
            "How fast is the submitted kernel?",
        ),
        notes=(
            Phrase(
                "提交的代码和计时的代码在同一个 Python 进程里运行。event_total_ms 是这个进程用 CUDA "
                "event 测得的总和。",
                "The submitted code and the code that times it run in one Python process. event_total_ms "
                "is the sum that this process measured with CUDA events.",
            ),
            Phrase(
                "process_s 是外面另一个进程看到的：从启动到退出；启动每次一样久。输出全部通过了核对。",
                "process_s is what another process saw from outside, from start to exit; starting up "
                "takes the same each time. All outputs passed the comparison.",
            ),
        ),
        claim=Phrase(
            "一次调用只要 {claimed:g} ms（call_ms）。",
            "One call takes no more than {claimed:g} ms (call_ms).",
        ),
        source=CONSTRUCTED,
    ),
    "lazy_output": ReportWords(
        title=Phrase(
            "分解一个 n × n 的矩阵要多久？",
            "How long does it take to factor an n × n matrix?",
        ),
        notes=(
            Phrase(
                "call_ms：同步，计时，调用，再同步，停表。50 次的中位数。",
                "call_ms: synchronise, start the clock, call, synchronise again, stop. Median of 50.",
            ),
            Phrase(
                "停表以后，核对程序把每份输出读两遍，也记了时间：first_read_ms 与 second_read_ms。读一份"
                "算好的输出，两遍应当一样久。",
                "After the clock has stopped, the checking program reads each output twice and noted the "
                "times: first_read_ms and second_read_ms. An output that is there takes as long the "
                "second time as the first.",
            ),
        ),
        claim=Phrase(
            "n = 4,096 时，一次分解只要 {claimed:g} ms（factor_ms）。",
            "At n = 4,096 one factorisation takes no more than {claimed:g} ms (factor_ms).",
        ),
        source=CONSTRUCTED,
    ),
    "cached_answer": ReportWords(
        title=Phrase(
            "求一批矩阵的特征值要多久？",
            "How long do the eigenvalues of a batch of matrices take?",
        ),
        notes=(
            Phrase(
                "input_seed 相同，输入就相同。每次调用都同步后停表，输出都通过了核对。",
                "The same input_seed makes the same input. Each call was synchronised before the clock "
                "stopped; all outputs passed the comparison.",
            ),
            Phrase(
                "要预测的是线上：每一批矩阵都是新的。batch_ms 是 13 次 call_ms 的中位数。",
                "What is to be predicted is production, where each batch is new. batch_ms is the median "
                "of the 13 call_ms.",
            ),
        ),
        claim=Phrase(
            "中位数 {claimed:g} ms（batch_ms）。",
            "The median is {claimed:g} ms (batch_ms).",
        ),
        source=CONSTRUCTED,
    ),
    "wrong_peak_bandwidth": ReportWords(
        title=Phrase(
            "一步 decode 用上了多少带宽？",
            "How much of the bandwidth does a decode step use?",
        ),
        notes=(
            Phrase(
                "只算每步读一遍的权重，不算 KV：这是下界。bandwidth_share = batch 1 的 weights_gbps ÷ 峰"
                "值带宽。",
                "Only the weights, read once a step, are counted and no KV: a lower bound. "
                "bandwidth_share is weights_gbps at batch 1 over the peak bandwidth.",
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
        source=Phrase(
            "step_ms：github.com/huggingface/optimum-benchmark @c8bbe4e，A100-80GB。报告的文字是为这"
            "道题写的。",
            "step_ms: github.com/huggingface/optimum-benchmark @c8bbe4e, A100-80GB. The report "
            "around them was written for this exercise.",
        ),
    ),
}
