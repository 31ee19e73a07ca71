"""The memory of a student's process and of all that it started: no limit of the system bounds it."""

from __future__ import annotations

import contextlib
import signal
import time
from dataclasses import dataclass

import psutil

from course.sandbox.process import Process


@dataclass
class MemoryWatch:
    """Ends a student's process that holds more memory than it may, all of its children counted."""

    process: Process
    interval_seconds: float = 0.5

    def run(self) -> None:
        """Look, until there is nothing left to look at."""
        time.sleep(self.interval_seconds)
        while not self.process.ended:
            with contextlib.suppress(OSError):  # it has just ended
                if held_bytes(self.process) > self.process.limits.memory_bytes:
                    self.process.died_of_memory = True
                    self.process.signal(signal.SIGKILL)
                    return
            time.sleep(self.interval_seconds)


def held_bytes(process: Process) -> int:
    """What the process and all that it started hold in memory."""
    return sum(map(_resident_bytes, family(process)))


def family(process: Process) -> list[psutil.Process]:
    """The process and all that descend from it; nobody once it is gone."""
    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        first = psutil.Process(process.pid)
        return [first, *first.children(recursive=True)]
    return []


def _resident_bytes(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.Error:
        return 0
