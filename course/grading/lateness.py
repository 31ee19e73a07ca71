"""Lateness: nbgrader's own step for late submissions, with the plug-in that the configuration names."""

from __future__ import annotations

from collections.abc import Iterable

from course.grading.gradebook import Gradebook
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.lesson.nbgrader_log import NbgraderLog


def settle(folder: CourseFolder, lesson: str, students: Iterable[str], database: str) -> None:
    """Set the penalty of each of these anew; nbgrader knows due date and extension, the plug-in the rule."""
    from nbformat.v4 import new_notebook
    from nbgrader.preprocessors import AssignLatePenalties

    step = AssignLatePenalties(config=folder.config(MASTER_LANGUAGE))
    step.log = NbgraderLog().logger()
    for student in students:
        about = {"notebook": lesson, "assignment": lesson, "student": student, "db_url": database}
        step.preprocess(new_notebook(), {"nbgrader": about})


def refresh(folder: CourseFolder, lesson: str, database: str | None = None) -> None:
    """Set everyone's penalty in the lesson anew: a date, an extension, a rule or a manual mark may have
    changed since the last run, in formgrader too. Where nobody was late, nbgrader stays unloaded."""
    url = database or folder.database
    with Gradebook(url, lesson) as book:
        late = book.late(book.students()) if book.knows_lesson() else []
    if late:
        settle(folder, lesson, late, url)
