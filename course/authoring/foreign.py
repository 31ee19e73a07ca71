"""Foreign answers: how a lesson judges answers by somebody who has not seen its tests.

    python -m course.authoring.foreign LESSON FILE

FILE has a JSON object a line: `cell`, `id`, `source`, and where it is known `slip`, what is wrong in words.
Printed for each answer: whether the visible check stays green, the points, the ideas named, and the smallest
call on which it goes wrong. The answers are run without a sandbox: read them first.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat

from course.authoring import mutants, proof
from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.examiner import Examined
from course.lesson import cells, files_beside, notebooks
from course.lesson.assignment import Assignment
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.text import sentence
from helpers.facts import CheckFacts


@dataclass(frozen=True)
class ForeignAnswer:
    """An answer to one exercise, and what became of it; `said` is what the visible check answered."""

    cell: str
    id: str
    source: str
    slip: str = ""
    said: str = ""
    points: float = 0.0
    most: float = 0.0
    diagnosis: Diagnosis = field(default_factory=Diagnosis)

    @classmethod
    def of(cls, line: str) -> ForeignAnswer:
        """The answer that a line holds."""
        data = json.loads(line)
        return cls(data["cell"], data["id"], data["source"], data.get("slip", ""))

    def __str__(self) -> str:
        """One line; of two ideas that no call tells apart, both with a stroke between them."""
        named = [*filter(None, (*self.diagnosis.ideas, "/".join(self.diagnosis.either)))]
        example = sentence(self.diagnosis.example) if self.diagnosis.example else "-"
        shown = [self.said or "GREEN", f"{self.points:g}/{self.most:g}", ", ".join(named) or "-", example]
        return "\n    ".join([f"{self.cell} {self.id}: {self.slip}", *shown])


def judged(folder: CourseFolder, lesson: str, answers: Sequence[ForeignAnswer]) -> Iterator[ForeignAnswer]:
    """Each answer with its judgement; answers to different exercises are handed in together."""
    assignment, master = folder.assignment(lesson), notebooks.load(folder.master(lesson))
    left = list(answers)
    while left:
        together = {one.cell: one for one in reversed(left)}
        left = [one for one in left if together[one.cell] is not one]
        with files_beside.at_hand(assignment.files):
            examined = proof.examined(nbformat.writes(_with(master, together)).encode(), assignment)
            found = [
                replace(_marked(one, examined, assignment), said=_visible(master, one))
                for one in together.values()
            ]
        yield from found


def _with(master: nbformat.NotebookNode, together: Mapping[str, ForeignAnswer]) -> nbformat.NotebookNode:
    """A notebook with these answers, and nothing in the other exercises."""
    notebook = copy.deepcopy(master)
    for cell in notebook.cells:
        if cells.is_solution(cell):
            answer = together.get(cells.name(cell))
            cell.source = answer.source if answer else ""
    return notebook


def _marked(answer: ForeignAnswer, examined: Examined, assignment: Assignment) -> ForeignAnswer:
    of = assignment.masters[MASTER_LANGUAGE].exercise_of
    own = [one for one in examined.verdicts if of.get(one.cell) == answer.cell]
    about = examined.notebook["metadata"].get(notebooks.METADATA, {}).get("diagnoses", {})
    found = Diagnosis.from_dict(about.get(answer.cell))
    return replace(
        answer,
        points=sum(one.score or 0.0 for one in own),
        most=sum(one.max_score for one in own),
        diagnosis=found,
    )


def _visible(master: nbformat.NotebookNode, answer: ForeignAnswer) -> str:
    """What the visible check says against the answer; empty when it passes."""
    names = mutants.setup(master)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(answer.source, answer.id, "exec"), names)
            found = [mutants.found_by(check, names) for check in mutants.visible_checks(master, answer.cell)]
    except Exception as problem:  # the answer's own, which a student sees
        return f"{type(problem).__name__}: {problem}"
    failed: list[CheckFacts] = [facts for facts in found if facts is not None]
    return sentence(failed[0]) if failed else ""


def main(lesson: str, path: str) -> None:
    """Print every answer, and how many of each kind there are."""
    answers = [ForeignAnswer.of(line) for line in Path(path).read_text("utf-8").splitlines() if line]
    found = list(judged(CourseFolder.find(), lesson, answers))
    for one in found:
        print(one)
    kinds = {
        "green": sum(not one.said for one in found),
        "full points": sum(one.points == one.most for one in found),
        "named": sum(bool(one.diagnosis.ideas or one.diagnosis.either) for one in found),
        "counterexample": sum(one.diagnosis.example is not None for one in found),
    }
    print(f"of {len(found)}:", ", ".join(f"{count} {kind}" for kind, count in kinds.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
