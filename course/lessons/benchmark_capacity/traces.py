"""Lists of recorded requests for goodput: one server's first and second half minute, and impatient clients.

Nothing here was measured by this project: times and lengths are recorded, and where a status was derived, the
rule stands beside the list.
"""

from __future__ import annotations

from typing import Any

from helpers import recorded
from helpers.recorded import RecordedRequest

RTX_4090 = "rtx4090-llama-3.1-8b"
RTX_PRO_6000 = "rtxpro6000-llama-3.1-8b"
VLLM_SOURCE = "Times: vLLM 0.19.0 as recorded by github.com/casys-kaist/LLMServingSim @5daddb2, bench/examples/"
PATIENCE_S, GATEWAY_S = 60.0, 75.0

Json = dict[str, Any]


def tpot_ms(request: RecordedRequest) -> float:
    """Milliseconds between two tokens of one request: what follows the first token, over its gaps."""
    return (request.e2e_s - request.ttft_s) / (request.output_tokens - 1) * 1e3


def ends_s(request: RecordedRequest) -> float:
    """Seconds from the first request's arrival to this one's last token."""
    return request.arrival_s + request.e2e_s


def status(request: RecordedRequest) -> recorded.Status:
    """What a client with 60 s of patience behind a gateway with a timeout of 75 s would have met."""
    if request.ttft_s > PATIENCE_S:
        return "cancelled"
    return "failed" if request.e2e_s > GATEWAY_S else "completed"


def _both(zh: str, en: str) -> Json:
    return {"zh": zh, "en": en}


def all_traces() -> dict[str, Json]:
    """The request lists: one server's first and second half minute, and one met by impatient clients."""
    early, late = (_finished_between(start_s, start_s + 30) for start_s in (0, 30))
    patient = [_as_met(request) for request in recorded.server(RTX_4090).requests]
    return {
        "rtxpro6000-first-30s": _trace(
            _both(
                "RTX PRO 6000，第 0–30 秒完成的请求",
                "RTX PRO 6000, requests finished in seconds 0 to 30",
            ),
            _FINISHED,
            30.0,
            early,
        ),
        "rtxpro6000-next-30s": _trace(
            _both(
                "RTX PRO 6000，第 30–60 秒完成的请求",
                "RTX PRO 6000, requests finished in seconds 30 to 60",
            ),
            _FINISHED,
            30.0,
            late,
        ),
        "rtx4090-impatient-clients": _trace(
            _both(
                "RTX 4090，客户端等 60 秒就走",
                "RTX 4090, clients leave after 60 seconds",
            ),
            _both(
                "记录里 300 个请求都完成了。这里按规则改写：TTFT 超过 60 s 的算客户端取消（cancelled），其"
                "余总时间超过 75 s 的算网关"
                "切断（failed）。取消本会让队列变短，这一点没有模拟。",
                "In the record all 300 completed. Here, by rule: a TTFT above 60 s counts as cancelled by "
                "the client; of the rest, more than 75 s in all as cut by the gateway (failed). That "
                "cancelling would have shortened the queue is not simulated.",
            ),
            round(max(map(ends_s, recorded.server(RTX_4090).requests)), 3),
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
    return [
        _entry(request, "completed")
        for request in requests
        if start_s <= ends_s(request) < end_s
    ]


def _entry(request: RecordedRequest, outcome: recorded.Status) -> Json:
    return {
        "request_id": request.request_id,
        "arrival_s": request.arrival_s,
        "status": outcome,
        "input_tokens": request.input_tokens,
        "output_tokens": request.output_tokens,
        "ttft_ms": round(request.ttft_s * 1e3, 3),
        "e2e_s": request.e2e_s,
    }


def _as_met(request: RecordedRequest) -> Json:
    """The request as an impatient client met it: what never came is None, tokens are those that came."""
    met = status(request)
    entry = _entry(request, met)
    if met == "cancelled":
        return entry | {"output_tokens": 0, "ttft_ms": None, "e2e_s": None}
    if met == "failed":
        tokens = 1 + int((GATEWAY_S - request.ttft_s) * 1e3 / tpot_ms(request))
        return entry | {"output_tokens": tokens, "e2e_s": None}
    return entry
