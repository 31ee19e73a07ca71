"""An examination: one rebuilt submission, the sandbox it runs in, and what may still run in what time."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox
from course.submission.rebuilt import Rebuilt


@dataclass
class Examination:
    """What runs, how long it may take, and which cells died or were late."""

    rebuilt: Rebuilt
    sandbox: Sandbox
    every_cell: bool = False
    deaths: Counter[int] = field(default_factory=Counter)
    slow: set[int] = field(default_factory=set)
    deadline: float = 0.0

    @property
    def limits(self) -> ResourceLimits:
        return self.sandbox.limits

    @cached_property
    def needed(self) -> frozenset[int]:
        """The cells that answers depend on: the student's own, and what those or the tests may use, found
        upwards."""
        tests = self.rebuilt.master.tests
        wanted = {name for test in tests.values() for name in test.students_names}
        kept: set[int] = set()
        for position, piece in reversed(list(enumerate(self.rebuilt.pieces))):
            if piece.runs is not None and (piece.is_students or piece.is_setting or piece.defines & wanted):
                kept.add(position)
                wanted |= piece.mentions
        return frozenset(kept)

    def is_run(self, position: int, quiet: bool) -> bool:
        """Whether the cell runs in the show (with the visible checks) or, `quiet`, before the tests.

        A cell that killed its process runs once more, definitions only, and after a second death no more.
        """
        piece = self.rebuilt.pieces[position]
        wanted = self.every_cell or position in self.needed or (piece.is_visible_check and not quiet)
        return wanted and self.deaths[position] < 2

    def begin(self) -> None:
        """Start the clock of one run through the notebook."""
        self.deadline = time.monotonic() + self.limits.total_seconds

    @property
    def seconds_left(self) -> float:
        """What is left of this run's time."""
        return self.deadline - time.monotonic()
