"""A student's own time: what the process computed or waited for by its own choice, and nothing else.

The clock on the wall also counts while the processor is given to others, while the sandbox is stopped, and
while the grader itself stands still. Nobody is charged for that.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from course.sandbox.family import Parent, family

LOOK_SECONDS = 0.25
STARVED_TIMES = 5.0  # who is ready to run pays a fifth of the wall's time at least: so it ends in any case


@dataclass(frozen=True)
class Reading:
    """What a process and its children are doing: processor seconds so far, and whether the process is
    stopped from outside, or one of them ready to run."""

    processor_seconds: float
    stopped: bool
    ready: bool


@dataclass
class OwnTime:
    """So many seconds of a process's own time, from now on."""

    process: Parent
    seconds: float
    used_seconds: float = 0.0
    _computed: float = 0.0
    _asked: float = 0.0
    _looked: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """The seconds to wait before asking again; none left when it is 0 or less."""
        now = time.monotonic()
        elapsed, self._looked = now - self._looked, now
        self.used_seconds += elapsed if elapsed < self._asked else self._own(elapsed)
        self._asked = min(LOOK_SECONDS, self.seconds - self.used_seconds)
        return self._asked

    def _own(self, elapsed: float) -> float:
        """Of a wait that ran its full time, what was the student's."""
        found = reading(self.process) if self._asked > 0 else None
        if found is None:
            return elapsed
        computed = max(0.0, found.processor_seconds - self._computed)
        self._computed = found.processor_seconds
        return own_seconds(elapsed, self._asked, computed, found)


def own_seconds(elapsed: float, asked: float, computed: float, found: Reading) -> float:
    """A stopped process and one that waits for a processor use what they computed. One that sleeps uses the
    time that it was watched; whatever exceeds what was asked for, the watcher stood still itself."""
    watched = min(elapsed, asked)
    least = 0.0 if found.stopped else watched / STARVED_TIMES if found.ready else watched
    return max(least, min(elapsed, computed))


def reading(process: Parent) -> Reading | None:
    """How it stands with the process; None once it is gone."""
    import psutil

    found = family(process)
    try:
        states = [one.status() for one in found]
        times = [one.cpu_times() for one in found]
    except psutil.Error:
        return None
    if not found:
        return None
    reaped = times[0].children_user + times[0].children_system if hasattr(times[0], "children_user") else 0.0
    return Reading(
        sum(one.user + one.system for one in times) + reaped,
        states[0] == psutil.STATUS_STOPPED,
        psutil.STATUS_RUNNING in states,
    )
