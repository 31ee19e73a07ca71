"""A budget of time, shared among the shapes that are left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from helpers import timing
from helpers.workload import Shape, Workload

NARROW_INTERVAL = 0.02


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
        shares = [left_s * part / whole if whole else 0.0 for part in effort(shape)]
        prefill, decode = (replace(plain, budget_s=share, stop_below=NARROW_INTERVAL) for share in shares)
        return prefill, decode

    def finish(self, shape: Shape, wall_s: float) -> None:
        self.left.remove(shape)
        self.used_s += wall_s

    def left_s(self, done_effort: float, spent_s: float) -> float | None:
        """Seconds that the shapes left will take at the pace so far."""
        if done_effort <= 0:
            return None
        return spent_s * sum(sum(effort(shape)) for shape in self.left) / done_effort
