"""What a trace says, as data: the traced work, its ranges, the time by operator, the spans of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from helpers.tables import Table, table
from helpers.text import say

RangeName = Literal["request", "prefill", "decode_step"]
RANGES: tuple[RangeName, ...] = get_args(RangeName)


@dataclass(frozen=True)
class TracedWorkload:
    """What runs under the profiler: one prefill, then decode steps, for every sequence of the batch."""

    batch: int = 2
    context_tokens: int = 64
    decode_steps: int = 4
    seed: int = 181

    def __post_init__(self) -> None:
        for name, low in (("batch", 1), ("context_tokens", 1), ("decode_steps", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(say("workload.at_least", name=name, low=low, got=repr(value)))


@dataclass(frozen=True)
class Span:
    """A named stretch of time, in milliseconds from the start of the request."""

    name: str
    start_ms: float
    duration_ms: float

    @property
    def end_ms(self) -> float:
        return self.start_ms + self.duration_ms


@dataclass(frozen=True)
class Range(Span):
    """A stable range with its shape: sequences, tokens processed in it, tokens cached before it."""

    batch: int
    tokens: int
    context_tokens: int


@dataclass(frozen=True)
class OperatorTime:
    """Time of one operator without the operators that it calls, added up over its calls.

    self_device_ms is the time of the kernels that it launched; None where there is no device but the CPU.
    """

    operator: str
    calls: int
    prefill_ms: float
    decode_ms: float
    self_device_ms: float | None

    @property
    def self_cpu_ms(self) -> float:
        return self.prefill_ms + self.decode_ms


@dataclass(frozen=True)
class Profile:
    """What a trace says: its ranges, the time by operator, and the spans that a picture shows."""

    path: Path
    label: str
    device: str
    device_name: str
    torch: str
    workload: TracedWorkload
    ranges: tuple[Range, ...]
    operators: tuple[OperatorTime, ...]
    operator_spans: tuple[Span, ...]
    kernel_spans: tuple[Span, ...]

    def ranges_named(self, name: RangeName) -> tuple[Range, ...]:
        """The ranges of one name, in order."""
        return tuple(item for item in self.ranges if item.name == name)

    @property
    def table(self) -> Table:
        """The ten operators with the most time of their own."""
        total_ms = sum(item.self_cpu_ms for item in self.operators) or 1.0
        rows = []
        for item in self.operators[:10]:
            row = {
                "operator": item.operator,
                "calls": item.calls,
                "operator_prefill_ms": item.prefill_ms,
                "operator_decode_ms": item.decode_ms,
                "self_cpu_ms": item.self_cpu_ms,
                "share": f"{item.self_cpu_ms / total_ms:.1%}",
            }
            if item.self_device_ms is not None:
                row["self_device_ms"] = item.self_device_ms
            rows.append(row)
        return table(rows)

    @property
    def range_table(self) -> Table:
        """The ranges with their shapes."""
        return table(
            [
                {
                    "range": item.name,
                    "batch": item.batch,
                    "tokens": item.tokens,
                    "context_tokens": item.context_tokens,
                    "start_ms": item.start_ms,
                    "duration_ms": item.duration_ms,
                }
                for item in self.ranges
            ]
        )
