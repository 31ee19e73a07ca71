"""A budget of time, shared among the turns that are left.

The budget shortens the prefills, which take nearly all of the time; a decode step is short and what the
lesson is about, so a turn always gets all of its repeats. When the time is up, whatever has one round has to
do with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from helpers import timing
from helpers.schedule import Turn
from helpers.workload import Shape, Workload

GATE_SHARE = 0.15  # of a prefill's time, for the untimed pass that checks the decode step
PREFILL_WARM_UPS = 2
HOST_PASSES = (1, 3)  # of prefill and decode in a round: submission and wall clock need no narrow interval


def effort(shape: Shape) -> tuple[float, float]:
    """Relative cost of a shape's prefill and decode passes, in tokens of prefill."""
    prefill = float(shape.tokens) if shape.series == "dynamic" else 0.0
    return prefill, 60.0 + shape.batch


def weight(turn: Turn) -> float:
    """Relative cost of a turn: the first one also warms up and checks."""
    return sum(effort(turn.shape)) * (turn.samples + (3 if turn.is_first else 1))


@dataclass
class Budget:
    """Shares the time left among the turns left, in proportion to their effort."""

    protocol: Workload
    left: list[Turn]
    used_s: float = 0.0
    spent_here_s: float = field(default=0.0, init=False)
    done_here: float = field(default=0.0, init=False)

    @property
    def is_over(self) -> bool:
        budget_s = self.protocol.time_budget_s
        return budget_s is not None and self.used_s >= budget_s

    def repetitions(self, turn: Turn) -> tuple[timing.Repetition, timing.Repetition]:
        """How often to run the shape's prefill and its decode step in this turn."""
        least = -(-min(self.protocol.min_repeats, self.protocol.repeats) // len(self.protocol.round_sizes))
        share_s = self._share_s(turn)
        warm = self.protocol.warmup if turn.is_first else min(self.protocol.warmup, 1)
        prefill = timing.Repetition(
            min(warm, PREFILL_WARM_UPS),
            turn.samples,
            min(least, turn.samples),
            budget_s=share_s,
            host_passes=HOST_PASSES[0],
        )
        return prefill, timing.Repetition(warm, turn.samples, turn.samples, host_passes=HOST_PASSES[1])

    def _share_s(self, turn: Turn) -> float | None:
        """Seconds for this turn's prefills; None without a budget."""
        if self.protocol.time_budget_s is None:
            return None
        whole = sum(weight(other) for other in self.left)
        left_s = max(self.protocol.time_budget_s - self.used_s, 0.0)
        prefill, decode = effort(turn.shape)
        share = weight(turn) * prefill / (prefill + decode)
        return left_s * share * (1 - GATE_SHARE) / whole if whole else 0.0

    def finish(self, turn: Turn, wall_s: float) -> None:
        """A turn is done, or needs not be done any more (0 s)."""
        self.left.remove(turn)
        self.used_s += wall_s
        self.spent_here_s += wall_s
        self.done_here += weight(turn) if wall_s else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds that the turns left will take at the pace so far."""
        if self.done_here <= 0:
            return None
        return self.spent_here_s * sum(map(weight, self.left)) / self.done_here
