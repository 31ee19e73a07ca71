"""Attendance: who is missing, refused, waiting, late or not on the roster in a lesson."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from course.grading.dates import Dates
from course.grading.roster import Roster
from course.lesson.folder import CourseFolder
from course.submission.files import json_object
from course.submission.notes import Note, in_words
from course.text import say


@dataclass(frozen=True)
class Refused:
    """A student whose work could not be taken, and what was said about it."""

    student: str
    why: str


@dataclass(frozen=True)
class LateHandIn:
    """A student who handed in late, and by how much, extension included."""

    student: str
    by: timedelta

    @property
    def days(self) -> float:
        """The length in days."""
        return self.by / timedelta(days=1)


@dataclass(frozen=True)
class Attendance:
    """Everyone of the course who is not simply there with points, each in one list; `late` are graded too."""

    roster: Roster
    missing: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    waiting: tuple[str, ...] = ()
    late: tuple[LateHandIn, ...] = ()
    outside: tuple[str, ...] = ()


def of(folder: CourseFolder, lesson: str, graded: Iterable[str], database: str | None = None) -> Attendance:
    """Who is where; without a roster nobody can be missing or outside."""
    url, graded = database or folder.database, set(graded)
    roster, dates, submitted = Roster.read(url), Dates.read(url, lesson), set(folder.students(lesson))
    told = sorted(path.stem for path in folder.refusals(lesson).glob("*.json"))
    turned_away = [found for name in told if (found := refused(folder, lesson, name))]
    not_taken = {found.student for found in turned_away}
    late = (LateHandIn(name, dates.late_by(name)) for name in sorted(graded))
    return Attendance(
        roster=roster,
        missing=tuple(sorted(set(roster.students) - submitted - graded - not_taken)),
        refused=tuple(turned_away),
        waiting=tuple(sorted(submitted - graded - not_taken)),
        late=tuple(found for found in late if found.by),
        outside=tuple(roster.outside({*submitted, *graded})),
    )


def lines(found: Attendance) -> list[tuple[str, list[str]]]:
    """What there is to say, a heading and its people each, in the language spoken."""
    label = found.roster.label
    said = [
        ("report.missing", [label(name) for name in found.missing]),
        ("report.refused", [f"{label(one.student)}: {one.why}" for one in found.refused]),
        ("report.ungraded", [label(name) for name in found.waiting]),
        (
            "report.late",
            [say("report.late_by", student=label(one.student), days=one.days) for one in found.late],
        ),
        ("report.outside", list(found.outside)),
    ]
    return [(say(key, count=len(people)), people) for key, people in said if people]


def refused(folder: CourseFolder, lesson: str, student: str) -> Refused | None:
    """A student of whom nothing could be taken, as the receipt says, and nothing earlier lies there."""
    receipt = json_object(folder.refused(student, lesson))
    if receipt.get("taken") is not False or folder.submitted(student, lesson).is_file():
        return None
    notes = [Note(str(one.get("key")), str(one.get("cell"))) for one in receipt.get("notes", [])]
    return Refused(student, " ".join(in_words(notes, say)))
