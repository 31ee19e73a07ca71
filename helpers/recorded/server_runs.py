"""Recorded runs of real servers: settings, requests, and the state in each second."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import fmean

from helpers.recorded.files import FOLDER, Kind, known_name, read_rows


@dataclass(frozen=True)
class RecordedRequest:
    """One request of a recorded run; times in seconds, counted from its entry into the server's queue."""

    request_id: str
    input_tokens: int
    output_tokens: int
    arrival_s: float
    queue_s: float
    ttft_s: float
    e2e_s: float

    @property
    def running_s(self) -> float:
        """Seconds from leaving the queue to the last token.

        A request that the server stopped to free its KV and took up again later (preemption) counts
        throughout.
        """
        return self.e2e_s - self.queue_s

    @property
    def mean_context_tokens(self) -> float:
        """Context while it ran, on average: the input and half of the output."""
        return self.input_tokens + self.output_tokens / 2


@dataclass(frozen=True)
class ServerState:
    """What the server reported for one second; kv_cache_percent is None where it was not recorded."""

    time_s: float
    prompt_tokens_per_s: float
    generated_tokens_per_s: float
    running: int
    waiting: int
    kv_cache_percent: float | None


@dataclass(frozen=True)
class RecordedServer:
    """One recorded run of a real server: its settings, its requests, its state each second."""

    name: str
    title: str
    model: str
    device: str
    device_count: int
    max_num_seqs: int
    max_num_batched_tokens: int
    kv_tokens: int | None
    device_memory_bytes: int | None
    requests: tuple[RecordedRequest, ...]
    timeseries: tuple[ServerState, ...]
    source: str
    licence: str
    kind: Kind = "measured end to end"

    @property
    def states_while_queued(self) -> tuple[ServerState, ...]:
        """The seconds in which a request waited: only then a limit, not the demand, sets the batch."""
        return tuple(state for state in self.timeseries if state.waiting > 0)

    @property
    def mean_running_while_queued(self) -> float:
        """Requests running, averaged over the seconds with a queue."""
        return fmean(state.running for state in self.states_while_queued)

    @property
    def mean_context_tokens(self) -> float:
        """Context of a running request: input plus half of the output, each weighted by the seconds it ran.

        A request that runs twice as long is met twice as often in the batch. It runs from leaving the queue
        to its last token (`e2e_s` minus `queue_s`).
        """
        weighted = sum(request.mean_context_tokens * request.running_s for request in self.requests)
        return weighted / sum(request.running_s for request in self.requests)


_SERVERS = {
    "rtx4090-llama-3.1-8b": ("vllm_rtx4090_llama-3.1-8b", "Llama-3.1-8B", "RTX 4090", 1),
    "rtxpro6000-llama-3.1-8b": ("vllm_rtxpro6000_llama-3.1-8b", "Llama-3.1-8B", "RTX PRO 6000", 1),
    "rtxpro6000x2-qwen3-32b": ("vllm_rtxpro6000x2_qwen3-32b", "Qwen3-32B", "RTX PRO 6000", 2),
}


def servers() -> tuple[str, ...]:
    """The names that `server` knows."""
    return tuple(_SERVERS)


def server(name: str) -> RecordedServer:
    """The recorded vLLM run of that name; an unknown name raises ValueError."""
    stem, model, device, device_count = _SERVERS[known_name(name, servers())]
    meta = json.loads((FOLDER / f"{stem}_meta.json").read_text(encoding="utf-8"))
    engine, kv_tokens = meta["engine_kwargs"], meta.get("kv_cache", {}).get("num_kv_tokens")
    devices = device if device_count == 1 else f"{device_count} × {device}"
    return RecordedServer(
        name=name,
        title=f"vLLM {meta['vllm_version']}, {model}, {devices}",
        model=model,
        device=device,
        device_count=device_count,
        max_num_seqs=engine["max_num_seqs"],
        max_num_batched_tokens=engine["max_num_batched_tokens"],
        kv_tokens=kv_tokens,
        device_memory_bytes=meta.get("hardware", {}).get("device_total_memory_bytes"),
        requests=tuple(_request(row) for row in read_rows(f"{stem}_requests.csv")),
        timeseries=tuple(_state(row, kv_tokens is not None) for row in read_rows(f"{stem}_timeseries.csv")),
        source="github.com/casys-kaist/LLMServingSim @5daddb2, bench/examples/",
        licence="MIT",
    )


def _request(row: dict[str, str]) -> RecordedRequest:
    return RecordedRequest(
        request_id=row["request_id"],
        input_tokens=int(row["input_tokens"]),
        output_tokens=int(row["output_tokens"]),
        arrival_s=float(row["arrival_s"]),
        queue_s=float(row["queue_s"]),
        ttft_s=float(row["ttft_s"]),
        e2e_s=float(row["e2e_s"]),
    )


def _state(row: dict[str, str], kv_recorded: bool) -> ServerState:
    return ServerState(
        time_s=float(row["t"]),
        prompt_tokens_per_s=float(row["prompt_throughput"]),
        generated_tokens_per_s=float(row["gen_throughput"]),
        running=int(row["running"]),
        waiting=int(row["waiting"]),
        kv_cache_percent=float(row["kv_cache_pct"]) if kv_recorded else None,
    )
