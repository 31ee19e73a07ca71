"""Shipped measurements from real hardware; README.md beside this file gives source and licence of each.

`server` reads a recorded vLLM run, `sweep` a table by batch or concurrency, `report` a batch x context
table in the schema of `helpers.results`. Each says whether it was measured end to end or composed from
kernels.

`exhibit` reads a benchmark report to take apart, `trace` a list of requests for goodput, `metrics_page` a
page in the Prometheus text format: each built from these measurements, and each says how.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from helpers import text
from helpers.recorded.cases import (
    FAULTS,
    STATUSES,
    Exhibit,
    Fault,
    Status,
    Trace,
    exhibit,
    exhibits,
    fault_name,
    metrics_page,
    metrics_pages,
    trace,
    traces,
)

if TYPE_CHECKING:
    from helpers.results import Report

__all__ = [
    "FAULTS",
    "STATUSES",
    "Exhibit",
    "Fault",
    "Kind",
    "RecordedRequest",
    "RecordedServer",
    "ServerState",
    "Status",
    "Sweep",
    "Trace",
    "exhibit",
    "exhibits",
    "fault_name",
    "metrics_page",
    "metrics_pages",
    "own",
    "own_results",
    "read_rows",
    "report",
    "reports",
    "server",
    "servers",
    "sweep",
    "sweeps",
    "trace",
    "traces",
]

Kind = Literal["measured end to end", "composed from kernels"]

_FOLDER = Path(__file__).parent


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
        return _mean([state.running for state in self.states_while_queued])

    @property
    def mean_tokens_per_s_while_queued(self) -> float:
        """Generated tokens per second, averaged over the seconds with a queue."""
        return _mean([state.generated_tokens_per_s for state in self.states_while_queued])

    @property
    def mean_kv_cache_percent_while_queued(self) -> float | None:
        """KV cache in use, percent, averaged over the seconds with a queue; None where not recorded."""
        if self.kv_tokens is None:
            return None
        return _mean([state.kv_cache_percent for state in self.states_while_queued])

    @property
    def mean_input_tokens(self) -> float:
        """Input tokens of a request, averaged over all requests."""
        return _mean([request.input_tokens for request in self.requests])

    @property
    def mean_output_tokens(self) -> float:
        """Output tokens of a request, averaged over all requests."""
        return _mean([request.output_tokens for request in self.requests])

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
    stem, model, device, device_count = _SERVERS[_known(name, servers())]
    meta = json.loads((_FOLDER / f"{stem}_meta.json").read_text(encoding="utf-8"))
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


@dataclass(frozen=True)
class Sweep:
    """One recorded table by batch or concurrency.

    Each row is a record as `select_operating_knee` takes it: batch, throughput (tokens per second, all
    requests together), iteration_ms (milliseconds between two tokens of one request), and what else the
    source gives.
    """

    name: str
    title: str
    model: str
    device: str
    device_count: int
    kind: Kind
    source: str
    licence: str
    rows: tuple[dict[str, float], ...]


def sweeps() -> tuple[str, ...]:
    """The names that `sweep` knows."""
    return tuple(_SWEEPS)


def sweep(name: str) -> Sweep:
    """The recorded table of that name; an unknown name raises ValueError."""
    return _SWEEPS[_known(name, sweeps())](name)


def _nim_sweep(name: str) -> Sweep:
    """batch is the concurrency: requests sent and not finished, running and waiting together."""
    return Sweep(
        name=name,
        title="NVIDIA NIM 1.8.0, Llama-3.3-70B fp8, 2 × H100",
        model="Llama-3.3-70B",
        device="H100",
        device_count=2,
        kind="measured end to end",
        source="NVIDIA NIM for LLMs benchmarking guide 1.0.0, page Performance",
        licence="figures quoted with their source",
        rows=tuple(
            {
                "batch": int(row["concurrency"]),
                "throughput": float(row["output_tokens_per_s"]),
                "iteration_ms": float(row["itl_ms"]),
                "ttft_ms": float(row["ttft_ms"]),
                "input_tokens": int(row["input_tokens"]),
                "output_tokens": int(row["output_tokens"]),
            }
            for row in read_rows("nim_llama33_70b_2xh100_fp8_concurrency.csv")
        ),
    )


def _optimum_sweep(name: str) -> Sweep:
    """A step is the decode's time through its 511 steps; a step gives one token to each request."""
    return Sweep(
        name=name,
        title="transformers eager, Llama-2-7B float16, A100-80GB",
        model="Llama-2-7B",
        device="A100",
        device_count=1,
        kind="measured end to end",
        source="github.com/huggingface/optimum-benchmark @c8bbe4e",
        licence="Apache-2.0",
        rows=tuple(_optimum_row(row) for row in read_rows("optimum_llama2_7b_a100_hf_eager.csv")),
    )


def _optimum_row(row: dict[str, str]) -> dict[str, float]:
    batch, decoded = int(row["batch"]), int(row["new_tokens"]) - 1
    step_s = float(row["decode_s"]) / decoded
    return {
        "batch": batch,
        "throughput": batch / step_s,
        "iteration_ms": step_s * 1e3,
        "prefill_ms": float(row["prefill_s"]) * 1e3,
        "input_tokens": int(row["prompt_tokens"]),
        "output_tokens": int(row["new_tokens"]),
    }


_SWEEPS = {
    "llama-3.3-70b-2xh100-fp8": _nim_sweep,
    "llama-2-7b-a100-eager": _optimum_sweep,
}


def reports() -> tuple[str, ...]:
    """The names that `report` knows."""
    from helpers.recorded.conversion import NAMES

    return NAMES


def report(name: str) -> Report:
    """The batch x context table of that name as a report; an unknown name raises ValueError.

    `provenance.kind` is "composed_from_kernels" for the Qwen3-0.6B tables, which nobody measured end to end,
    and "recorded_elsewhere" for Llama-2-7B, which others measured end to end. The figures are stated: no raw
    samples stand behind them.
    """
    from helpers.recorded import conversion

    return conversion.report(_known(name, reports()))


OWN = {
    "gemm": "gemm_queue.jsonl",
    "profile": "profile_cpu.json.gz",
    "smollm2-135m-cpu": "smollm2_135m_cpu.json",
    "qwen3-0.6b-random-cpu": "qwen3_0p6b_random_cpu.json",
    "launch-cpu": "launch_cpu.json",
}


def own(name: str) -> Path:
    """A result of this course's own programs on a two-core CPU; an unknown name raises ValueError."""
    return _FOLDER / "own" / OWN[_known(name, tuple(OWN))]


def own_results() -> list[str]:
    """The text of every own recording that is a result of `helpers.experiment`."""
    files = (path for path in (_FOLDER / "own").iterdir() if path.suffix == ".json")
    return [path.read_text(encoding="utf-8") for path in sorted(files)]


def read_rows(file_name: str) -> list[dict[str, str]]:
    """The rows of a shipped CSV file, as text."""
    with (_FOLDER / file_name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _known(name: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise ValueError(text.say("recorded.unknown", name=repr(name), known=", ".join(known)))
    return name


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
