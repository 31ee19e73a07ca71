"""A budget of time, shared among the shapes that are left.

The budget shortens the prefills, which take nearly all of the time; a decode step is short and what the
lesson is about, so it always gets all of its repeats.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from helpers import timing
from helpers.workload import Shape, Workload

NARROW_INTERVAL = 0.02
GATE_SHARE = 0.15  # of a prefill's time, for the untimed pass that checks the decode step


def effort(shape: Shape) -> tuple[float, float]:
    """Relative cost of a shape's prefill and decode passes, in tokens of prefill."""
    prefill = float(shape.tokens) if shape.series == "dynamic" else 0.0
    return prefill, 60.0 + shape.batch


@dataclass
class Budget:
    """Shares the time left among the shapes left, in proportion to their effort."""

    protocol: Workload
    left: list[Shape]
    used_s: float = 0.0

    def repetitions(self, shape: Shape) -> tuple[timing.Repetition, timing.Repetition]:
        """How often to run the shape's prefill and its decode step."""
        protocol = self.protocol
        plain = timing.Repetition(
            protocol.warmup, protocol.repeats, min(protocol.min_repeats, protocol.repeats)
        )
        if protocol.time_budget_s is None:
            return plain, plain
        whole = sum(sum(effort(other)) for other in self.left)
        left_s = max(protocol.time_budget_s - self.used_s, 0.0)
        share_s = left_s * effort(shape)[0] * (1 - GATE_SHARE) / whole if whole else 0.0
        return replace(plain, budget_s=share_s, stop_below=NARROW_INTERVAL), plain

    def finish(self, shape: Shape, wall_s: float) -> None:
        self.left.remove(shape)
        self.used_s += wall_s

    def left_s(self, done_effort: float, spent_s: float) -> float | None:
        """Seconds that the shapes left will take at the pace so far."""
        if done_effort <= 0:
            return None
        return spent_s * sum(sum(effort(shape)) for shape in self.left) / done_effort
