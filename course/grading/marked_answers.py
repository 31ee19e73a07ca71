"""Marked answers: what a person has marked, and whether the student's answer is still the same.

A mark by hand is never taken away. Where the answer is the one that was marked, nobody is asked again; where
it is another one, the old mark stays with the word that the answer changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course.grading.assessment import Assessment
from course.grading.student_record import StudentRecord
from course.lesson import cells


@dataclass(frozen=True)
class MarkedAnswers:
    """What a graded notebook held before, and what it holds now, of one student's marked cells."""

    record: StudentRecord
    before: Mapping
    assessment: Assessment
    exercise_of: Mapping[str, str]

    @property
    def marked(self) -> list[str]:
        """The graded cells that bear a mark by hand."""
        return [name for name, grade in self.record.grades.items() if grade.manual_score is not None]

    @property
    def same(self) -> frozenset[str]:
        """Of these, whose answer and automatic score are what they were."""
        if not self.marked:
            return frozenset()
        scores = {verdict.cell: verdict.score for verdict in self.assessment.verdicts}
        now = json.loads(self.assessment.notebook)
        return frozenset(
            name
            for name in self.marked
            if name in scores
            and scores[name] == self.record.grades[name].auto_score
            and _answer(now, name) == _answer(self.before, name)
        )

    @property
    def changed(self) -> frozenset[str]:
        """The answers that are others than the marked ones, now or since an earlier run, and that nobody has
        looked at since."""
        same, found = self.same, set()
        for name in self.marked:
            answer = self.exercise_of.get(name, name)
            is_open = self.record.grades[name].needs_review and answer in self.record.changed
            found |= {answer} if name not in same or is_open else set()
        return frozenset(found)


def notebook(path: Path) -> Mapping:
    """A graded notebook, as we wrote it; empty where there is none that can be read."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _answer(found: Mapping, name: str) -> list[str]:
    """What the student wrote for this graded cell: the cell itself where it is written into, else all code
    that may bear on a test, for a task all that was written."""
    content = found.get("cells", [])
    own = [cell for cell in content if cells.name(cell) == name]
    if any(cells.is_solution(cell) for cell in own):
        return [cells.source(cell) for cell in own]
    is_task = any(cells.is_task(cell) for cell in own)
    written = (cell for cell in content if cells.is_solution(cell) or not cells.grader(cell))
    return [cells.source(cell) for cell in written if is_task or cells.is_code(cell)]
