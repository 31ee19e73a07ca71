"""Failures as plain text: nothing of a failed attempt stays alive."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from helpers import results
from helpers.experiment.device import DeviceRuntime
from helpers.text import say

T = TypeVar("T")


class GateError(Exception):
    """A check before or after timing that did not hold: the shape's times would mean nothing."""

    def __init__(self, gate: str, detail: str) -> None:
        self.gate = gate
        super().__init__(say("experiment.gate", gate=gate, detail=detail))


class NotHere(Exception):
    """The series needs something that this device does not have."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out: torch's class, Python's, or a plain RuntimeError."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    message = str(error).lower()
    signs = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")
    return isinstance(error, RuntimeError) and any(sign in message for sign in signs)


@dataclass(frozen=True)
class ShapeFailure:
    """Why a shape has no figures; plain text, so that no frame of the failed attempt stays alive."""

    kind: results.FailureKind
    message: str


def failure_of(error: BaseException) -> ShapeFailure:
    kind: results.FailureKind = "error"
    if is_out_of_memory(error):
        kind = "oom"
    elif isinstance(error, GateError):
        kind = "gate"
    elif isinstance(error, NotHere):
        kind = "skipped"
    prefix = "OOM: " if kind == "oom" else ""
    line = next((part for part in str(error).splitlines() if part.strip()), type(error).__name__)
    return ShapeFailure(kind, f"{prefix}{line}"[:500])


def let_go(error: BaseException | None) -> None:
    """Clear the locals of every frame that an error and its causes still hold: they keep tensors alive."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def attempt(work: Callable[[], T]) -> T | ShapeFailure:
    """What the work gives, or why there is none; nothing of a failed attempt survives the return."""
    try:
        return work()
    except Exception as error:
        failure = failure_of(error)
        let_go(error)
    return failure


def released(runtime: DeviceRuntime) -> bool:
    """Give back whatever nobody holds; False where even that fails (after a capture that failed it may)."""
    try:
        runtime.release()
    except Exception as error:
        let_go(error)
        return False
    return True


def recovered(runtime: DeviceRuntime, baseline_bytes: int | None) -> bool:
    """Whether the device is as it was after a good pass: memory given back, and still computing."""
    if not released(runtime):
        return False
    held = runtime.allocated_bytes()
    if baseline_bytes is not None and held is not None and held > baseline_bytes * 1.01 + 16_000_000:
        return False
    working = runtime.works()
    return released(runtime) and working
