"""The clock: gaps in it, in which this process stood still and nobody's time was used.

Ctrl-Z, a suspended machine or a processor that was given to others stops the grader, and the deadlines of
whoever is graded run on. A thread that asks to be woken often finds out.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import psutil

LOOK_SECONDS = 0.25
GAP_SECONDS = 1.0  # longer than a wait that asked for LOOK_SECONDS takes on a busy machine


@dataclass
class GapWatch:
    """A context manager that notices when the process stood still inside it."""

    seconds: float = 0.0
    _done: threading.Event = field(default_factory=threading.Event)
    _looked: float = field(default_factory=time.monotonic)

    def __enter__(self) -> GapWatch:
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._look()

    def _watch(self) -> None:
        while not self._done.wait(LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        now = time.monotonic()
        self.seconds += stood_still(now - self._looked, LOOK_SECONDS)
        self._looked = now


def stood_still(seconds: float, asked: float) -> float:
    """The seconds for which a wait of so many stood still, when it was to take no longer than `asked`."""
    return seconds - asked if seconds - asked > GAP_SECONDS else 0.0


def is_stopped(pid: int) -> bool:
    """True for a process that somebody has stopped and not let go on."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return False
