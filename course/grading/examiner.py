"""The examiner: a student's process and the trusted one side by side, and the verdicts that come of it.

Two runs of the student's cells. The first is for show: its outputs are what the student printed, and it
never hears a question. The second answers the hidden tests, which run here, and nothing that it prints is
shown.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from course.grading import outputs
from course.grading.clock import GapWatch
from course.grading.examination import Examination
from course.grading.questions import Answerer, run_test
from course.grading.replay import NotebookReplay
from course.sandbox.sandbox import Sandbox
from course.submission.rebuilt import Rebuilt, RebuiltCell
from course.submission.untouched import is_untouched
from helpers.facts import CheckFacts
from helpers.text import speaking

SHOWN_IN_ALL = 8_000_000
TIMES_AGAIN = 2

_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Verdict:
    """What one graded cell came to; no score where a person has to decide."""

    cell: str
    score: float | None
    max_score: float
    facts: CheckFacts | None = None


@dataclass
class Examined:
    """A graded submission: the notebook with its outputs, and a verdict for each graded cell."""

    notebook: dict
    verdicts: tuple[Verdict, ...]
    no_response: frozenset[str]
    language: str
    seconds: float = 0.0
    limits_met: frozenset[str] = frozenset()


def examine(rebuilt: Rebuilt, sandbox: Sandbox, *, every_cell: bool = False) -> Examined:
    """Run the student's cells in the sandbox and the hidden tests here.

    Cells of the instructor's that the student left alone, and that nothing else needs, run only with
    `every_cell`: they draw the same pictures for everyone, and no mark depends on them.
    Deadlines are wrong where the grader itself stood still: then it is all done again.
    """
    for _ in range(TIMES_AGAIN):
        with GapWatch() as watch:
            examined = _examined(rebuilt, sandbox, every_cell)
        if not watch.seconds:
            return examined
    return _examined(rebuilt, sandbox, every_cell)


def _examined(rebuilt: Rebuilt, sandbox: Sandbox, every_cell: bool) -> Examined:
    started = time.monotonic()
    examination = Examination(rebuilt, sandbox, every_cell)
    with _one_at_a_time, speaking(rebuilt.language):
        shown = _run_for_show(examination)
        failed = _ask(examination, shown)
    graded = [piece for piece in rebuilt.pieces if piece.master is not None and piece.master.graded]
    return Examined(
        rebuilt.notebook(shown, {name: facts.to_dict() for name, facts in failed.items()}),
        tuple(_verdict(piece, failed.get(piece.name)) for piece in graded),
        frozenset(piece.name for piece in rebuilt.pieces if _is_unanswered(piece)),
        rebuilt.language,
        time.monotonic() - started,
        frozenset(examination.limits_met),
    )


def _run_for_show(examination: Examination) -> dict[str, list[dict]]:
    """For each cell that runs what is shown under it."""
    examination.begin()
    shown: dict[str, list[dict]] = {}
    room = SHOWN_IN_ALL
    replay = NotebookReplay(examination, quiet=False)
    try:
        for position, piece in enumerate(examination.rebuilt.pieces):
            if piece.runs is not None:
                found = replay.play(position)
                room -= sum(map(outputs.size, found))
                shown[piece.name] = [] if piece.is_graded_check or room < 0 else found
    finally:
        replay.leave()
    return shown


def _ask(examination: Examination, shown: dict[str, list[dict]]) -> dict[str, CheckFacts]:
    """Run the hidden tests; what they show goes to `shown`, and what those that failed found is returned."""
    examination.begin()
    failed: dict[str, CheckFacts] = {}
    answerer = Answerer(examination)
    try:
        for position, piece in enumerate(examination.rebuilt.pieces):
            if piece.is_test:
                test = examination.rebuilt.master.tests[piece.name]
                shown[piece.name], found = run_test(test, answerer, position)
                failed |= {piece.name: found} if found else {}
    finally:
        answerer.leave()
    return failed


def _is_unanswered(piece: RebuiltCell) -> bool:
    return piece.master is not None and piece.master.owner == "solution" and _is_untouched(piece)


def _is_untouched(piece: RebuiltCell) -> bool:
    return piece.untouched or is_untouched(piece.source, piece.master)


def _verdict(piece: RebuiltCell, failed: CheckFacts | None) -> Verdict:
    cell = piece.master
    if cell.manual:
        empty = cell.owner == "solution" and _is_untouched(piece)
        return Verdict(cell.name, 0.0 if empty else None, cell.points)
    return Verdict(cell.name, 0.0 if failed else cell.points, cell.points, failed)
