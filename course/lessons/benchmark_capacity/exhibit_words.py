"""What the benchmark reports of lesson 2 say, in both languages; the figures come from the builders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from helpers.text import Phrase


@dataclass(frozen=True)
class ExhibitWords:
    """The sentences of a report; `{claimed}` marks its number."""

    title: Phrase
    notes: tuple[Phrase, ...]
    claim: Phrase


WORDS: Mapping[str, ExhibitWords] = {
    "first_token_in_itl": ExhibitWords(
        title=Phrase("流式输出有多快？", "How fast does the text stream?"),
        notes=(
            Phrase(
                "每个请求先求相邻两个 token 的平均间隔（mean_gap_ms），再对 12 个请求取平均，得到 itl_ms。",
                "For each request the gaps between neighbouring tokens were averaged (mean_gap_ms); itl_ms "
                "is the mean over the 12 requests.",
            ),
            Phrase(
                "TTFT 从请求到达服务器算起，含排队。这 12 个请求在一次 300 个请求的压测里前后相邻。",
                "TTFT counts from the request's arrival, queue included. The 12 follow each other in a run "
                "of 300 requests.",
            ),
        ),
        claim=Phrase("ITL 平均 {claimed:.2f} ms。", "The mean ITL is {claimed:.2f} ms."),
    ),
    "gb_for_gib": ExhibitWords(
        title=Phrase(
            "这块卡放得下多少 token 的 KV？",
            "How many tokens of KV does this card hold?",
        ),
        notes=(
            Phrase(
                "上界：只减去权重，没有减去激活、CUDA graph 和 context。",
                "An upper limit: only the weights are subtracted, neither activations nor CUDA graphs nor "
                "the context.",
            ),
            Phrase(
                "device_memory_bytes 是设备自己报告的总量；usable_gib 是其中 90%。",
                "device_memory_bytes is the total that the device itself reports; usable_gib is 90 % of it.",
            ),
        ),
        claim=Phrase(
            "这块卡最多放得下 {claimed:,} 个 token 的 KV。",
            "The card holds at most {claimed:,} tokens of KV.",
        ),
    ),
    "honest": ExhibitWords(
        title=Phrase("300 个请求跑完要多久？", "How long do 300 requests take?"),
        notes=(
            Phrase(
                "吞吐 = 全部 output token ÷ 全程时间，从第一个请求到达，到最后一个请求完成；爬升和收尾都算在"
                "内。",
                "Throughput is all output tokens over the whole time, from the first arrival to the last "
                "token; ramp-up and drain are included.",
            ),
            Phrase(
                "分位数取第 ⌈q·n⌉ 小的样本，n = 300。时间从请求进入服务器的队列算起。",
                "A percentile is the ⌈q·n⌉-th smallest sample, n = 300. Times count from the entry into the "
                "server's queue.",
            ),
            Phrase(
                "in_system 是每秒在跑与在排队的请求数，对全程取平均。",
                "in_system is the number of requests running or waiting, each second, averaged over the "
                "whole time.",
            ),
        ),
        claim=Phrase(
            "全程平均 {claimed:,.1f} token/s。",
            "{claimed:,.1f} tokens/s on average over the whole run.",
        ),
    ),
    "no_synchronisation": ExhibitWords(
        title=Phrase(
            "矩阵乘达到了多少 TFLOP/s？",
            "How many TFLOP/s do the matrix products reach?",
        ),
        notes=(
            Phrase(
                "一次调用 = 一次 prefill 里 28 层的全部 GEMM。每次调用前后各读一次 time.perf_counter()，"
                "mean_call_ms 是 50 次的平均。",
                "One call is every GEMM of the 28 layers in a prefill. time.perf_counter() was read before "
                "and after each call; mean_call_ms is the mean of the 50.",
            ),
            Phrase(
                "loop_total_ms 从第一次调用开始，到 50 份结果都能打印出来为止。",
                "loop_total_ms runs from the first call until all 50 results could be printed.",
            ),
            Phrase(
                "每个形状先预热 10 次，不计入。",
                "Each shape was warmed up 10 times before; that is not counted.",
            ),
        ),
        claim=Phrase(
            "prefill 16,384 个 token 时达到 {claimed:,.0f} TFLOP/s。",
            "A prefill of 16,384 tokens reaches {claimed:,.0f} TFLOP/s.",
        ),
    ),
    "failed_requests_dropped": ExhibitWords(
        title=Phrase(
            "多少请求按时得到了第一个 token？",
            "How many requests get their first token in time?",
        ),
        notes=(
            Phrase(
                "TTFT 目标 30 s。客户端等第一个 token 最多等 60 s，然后取消；网关在 75 s 时切断还没生成完的"
                "请求。",
                "The TTFT target is 30 s. Clients wait 60 s for the first token and then cancel; the "
                "gateway cuts requests that are not finished after 75 s.",
            ),
            Phrase(
                "share_served 是用户发出的请求里，TTFT 达标并且完成了的比例。",
                "share_served is the share of the users' requests that completed with a TTFT within the "
                "target.",
            ),
        ),
        claim=Phrase(
            "{claimed:.1%} 的请求按时得到服务（share_served）。",
            "{claimed:.1%} of the requests were served in time (share_served).",
        ),
    ),
    "littles_law": ExhibitWords(
        title=Phrase("并发加到多少还划算？", "Up to which concurrency does it pay?"),
        notes=(
            Phrase(
                "每一档始终保持 concurrency 个请求在系统里：一个完成，立刻补上一个。每个请求输入 5,000、输出"
                " 500 个 token；各列都是稳态的平均值。",
                "Each row keeps `concurrency` requests in the system: one finishes, the next is sent. Every "
                "request has 5,000 tokens in and 500 out; all columns are averages of the steady state.",
            ),
            Phrase(
                "一个请求的时间 = TTFT + 499 × ITL。output_tokens_per_s 是并发 100 那一档的。",
                "A request takes TTFT + 499 × ITL. output_tokens_per_s is that of concurrency 100.",
            ),
        ),
        claim=Phrase(
            "并发 100 时达到 {claimed:,.0f} token/s，再往上反而下降。",
            "Concurrency 100 reaches {claimed:,.0f} tokens/s; beyond, throughput falls again.",
        ),
    ),
    "wrong_peak_bandwidth": ExhibitWords(
        title=Phrase(
            "一步 decode 用上了多少带宽？",
            "How much of the bandwidth does a decode step use?",
        ),
        notes=(
            Phrase(
                "只算每步读一遍的权重，不算 KV：这是下界。bandwidth_share = batch 1 的 weights_gbps ÷ 峰值带"
                "宽。",
                "Only the weights, read once a step, are counted and no KV: a lower bound. bandwidth_share "
                "is weights_gbps at batch 1 over the peak bandwidth.",
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
    ),
    "warmup_inside_window": ExhibitWords(
        title=Phrase(
            "128 个 slot 都在用时，吞吐是多少？",
            "What is the throughput with all 128 slots in use?",
        ),
        notes=(
            Phrase(
                "服务器刚启动就开始压测，每秒到达 10 个请求。running 至少为 120 的那些秒算稳态。",
                "The load of 10 requests a second starts with the server. A second is steady when at least "
                "120 requests run.",
            ),
            Phrase(
                "generated_tokens_per_s 对第 1 秒到第 49 秒取平均。",
                "generated_tokens_per_s was averaged over seconds 1 to 49.",
            ),
        ),
        claim=Phrase(
            "slot 用满的稳态下，吞吐是 {claimed:,.1f} token/s。",
            "In the steady state, with its slots in use, the server generates {claimed:,.1f} tokens/s.",
        ),
    ),
    "prefix_cache_hit": ExhibitWords(
        title=Phrase("第一个 token 要等多久？", "How long is the wait for the first token?"),
        notes=(
            Phrase(
                "目的：预测上线后的 TTFT。线上的每个提示词都是新的。",
                "The purpose is to predict TTFT in production, where every prompt is new.",
            ),
            Phrase(
                "10 个提示词各发 2 次，一共 20 个请求，没有排队；ttft_ms 取平均。服务器用默认设置。",
                "10 prompts were sent 2 times each, 20 requests without a queue; ttft_ms is their mean. The "
                "server ran with its default settings.",
            ),
        ),
        claim=Phrase("TTFT 平均 {claimed:.2f} ms。", "The mean TTFT is {claimed:.2f} ms."),
    ),
}
