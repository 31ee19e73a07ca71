"""An examination: one rebuilt submission, the sandbox it runs in, and what may still run in what time."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from course.grading.failed_lines import FailedLine
from course.sandbox.channel import Late
from course.sandbox.limits import ResourceLimits
from course.sandbox.process import Process
from course.sandbox.sandbox import Sandbox
from course.submission.rebuilt import Rebuilt
from helpers.names import defined

LOOKS_BACK = re.compile(r"\b(?:_{1,3}|_i*\d+|_oh|_ih|In|Out|get_ipython)\b")
DRAWS = re.compile(r"matplotlib|pyplot|pylab|seaborn|\.plot\b")


@dataclass
class Examination:
    """What runs, how long it may take, and which cells died, were late, or failed where."""

    rebuilt: Rebuilt
    sandbox: Sandbox
    every_cell: bool = False
    deaths: Counter[int] = field(default_factory=Counter)
    slow: set[int] = field(default_factory=set)
    limits_met: set[str] = field(default_factory=set)
    failed_lines: dict[int, FailedLine] = field(default_factory=dict)
    used_seconds: float = 0.0  # of the student's own time, in this run

    @property
    def limits(self) -> ResourceLimits:
        return self.sandbox.limits

    @cached_property
    def needed(self) -> frozenset[int]:
        """The cells that answers depend on: the student's own, and what those or the tests may use."""
        return self._needed(with_checks=False)

    @cached_property
    def needed_for_show(self) -> frozenset[int]:
        """These, the visible checks, and what they may use."""
        return self._needed(with_checks=True)

    def _needed(self, *, with_checks: bool) -> frozenset[int]:
        """Found upwards: what is wanted for itself, and what binds a name that is wanted below it."""
        tests = self.rebuilt.master.tests.values()
        wanted = {name for test in tests for name in test.students_names}
        kept: set[int] = set()
        for position, piece in reversed(list(enumerate(self.rebuilt.pieces))):
            itself = piece.is_students or piece.is_setting or (with_checks and piece.is_visible_check)
            if piece.runs is not None and (itself or piece.defines & wanted):
                kept.add(position)
                wanted |= piece.mentions if with_checks else piece.mentions_unseen
        return frozenset(kept)

    def runs(self, position: int, quiet: bool) -> str:
        """What of the cell runs in the show or, `quiet`, before the tests, unseen; maybe nothing.

        A cell that killed its process runs once more, in part, and after a second death no more.
        """
        piece = self.rebuilt.pieces[position]
        wanted = position in self.needed if quiet else self.every_cell or position in self.needed_for_show
        if piece.runs is None or not wanted or self.deaths[position] >= 2:
            return ""
        return piece.unseen if quiet and not self.looks_back else piece.runs

    @cached_property
    def looks_back(self) -> bool:
        """Whether the student's code may take what a cell above has shown (`_`, `Out`)."""
        students = (piece for piece in self.rebuilt.pieces if piece.is_students)
        return any(LOOKS_BACK.search(piece.runs or "") for piece in students)

    @cached_property
    def draws(self) -> bool:
        """Whether the student may draw: if so, matplotlib is loaded once for all who do."""
        return any(DRAWS.search(piece.runs or "") for piece in self.rebuilt.pieces)

    def students_names(self, position: int) -> list[str]:
        """The names above this cell that may stand for a student's code, which may be deadly."""
        above = (piece for piece in self.rebuilt.pieces[:position] if piece.is_students)
        return sorted({name for piece in above for name in piece.defines | defined(piece.runs or "")})

    def begin(self) -> None:
        """Start the clock of one run through the notebook."""
        self.used_seconds = 0.0

    def ask(self, process: Process, order: dict, seconds: float) -> Any:
        """The process's answer within these seconds, and within what is left of this run's."""
        before = process.used_seconds
        try:
            return process.ask(order, max(0.01, min(seconds, self.seconds_left)))
        except Late:
            self.limits_met.add("cell_seconds" if order["do"] == "run" else "call_seconds")
            raise
        finally:
            self.used_seconds += process.used_seconds - before
            self.limits_met |= {"total_seconds"} if self.seconds_left <= 0 else set()

    @property
    def seconds_left(self) -> float:
        """What is left of this run's time."""
        return self.limits.total_seconds - self.used_seconds
