"""The memory of a student's process and of all that it started: no limit of the system bounds it.

A full socket holds memory of the kernel's, which counts for no process. Each student has a network namespace
of its own, so its sockets are known, those too that are on their way between processes.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

from course.sandbox.family import family
from course.sandbox.process import Process

SCARCE_BYTES = 500_000_000
SHARE_WHEN_SCARCE = 0.25
SOCKET_BYTES = 212_992  # what Linux lets a socket's sender fill, unless told otherwise


def _available_bytes() -> int:
    return psutil.virtual_memory().available


@dataclass
class MemoryWatch:
    """Ends a student's process that holds more memory than it may, all of its children and sockets counted,
    or whose child the kernel ended for that; where the machine has little left, it may hold a quarter."""

    process: Process
    interval_seconds: float = 0.5
    available_bytes: Callable[[], int] = _available_bytes

    def run(self) -> None:
        """Look, until there is nothing left to look at."""
        time.sleep(self.interval_seconds)
        while not self.process.ended:
            with contextlib.suppress(OSError):  # it has just ended
                if held_bytes(self.process) > self.allowed_bytes or self.process.died_of_memory:
                    self.process.ended_by_watch = True
                    self.process.signal(signal.SIGKILL)
                    return
            time.sleep(self.interval_seconds)

    @property
    def allowed_bytes(self) -> float:
        """What it may hold now."""
        scarce = self.available_bytes() < SCARCE_BYTES
        return self.process.limits.memory_bytes * (SHARE_WHEN_SCARCE if scarce else 1)


def held_bytes(process: Process) -> int:
    """What the process and all that it started hold in memory, and what their sockets may."""
    return sum(map(_resident_bytes, family(process))) + sockets(process) * socket_bytes()


def sockets(process: Process) -> int:
    """The sockets between processes in its network namespace; none once it is gone."""
    with contextlib.suppress(OSError), Path(f"/proc/{process.pid}/net/unix").open("rb") as table:
        return sum(1 for _ in table) - 1
    return 0


@cache
def socket_bytes() -> int:
    """What a sender may fill of one socket: Linux doubles what was asked for, for its own records."""
    with contextlib.suppress(OSError, ValueError):
        return 2 * int(Path("/proc/sys/net/core/wmem_max").read_text())
    return 2 * SOCKET_BYTES


def _resident_bytes(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.Error:
        return 0
