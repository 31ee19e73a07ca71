"""The time of a decode step fitted to measurements: max(submit, a + b · batch + bytes ÷ bandwidth).

The host submits the next step while the device works on this one, so the longer of the two counts. Whoever
calls says how many bytes a step moves; nothing here counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from helpers import text

Side = Literal["constant", "memory", "batch"]
# A part of the step that changes by less than this share of the longest step over all shapes cannot be told.
TOLD = 0.05
# A step that gets shorter by more than this as the batch grows owes it to another kernel.
SHORTER = 0.9


@dataclass(frozen=True)
class Step:
    """One measured shape: batch, the bytes its step moves, its median in ms."""

    batch: int
    moved_bytes: float
    ms: float


@dataclass(frozen=True)
class StepFit:
    """The fitted times, all >= 0, and what must be said about them (keys of `helpers.text`)."""

    submit_ms: float
    fixed_ms: float
    ms_per_request: float
    ms_per_byte: float
    side: Side
    remarks: tuple[str, ...]

    @property
    def bandwidth_gbps(self) -> float | None:
        """None where the shapes do not tell it."""
        return 1e-6 / self.ms_per_byte if self.ms_per_byte else None

    def predicted_ms(self, batch: int, moved_bytes: float) -> float:
        device_ms = self.fixed_ms + self.ms_per_request * batch + self.ms_per_byte * moved_bytes
        return max(self.submit_ms, device_ms)

    def said(self) -> str:
        """The remarks, a sentence each, in the language that is spoken."""
        return "\n".join(text.say(f"fit.{key}") for key in self.remarks)


def fit_steps(steps: Sequence[Step], peak_bandwidth_gbps: float | None = None) -> StepFit:
    """The fit with the smallest squared relative error whose parts can each be told from the shapes.

    No step at all, or one of no time, raises ValueError.
    """
    if not steps or min(step.ms for step in steps) <= 0:
        raise ValueError(text.say("fit.no_steps"))
    submit_ms, (fixed, per_request, per_byte) = _with_floor(steps)
    ranges = {
        "memory": per_byte * _range([step.moved_bytes for step in steps]),
        "batch": per_request * _range([step.batch for step in steps]),
    }
    larger = max(ranges, key=ranges.__getitem__)
    side: Side = larger if ranges[larger] else "constant"
    remarks = _remarks(steps, per_byte, peak_bandwidth_gbps)
    return StepFit(submit_ms, fixed, per_request, per_byte, side, remarks)


def _remarks(steps: Sequence[Step], per_byte: float, peak_gbps: float | None) -> tuple[str, ...]:
    found = {
        "few_shapes": len(steps) < 3,
        "no_bandwidth": not per_byte,
        "above_peak": bool(per_byte and peak_gbps and 1e-6 / per_byte > peak_gbps),
        "other_kernel": _gets_shorter(steps),
        "no_bound": True,
    }
    return tuple(key for key, holds in found.items() if holds)


def _with_floor(steps: Sequence[Step]) -> tuple[float, tuple[float, float, float]]:
    """The floor of submission and the three times of the device; a floor must halve the error."""
    ordered = sorted(steps, key=lambda step: step.ms)
    plain = _told(ordered)
    best, error = (0.0, plain), 0.5 * _error(ordered, 0.0, plain)
    for count in range(2, len(ordered) - 2):
        floor, device = fmean(step.ms for step in ordered[:count]), _told(ordered[count:])
        if (found := _error(ordered, floor, device)) < error:
            best, error = (floor, device), found
    return best


def _told(steps: Sequence[Step]) -> tuple[float, float, float]:
    """Fixed, a request, a byte (ms): a part whose change cannot be told costs nothing."""
    times = (fmean(step.ms for step in steps), 0.0, 0.0)
    if len(steps) < 3:
        return times
    longest, best = max(step.ms for step in steps), _error(steps, 0.0, times)
    spans = (0, _range([step.batch for step in steps]), _range([step.moved_bytes for step in steps]))
    for parts in ((0, 1), (2,), (0, 2), (0, 1, 2)):
        found = _least_squares(steps, parts)
        seen = all(found[part] * spans[part] > TOLD * longest for part in parts if part)
        if seen and min(found) >= 0 and (error := _error(steps, 0.0, found)) < 0.6 * best:
            times, best = found, error
    return times


def _least_squares(steps: Sequence[Step], parts: Sequence[int]) -> tuple[float, float, float]:
    import numpy as np

    columns = np.array([[1.0, step.batch, step.moved_bytes] for step in steps])
    scaled = columns[:, list(parts)] / np.array([[step.ms] for step in steps])
    size = np.abs(scaled).max(axis=0)
    found = np.linalg.lstsq(scaled / size, np.ones(len(steps)), rcond=None)[0] / size
    values = dict(zip(parts, map(float, found), strict=True))
    return values.get(0, 0.0), values.get(1, 0.0), values.get(2, 0.0)


def _error(steps: Sequence[Step], floor: float, times: tuple[float, float, float]) -> float:
    fixed, request, byte = times
    guesses = (max(floor, fixed + request * s.batch + byte * s.moved_bytes) for s in steps)
    return fmean((guess / step.ms - 1) ** 2 for guess, step in zip(guesses, steps, strict=True))


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _gets_shorter(steps: Sequence[Step]) -> bool:
    """Whether more requests and more bytes ever take clearly less time."""
    pairs = combinations(sorted(steps, key=lambda step: (step.batch, step.moved_bytes)), 2)
    return any(
        b.ms < SHORTER * a.ms for a, b in pairs if b.batch > a.batch and b.moved_bytes >= a.moved_bytes
    )
