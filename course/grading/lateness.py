"""Lateness: what nbgrader's plug-in, the one that the configuration names, takes off for being late."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.grading import hand_in_times
from course.grading.dates import Dates
from course.grading.gradebook import Gradebook
from course.grading.student_record import StudentRecord
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.lesson.nbgrader_log import NbgraderLog

if TYPE_CHECKING:
    from nbgrader.preprocessors import AssignLatePenalties


@dataclass(frozen=True)
class _Scored:
    """What nbgrader's step looks at in a notebook."""

    score: float


def settle(folder: CourseFolder, lesson: str, students: Iterable[str], database: str) -> None:
    """Set the penalty of each of these anew, in one transaction: due date, extension and points are those in
    the gradebook, the rule is the plug-in's, its bounds are nbgrader's."""
    from nbgrader.preprocessors import AssignLatePenalties

    step = AssignLatePenalties(config=folder.config(MASTER_LANGUAGE))
    step.log = NbgraderLog().logger()
    step.init_plugin()
    dates = Dates.read(database, lesson)
    with Gradebook(database, lesson) as book:
        book.set_penalties(dict(_penalties(step, dates, book.records(students))))


def refresh(folder: CourseFolder, lesson: str, database: str | None = None) -> None:
    """Set everyone's penalty in the lesson anew: a date, an extension, a rule, a manual mark or the time
    of the hand-in may have changed since the last run, in formgrader too.
    Where nobody was late, nbgrader stays unloaded."""
    url = database or folder.database
    with Gradebook(url, lesson) as book:
        students = book.students() if book.knows_lesson() else set()
        if students:
            book.set_times(dict(hand_in_times.graded(folder, lesson, students)))
        late = book.late(students) if students else []
    if late:
        settle(folder, lesson, late, url)


def _penalties(
    step: AssignLatePenalties, dates: Dates, records: dict[str, StudentRecord]
) -> Iterator[tuple[str, float | None]]:
    for student, record in records.items():
        seconds = dates.late_by(student).total_seconds()
        score = sum(grade.points for grade in record.grades.values())
        asked = step.plugin_inst.late_submission_penalty
        penalty = asked(student, score, seconds) if seconds > 0 else None
        yield student, None if penalty is None else step._check_late_penalty(_Scored(score), penalty)
