"""Pages of metrics as a recorded vLLM server would have published them, put together from its requests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from helpers import recorded
from helpers.recorded import RecordedRequest

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
RTX_4090 = "rtx4090-llama-3.1-8b"
PAGES: dict[str, float] = {"vllm_metrics_rtx4090.prom": 184.0, "vllm_metrics_rtx4090_at_60s.prom": 60.0}
MODEL_NAME = "meta-llama/Llama-3.1-8B"

_HEADER = """\
# Not scraped from a server: put together by this project out of the recorded
# requests and seconds of vLLM 0.19.0 on an RTX 4090 with Llama-3.1-8B
# (github.com/casys-kaist/LLMServingSim @5daddb2, bench/examples/, MIT), as that server's /metrics would have
# shown them {time_s:g} s after the first arrival. Names, labels and bucket bounds are those of
# vllm/v1/metrics/loggers.py (github.com/vllm-project/vllm), the same in every version read since
# vllm:request_time_per_output_token_seconds came in.
# As in vLLM, a TTFT is observed at the first token; what concerns a whole request, when it finishes.
# Times count from the entry into the queue. Not recorded, hence not here: the gap of every single token
# (vllm:inter_token_latency_seconds), preemptions, prefix-cache hits. How a request finished was not recorded
# either: every recorded server generated the same number of tokens for it, so it stands under length.
"""


def tpot_ms(request: RecordedRequest) -> float:
    """Milliseconds between two tokens of one request: what follows the first token, over its gaps."""
    return (request.e2e_s - request.ttft_s) / (request.output_tokens - 1) * 1e3


def ends_s(request: RecordedRequest) -> float:
    """Seconds from the first request's arrival to this one's last token."""
    return request.arrival_s + request.e2e_s


def page(time_s: float) -> str:
    """The metrics page of the RTX 4090 server, that many seconds after the first arrival."""
    server = recorded.server(RTX_4090)
    started = [r for r in server.requests if r.arrival_s + r.ttft_s <= time_s]
    finished = [r for r in server.requests if ends_s(r) <= time_s]
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
            (round(tpot_ms(r) / 1e3, 9) for r in finished),
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
