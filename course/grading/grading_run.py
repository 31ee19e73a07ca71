"""A run of the grader: what was asked for, what came out, and how it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from course.grading.examiner import Verdict
from course.grading.student_record import StudentRecord
from course.lesson.folder import CourseFolder
from course.sandbox.limits import ResourceLimits
from course.submission.notes import Note, in_words
from course.text import Problem, few, say, sentence
from helpers.facts import word
from helpers.text import spoken


@dataclass(frozen=True)
class GradingOptions:
    """Who is graded, by how many, where, and where the grades go."""

    only: tuple[str, ...] = ()
    regrade: bool = False
    since: datetime | None = None
    trusted: bool = False
    every_cell: bool = False
    workers: int | None = None
    cluster: str | None = None
    gradebook: str | None = None
    limits: ResourceLimits = field(default_factory=ResourceLimits)


@dataclass(frozen=True)
class NotGraded:
    """A submission that could not be graded; the reason is a key of the catalog."""

    student: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class GradingRun:
    """One run of the grader: what came out, and how long it took."""

    folder: CourseFolder
    lesson: str
    graded: tuple[str, ...]
    done_before: tuple[str, ...]
    refused: tuple[NotGraded, ...]
    seconds: float
    trusted: bool = False
    database: str = ""
    interrupted: bool = False
    notes: tuple[tuple[str, tuple[Note, ...]], ...] = ()
    stopped: tuple[Verdict, ...] = ()  # of the reference, which failed these tests
    records: Mapping[str, StudentRecord] = field(default_factory=dict)
    max_points: float = 0.0

    @property
    def waiting(self) -> dict[str, list[str]]:
        """Everyone who waits for a person, by the cell that has to be looked at."""
        found: dict[str, list[str]] = {}
        for student, record in sorted(self.records.items()):
            for cell in record.waiting:
                found.setdefault(cell, []).append(student)
        return found

    @property
    def students(self) -> list[str]:
        """Everyone who is graded, in this run or before it."""
        return sorted({*self.graded, *self.done_before})


def moment(text: str) -> datetime:
    """The moment that an ISO date or time names, on this machine's clock where it names no zone."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise Problem("grade.no_moment", got=text) from None


def show(run: GradingRun) -> None:
    """Print what was put right, what could not be graded, and the run in one line."""
    for student, notes in run.notes:
        for note in in_words(notes, say):
            print(say("grade.note", student=student, note=note))
    for refused in run.refused:
        print(
            say(f"grade.{refused.reason}", student=refused.student, lesson=run.lesson, detail=refused.detail)
        )
    if run.trusted:
        print(say("grade.trusted"))
    if run.done_before:
        print(say("grade.done_before", count=len(run.done_before)))
    if run.interrupted:
        print(say("grade.interrupted", lesson=run.lesson))
    for verdict in run.stopped:
        where, error = verdict.facts.at(verdict.cell), sentence(verdict.facts)
        print(say("grade.stopped", cell=where, error=error))
    for cell, students in run.waiting.items():
        name, shown = word(spoken(), "concept", cell), few(students)
        print(say("grade.waiting", concept=name, count=len(students), students=shown))
    print(say("grade.summary", **_summary(run)))


def _summary(run: GradingRun) -> dict[str, Any]:
    found = run.records.values()
    return {
        "lesson": run.lesson,
        "count": len(run.graded),
        "refused": len(run.refused),
        "review": sum(record.needs_review for record in found),
        "mean": sum(record.points for record in found) / len(found) if found else 0.0,
        "max": run.max_points,
        "seconds": run.seconds,
    }
