"""What a simulated run leaves behind: each request's times, and the engine's load in each iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from helpers.serving.requests import Request
from helpers.tables import Table, table

State = Literal["waiting", "prefill", "decode"]


@dataclass(frozen=True)
class Stretch:
    """A stretch of a request's life, in milliseconds."""

    state: State
    start_ms: float
    end_ms: float


@dataclass(frozen=True)
class ServedRequest:
    """One request after the run; all times in milliseconds on the run's clock.

    spans: what it did, without gaps from its arrival to its last token; a preempted one waits once more.
    """

    request: Request
    started_ms: float
    first_token_ms: float
    finish_ms: float
    preemptions: int
    spans: tuple[Stretch, ...]

    @property
    def log(self) -> dict[str, float | int | str]:
        """The line that a server would log: times from which TTFT, TPOT and latency follow."""
        return {
            "id": self.request.name,
            "status": "completed",
            "arrival_ms": self.request.arrival_ms,
            "started_ms": self.started_ms,
            "first_token_ms": self.first_token_ms,
            "finish_ms": self.finish_ms,
            "prompt_tokens": self.request.prompt_tokens,
            "output_tokens": self.request.output_tokens,
            "preemptions": self.preemptions,
        }


class EngineLoad(NamedTuple):
    """One iteration: when, how long, and what the engine held; a tuple, since a run makes thousands."""

    index: int
    start_ms: float
    duration_ms: float
    running: int
    waiting: int
    used_blocks: int
    prefill_tokens: int
    decode_tokens: int
    preempted: int

    @property
    def end_ms(self) -> float:
        return self.start_ms + self.duration_ms


@dataclass(frozen=True)
class Run:
    """A whole simulated run, requests in the order of arrival."""

    requests: tuple[ServedRequest, ...]
    iterations: tuple[EngineLoad, ...]

    @property
    def logs(self) -> list[dict[str, float | int | str]]:
        """One log line a request."""
        return [served.log for served in self.requests]

    @property
    def end_ms(self) -> float:
        """When the last token came out."""
        return self.iterations[-1].end_ms

    @property
    def table(self) -> Table:
        """One row an iteration; for runs that one can read."""
        return table([_row(load) for load in self.iterations])


def _row(load: EngineLoad) -> dict[str, object]:
    return {
        "iteration": load.index,
        "start_ms": load.start_ms,
        "duration_ms": load.duration_ms,
        "running": load.running,
        "waiting": load.waiting,
        "prefill_tokens": load.prefill_tokens,
        "decode_tokens": load.decode_tokens,
        "used_blocks": load.used_blocks,
        "preempted": load.preempted,
    }
