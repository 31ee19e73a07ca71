"""Grade: every submission of a lesson through nbgrader, one at a time; the only writer of the gradebook.

What a submission comes to is decided by the steps that `nbgrader_config.py` lists: `course.submission` reads
and rebuilds it, `course.steps.Run` runs it. This module decides who is graded, and sees to it that one bad
file costs nobody else anything.
"""

from __future__ import annotations

import glob
import sqlite3
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from course import marks, notebooks, release
from course.folder import MASTER_LANGUAGE, CourseFolder, Log
from course.marks import Marks
from course.submission import in_words
from course.text import Problem, say

KEPT_COPIES = 10


@dataclass(frozen=True)
class Refused:
    """A submission that could not be graded; the reason is a key of the catalog."""

    student: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Run:
    """One run of the grader: what came out, and how long it took."""

    lesson: str
    marks: tuple[Marks, ...]
    refused: tuple[Refused, ...]
    seconds: float


def grade(folder: CourseFolder, lesson: str, students: Sequence[str] = ()) -> Run:
    """Grade these students' submissions, or everyone's; manual scores stay, the gradebook is copied first."""
    chosen = _chosen(folder, lesson, students)
    require_reference(folder, lesson)
    copy_gradebook(folder)
    release.register(folder, lesson)
    started = time.monotonic()
    refused = [outcome for outcome in _with_progress(folder, lesson, chosen) if outcome]
    graded = [student for student in chosen if student not in {outcome.student for outcome in refused}]
    with marks.gradebook(folder) as book:
        found = tuple(marks.of_student(folder, lesson, student, book) for student in graded)
    return Run(lesson, found, tuple(refused), time.monotonic() - started)


def require_reference(folder: CourseFolder, lesson: str) -> None:
    """Run the reference solution first: where it fails, nobody may get 0 for that."""
    from course import steps

    reference = notebooks.load(folder.master(lesson))
    runner = steps.Run(config=folder.config(MASTER_LANGUAGE), log=Log().logger())
    runner.preprocess(reference, {"metadata": {"path": str(folder.master(lesson).parent)}})
    for cell in filter(notebooks.is_grade, reference.cells):
        error = next((output for output in cell.outputs if output.output_type == "error"), None)
        if error:
            name = notebooks.name(cell)
            raise Problem("grade.reference", lesson=lesson, cell=name, error=f"{error.ename}: {error.evalue}")


def grade_one(folder: CourseFolder, lesson: str, student: str) -> Refused | None:
    """Grade one submission; a file that cannot be graded at all comes back as a reason."""
    path = folder.submitted(student, lesson)
    if not path.is_file() or path.is_symlink():
        return Refused(student, "link" if path.is_symlink() else "missing")
    log = Log()
    try:
        _autograde(folder, lesson, student, log)
    except Exception:
        return Refused(student, "failed", log.reason())
    return None


def copy_gradebook(folder: CourseFolder) -> Path | None:
    """A copy of the gradebook as it is now, beside it; the oldest copies go."""
    if not folder.gradebook.is_file():
        return None
    copies = sorted(folder.root.glob("gradebook.db.before-*"))
    for old in copies[: max(0, len(copies) - KEPT_COPIES + 1)]:
        old.unlink()
    copy = folder.root / f"gradebook.db.before-{datetime.now():%Y%m%d-%H%M%S-%f}"
    with sqlite3.connect(folder.gradebook) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    source.close()
    target.close()
    return copy


def show(run: Run) -> None:
    """Print what was put right, what could not be graded, and the run in one line."""
    for found in run.marks:
        for sentence in in_words(found.notes, say):
            print(say("grade.note", student=found.student, note=sentence))
    for refused in run.refused:
        print(
            say(f"grade.{refused.reason}", student=refused.student, lesson=run.lesson, detail=refused.detail)
        )
    count = len(run.marks)
    print(
        say(
            "grade.summary",
            lesson=run.lesson,
            count=count,
            refused=len(run.refused),
            review=sum(any(verdict.needs_review for verdict in found.verdicts) for found in run.marks),
            mean=sum(found.points for found in run.marks) / count if count else 0.0,
            max=run.marks[0].max_points if count else 0.0,
            seconds=run.seconds,
        )
    )


def _chosen(folder: CourseFolder, lesson: str, students: Sequence[str]) -> list[str]:
    submitted = folder.students(lesson)
    if not submitted:
        raise Problem("grade.nothing", path=folder.root / "submitted", lesson=lesson)
    unknown = next((student for student in students if student not in submitted), None)
    if unknown:
        raise Problem("grade.unknown_student", student=unknown, lesson=lesson)
    return sorted(students) or submitted


def _with_progress(folder: CourseFolder, lesson: str, students: Sequence[str]) -> Iterator[Refused | None]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns) as progress:
        task = progress.add_task(lesson, total=len(students), rate="")
        started = time.monotonic()
        for number, student in enumerate(students, 1):
            progress.update(task, description=student)
            yield grade_one(folder, lesson, student)
            rate = number / (time.monotonic() - started) * 60
            progress.update(task, advance=1, rate=say("grade.rate", rate=rate))
        progress.update(task, description=lesson)


def _autograde(folder: CourseFolder, lesson: str, student: str, log: Log) -> None:
    from nbgrader.converters import Autograde
    from sqlalchemy.exc import SAWarning

    directory = folder.directory(lesson, MASTER_LANGUAGE)
    directory.student_id = glob.escape(student)
    directory.notebook_id = glob.escape(lesson)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader reads a submission before it is in the session
        Autograde(coursedir=directory, config=directory.config, force=True, log=log.logger()).start()
