"""What profiling itself costs: one request with and without it, in turns."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from helpers.profiler.profile import TracedWorkload
from helpers.profiler.traced_model import TracedModel
from helpers.tables import Table, table
from helpers.text import say


@dataclass(frozen=True)
class TracingCost:
    """Times of the same request without and with the profiler, taken in turns."""

    untraced_samples_ms: tuple[float, ...]
    traced_samples_ms: tuple[float, ...]

    @property
    def untraced_ms(self) -> float:
        return statistics.median(self.untraced_samples_ms)

    @property
    def traced_ms(self) -> float:
        return statistics.median(self.traced_samples_ms)

    @property
    def ratio(self) -> float:
        """Traced ÷ untraced, medians."""
        return self.traced_ms / self.untraced_ms

    @property
    def table(self) -> Table:
        """Both medians and their ratio."""
        return table(
            [
                {
                    "samples": len(self.traced_samples_ms),
                    "untraced_ms": self.untraced_ms,
                    "traced_ms": self.traced_ms,
                    "ratio": self.ratio,
                }
            ]
        )


def cost(device: str = "auto", workload: TracedWorkload | None = None, rounds: int = 10) -> TracingCost:
    """What profiling costs: the request with and without it, in turns, after a warm-up of both."""
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise ValueError(say("workload.at_least", name="rounds", low=1, got=repr(rounds)))
    model = TracedModel(device, workload or TracedWorkload())
    untraced, traced = [], []
    for _ in range(rounds + 1):
        untraced.append(model.request_ms())
        with model.profiled():
            traced.append(model.request_ms())
    return TracingCost(tuple(untraced[1:]), tuple(traced[1:]))
