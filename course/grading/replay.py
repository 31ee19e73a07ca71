"""A replay: a student's process in which the cells of the notebook have run up to some place."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any

from course.grading import outputs
from course.grading.examination import Examination
from course.grading.failed_lines import FailedLine
from course.sandbox.channel import Closed, Late, within
from course.sandbox.memory import MemoryWatch
from course.sandbox.process import Process
from course.sandbox.wire import BadData
from course.text import say

GRACE_SECONDS = 1.0
AGAIN_SECONDS = 3.0


@dataclass
class NotebookReplay:
    """A student's process that has run every cell before a place; it is replaced when a cell kills it."""

    examination: Examination
    quiet: bool
    process: Process | None = None
    at: int = 0

    def play(self, position: int) -> list[dict]:
        """What the cell at `position` shows, after every cell before it has run."""
        self.advance(position)
        return self._run(position)

    def advance(self, position: int) -> None:
        """Run what stands between here and `position`, in a fresh process if there is none."""
        for _ in range(len(self.examination.rebuilt.pieces) + 1):
            if self.process is None:
                self.process, self.at = self._born(), 0
            while self.process is not None and self.at < position:
                self._run(self.at)
            if self.process is not None:
                return

    def leave(self) -> None:
        if self.process is not None:
            self.process.end()
        self.process = None

    def _born(self) -> Process:
        process = self.examination.sandbox.student(self.examination.draws)
        if self.examination.sandbox.isolates:
            threading.Thread(target=MemoryWatch(process).run, daemon=True).start()
        self._lay_out_results(process)
        return process

    def _lay_out_results(self, process: Process) -> None:
        """Give the process the result files that the student handed in; one that fails here fails later."""
        results = self.examination.rebuilt.results
        if results:
            with contextlib.suppress(Late, Closed, BadData):
                order = {"do": "files", "files": dict(results)}
                self.examination.ask(process, order, self.examination.limits.call_seconds)

    def _run(self, position: int) -> list[dict]:
        self.at = position + 1
        source = self.examination.runs(position, self.quiet)
        if not source.strip():
            return []
        left = self.examination.seconds_left
        if left <= 0:
            return [outputs.error("TimeoutError", say("examiner.time_used_up"))]
        return self._asked(position, source, left)

    def _asked(self, position: int, source: str, left: float) -> list[dict]:
        limits, slow = self.examination.limits, position in self.examination.slow
        seconds = min(AGAIN_SECONDS if slow else limits.cell_seconds, left)
        order = self._order(position, source)
        try:
            return self._shown(position, self.examination.ask(self.process, order, seconds))
        except Late:
            self.examination.slow.add(position)
            return [
                *self._stopped(position),
                outputs.error("TimeoutError", say("examiner.cell_late", seconds=seconds)),
            ]
        except (Closed, BadData):
            return self._dead(position)

    def _order(self, position: int, source: str) -> dict:
        """A cell that died runs once more: a student's definitions, of another's what calls no student's
        code. A check never goes on below a line that failed: there it says that all is well."""
        died, piece = self.examination.deaths[position] > 0, self.examination.rebuilt.pieces[position]
        order = {"do": "run", "source": source, "quiet": self.quiet, "definitions_only": died}
        order["goes_on"] = piece.is_students or piece.master.owner == "open"
        if died and not piece.is_students:
            order["without"] = self.examination.students_names(position)
        return order

    def _shown(self, position: int, reply: Any) -> list[dict]:
        """What the cell showed, and the line that failed. That is not remembered once questions were asked,
        since what is said of it then could hold them."""
        piece, found = self.examination.rebuilt.pieces[position], outputs.shown(reply)
        failed = FailedLine.of(reply) if piece.is_students and not self.quiet else None
        if failed is None:
            return found
        self.examination.failed_lines[position] = failed
        return [*found, *failed.shown(piece.source)]

    def _stopped(self, position: int) -> list[dict]:
        self.process.interrupt()
        try:
            reply = self.process.channel.receive(within(GRACE_SECONDS))
            return self._shown(position, reply)
        except (Late, Closed, BadData):
            return self._dead(position)[:-1]

    def _dead(self, position: int) -> list[dict]:
        reason = "examiner.cell_memory" if self.process.died_of_memory else "examiner.cell_died"
        self.examination.deaths[position] += 1
        self.leave()
        return [outputs.error("SystemExit", say(reason))]
