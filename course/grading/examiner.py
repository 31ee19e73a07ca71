"""The examiner: a student's process and the trusted one side by side, and the verdicts that come of it.

Two runs of the student's cells. The first is for show: its outputs are what the student printed, and it
never hears a question. The second answers the hidden tests, which run here, and nothing that it prints is
shown.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from course.grading import outputs
from course.grading.clock import GapWatch
from course.grading.diagnosis.carried import carried_on
from course.grading.diagnosis.diagnose import diagnose
from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.diagnosis.hypotheses import Hypotheses
from course.grading.examination import Examination
from course.grading.questions import Answerer, failure, run_test
from course.grading.replay import NotebookReplay
from course.sandbox.sandbox import Sandbox
from course.submission.rebuilt import Rebuilt, RebuiltCell
from course.submission.untouched import is_untouched
from course.text import say
from helpers.drawing import drawing
from helpers.facts import CheckFacts, word
from helpers.text import speaking, spoken

SHOWN_IN_ALL = 8_000_000
TIMES_AGAIN = 2

_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Verdict:
    """What one graded cell came to; no score where a person has to decide.

    One that failed for a wrong idea already paid for has facts and all its points.
    """

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


def examine(
    rebuilt: Rebuilt, sandbox: Sandbox, *, every_cell: bool = False, follow_through: bool = True
) -> Examined:
    """Run the student's cells in the sandbox and the hidden tests here.

    Cells of the instructor's that the student left alone, and that nothing else needs, run only with
    `every_cell`: they draw the same pictures for everyone, and no mark depends on them.
    Deadlines are wrong where the grader itself stood still: then it is all done again.
    """
    for _ in range(TIMES_AGAIN):
        with GapWatch() as watch:
            examined = _examined(rebuilt, sandbox, every_cell, follow_through)
        if not watch.seconds:
            return examined
    return _examined(rebuilt, sandbox, every_cell, follow_through)


def _examined(rebuilt: Rebuilt, sandbox: Sandbox, every_cell: bool, follow_through: bool) -> Examined:
    started = time.monotonic()
    examination = Examination(rebuilt, sandbox, every_cell)
    with _one_at_a_time, speaking(rebuilt.language):
        shown = _run_for_show(examination)
        questioning = _Questioning(examination, shown, follow_through)
        questioning.run()
    failed, diagnoses = questioning.failed, questioning.diagnoses
    graded = [piece for piece in rebuilt.pieces if piece.master is not None and piece.master.graded]
    return Examined(
        rebuilt.notebook(
            shown,
            {name: facts.to_dict() for name, facts in failed.items()},
            {name: found.to_dict() for name, found in diagnoses.items()},
        ),
        tuple(_verdict(piece, failed.get(piece.name), questioning.kept) for piece in graded),
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


@dataclass
class _Questioning:
    """The hidden tests of a notebook: what they show goes to `shown`; what failed is kept by cell, and what
    is behind it by exercise."""

    examination: Examination
    shown: dict[str, list[dict]]
    follow_through: bool
    failed: dict[str, CheckFacts] = field(default_factory=dict)
    diagnoses: dict[str, Diagnosis] = field(default_factory=dict)

    @property
    def kept(self) -> dict[str, str]:
        """The concepts that failed and keep their points, each with the idea that explains it."""
        return {concept: idea for found in self.diagnoses.values() for concept, idea in found.kept.items()}

    def run(self) -> None:
        self.examination.begin()
        answerer, rebuilt = Answerer(self.examination), self.examination.rebuilt
        last = {exercise: cell for cell, exercise in rebuilt.master.exercise_of.items()}
        try:
            for position, piece in enumerate(rebuilt.pieces):
                if piece.is_test:
                    test = rebuilt.master.tests[piece.name]
                    self.shown[piece.name], found = run_test(test, answerer, position)
                    self.failed |= {piece.name: found} if found else {}
                exercise = rebuilt.master.exercise_of.get(piece.name, "")
                if last.get(exercise) == piece.name:
                    with drawing(rebuilt.master.sitting.seed):
                        self._look_behind(answerer, exercise, position)
                    answerer.heard.clear()
        finally:
            answerer.leave()

    def _look_behind(self, answerer: Answerer, exercise: str, position: int) -> None:
        """Ask for the reason where a test of this exercise failed and there is an answer to it."""
        rebuilt, of = self.examination.rebuilt, self.examination.rebuilt.master.exercise_of
        failed = {name: facts for name, facts in self.failed.items() if of.get(name) == exercise}
        answers = [piece for piece in rebuilt.pieces if piece.name == exercise]
        if not failed or self.examination.seconds_left < 0 or not answers or _is_untouched(answers[0]):
            return
        hypotheses = Hypotheses.of(rebuilt.master, exercise)
        if hypotheses.functions:
            answerer.stand(position)
            found = diagnose(hypotheses, answerer, failed, self.follow_through, rebuilt.digest)
        else:
            found = carried_on(hypotheses, failed, self.diagnoses)
        if found is not None:
            self.diagnoses[exercise] = found
            self._tell(found, failed, {it.idea for it in rebuilt.master.secrets.ideas.of_exercise(exercise)})

    def _tell(self, found: Diagnosis, failed: Mapping[str, CheckFacts], known: Collection[str]) -> None:
        """Each test shows the idea that behaviour names, whatever the value that it saw reminds of."""
        for name, facts in failed.items():
            idea = found.reasons.get(name) or (None if facts.idea in known else facts.idea)
            self.shown[name], self.failed[name] = failure(replace(facts, idea=idea))
            if name in found.kept:
                self.shown[name] = [outputs.printed(_follows(found, name))]


def _follows(found: Diagnosis, concept: str) -> str:
    """Why a concept that failed keeps its points."""
    idea, language = found.kept[concept], spoken()
    paid = word(language, "concept", found.charged[idea])
    return say("examiner.follows", idea=word(language, "idea", idea), concept=paid)


def _is_unanswered(piece: RebuiltCell) -> bool:
    return piece.master is not None and piece.master.owner == "solution" and _is_untouched(piece)


def _is_untouched(piece: RebuiltCell) -> bool:
    return piece.untouched or is_untouched(piece.source, piece.master)


def _verdict(piece: RebuiltCell, failed: CheckFacts | None, kept: Collection[str]) -> Verdict:
    cell = piece.master
    if cell.manual:
        empty = cell.owner == "solution" and _is_untouched(piece)
        return Verdict(cell.name, 0.0 if empty else None, cell.points)
    is_paid = not failed or cell.name in kept
    return Verdict(cell.name, cell.points if is_paid else 0.0, cell.points, failed)
