"""Reports on servers: who sets the load, who is measured, which seconds count."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from course.lessons.benchmark.report_cases import VLLM_SOURCE, Json, ReportCase
from helpers import recorded, timing
from helpers.recorded import RecordedRequest
from helpers.text import Phrase

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
        title=Phrase("每秒 10 个请求，撑得住吗？", "Does it hold at 10 requests a second?"),
        notes=(
            Phrase(
                "压测程序设为每秒 10 个请求，同时在途的不超过 max_concurrency 个：满了就等一个答完，再发下"
                "一个。",
                "The load generator is set to 10 requests a second, with at most max_concurrency in "
                "flight: when "
                "that is reached it waits for one to be answered before it sends the next.",
            ),
            Phrase(
                "每个请求输入 5,000、输出 500 个 token。TTFT 从发出算起。各列都是稳态的平均值。",
                "Each request has 5,000 tokens in and 500 out. TTFT counts from sending. All columns are "
                "averages "
                "of the steady state.",
            ),
        ),
        claim=Phrase(
            "max_concurrency 为 100 时，服务承受的负载是每秒 {claimed:g} 个请求（load_requests_per_s），"
            "ITL 平均 93 ms。",
            "With a max_concurrency of 100, the service bears a load of {claimed:g} requests a second "
            "(load_requests_per_s) at a mean ITL of 93 ms.",
        ),
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
        source=Phrase(
            "表：NVIDIA NIM for LLMs benchmarking guide 1.0.0，Performance 一页（NIM 1.8.0）。"
            "request_rate_per_s 和报告的文字"
            "是构造的。",
            "Table: NVIDIA NIM for LLMs benchmarking guide 1.0.0, page Performance (NIM 1.8.0). "
            "request_rate_per_s "
            "and the report around the table are constructed.",
        ),
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
        title=Phrase(
            "128 个 slot 都在用时，吞吐是多少？", "What is the throughput with all 128 slots in use?"
        ),
        notes=(
            Phrase(
                "服务器刚启动就开始压测，每秒到达 10 个请求。running 至少为 120 的那些秒算稳态。",
                "The load of 10 requests a second starts with the server. A second is steady when at least "
                "120 "
                "requests run.",
            ),
            Phrase(
                "generated_tokens_per_s 对第 1 秒到第 49 秒取平均。",
                "generated_tokens_per_s was averaged over seconds 1 to 49.",
            ),
        ),
        claim=Phrase(
            "slot 用满的稳态下，吞吐是 {claimed:,.1f} token/s（output_tokens_per_s）。",
            "In the steady state, with its slots in use, the server generates {claimed:,.1f} tokens/s "
            "(output_tokens_per_s).",
        ),
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
        source=VLLM_SOURCE,
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
        title=Phrase("长上下文让服务器垮掉吗？", "Does the server break down with long contexts?"),
        notes=(
            Phrase(
                "同一台服务器，没有重启；own 是本报告的压测程序，other 是另一个团队的。两者的请求和并发相同"
                "。",
                "One server, not restarted in between; `own` is the load generator of this report, `other` "
                "is another "
                "team's. Both send the same requests at the same concurrency.",
            ),
            Phrase(
                "主张说的是服务器，数字取 client 为 own 的那一行。",
                "The claim is about the server; its figure is the row with client `own`.",
            ),
        ),
        claim=Phrase(
            "上下文到 50 千 token，服务器就垮了：只能生成 {claimed:g} token/s（server_tokens_per_s）。",
            "At a context of 50 thousand tokens the server breaks down: it generates no more than "
            "{claimed:g} "
            "tokens/s (server_tokens_per_s).",
        ),
        setup={"device": "8 × RTX 6000", "model": "MiniMax-M2.5", "server": "vLLM", "expert_parallel": 8},
        figures={"output_tokens": 256},
        rows=rows,
        claimed={"server_tokens_per_s": 44.0},
        value=486.0,
        source=Phrase(
            "数字引自 GitHub 上一个公开的讨论（2026 年 4 月）；报告的文字是为这道题写的。",
            "Figures quoted from a public thread on GitHub (April 2026); the report around them was "
            "written for "
            "this exercise.",
        ),
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
        title=Phrase("300 个请求跑完，吞吐是多少？", "What throughput do 300 requests come to?"),
        notes=_WHOLE_RUN,
        claim=Phrase(
            "全程平均 {claimed:,.1f} token/s（output_tokens_per_s）。",
            "{claimed:,.1f} tokens/s on average over the whole run (output_tokens_per_s).",
        ),
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
        source=VLLM_SOURCE,
        origin={"all": "recorded, every request and every second of the run"},
    )


_WHOLE_RUN = (
    Phrase(
        "吞吐 = 全部 output token ÷ 全程时间，从第一个请求到达，到最后一个请求完成；爬升和收尾都算在内。",
        "Throughput is all output tokens over the whole time, from the first arrival to the last token; "
        "ramp-up and "
        "drain are included.",
    ),
    Phrase(
        "分位数取第 ⌈q·n⌉ 小的样本，n = 300。时间从请求进入服务器的队列算起。",
        "A percentile is the ⌈q·n⌉-th smallest sample, n = 300. Times count from the entry into the server'"
        "s queue.",
    ),
    Phrase(
        "in_system 是每秒在跑与在排队的请求数，对全程取平均。",
        "in_system is the number of requests running or waiting, each second, averaged over the whole time.",
    ),
)


def _group(first: int, requests: Sequence[RecordedRequest]) -> Json:
    return {
        "requests": f"{first + 1}–{first + len(requests)}",
        "output_tokens": sum(request.output_tokens for request in requests),
        "mean_ttft_ms": round(fmean(request.ttft_s for request in requests) * 1e3, 1),
        "mean_e2e_s": round(fmean(request.e2e_s for request in requests), 2),
    }
