"""One student's process, seen from outside: asked, interrupted, ended."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.sandbox.channel import Channel
from course.sandbox.limits import ResourceLimits
from course.sandbox.memory_group import MemoryGroup
from course.sandbox.own_time import OwnTime


@dataclass
class Process:
    """One student's process, seen from outside: a channel to it, and the power to end it and all it
    started."""

    channel: Channel
    handle: int
    limits: ResourceLimits
    ended_by_watch: bool = False
    ended: bool = False
    used_seconds: float = 0.0  # of its own time
    group: MemoryGroup | None = None

    @property
    def died_of_memory(self) -> bool:
        """Whether the watch or the kernel ended it, or a process that it started, for the memory held."""
        return self.ended_by_watch or (self.group is not None and self.group.has_killed)

    def ask(self, order: dict, seconds: float) -> Any:
        """Its answer to one order within so many seconds of its own time; raises Late, Closed or BadData,
        after which it is of no more use."""
        own = OwnTime(self, seconds)
        try:
            self.channel.send(order, own.left)
            return self.channel.receive(own.left)
        finally:
            own.left()
            self.used_seconds += own.used_seconds

    def interrupt(self) -> None:
        """What the stop button of a notebook does."""
        self.signal(signal.SIGINT)

    def end(self) -> None:
        """Kill it and, since it is the first process of its namespace, everything in that."""
        if not self.ended:
            self.ended = True
            self.signal(signal.SIGKILL)
            self.channel.close()
            os.close(self.handle)

    @property
    def pid(self) -> int:
        """Its process id as this process sees it; raises ProcessLookupError when it is gone."""
        words = Path(f"/proc/self/fdinfo/{self.handle}").read_text().split()
        pid = int(words[words.index("Pid:") + 1]) if "Pid:" in words else -1
        if pid < 0:
            raise ProcessLookupError
        return pid

    def signal(self, number: int) -> None:
        """Send a signal; a process that is gone already takes none."""
        with contextlib.suppress(ProcessLookupError, OSError):
            signal.pidfd_send_signal(self.handle, number)
