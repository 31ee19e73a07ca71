"""Verification: an archive opened in a temporary folder, graded again, and compared with its own points."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from course.archiving import archive
from course.archiving.lesson_rows import LessonRows
from course.collecting.archives import BAD_ZIP
from course.grading import grade, graded_log
from course.grading.gradebook import Gradebook
from course.grading.grading_run import GradingOptions, NotGraded
from course.grading.student_record import StudentRecord
from course.lesson.folder import CourseFolder
from course.sandbox.limits import ResourceLimits
from course.text import Problem, say
from helpers.facts import word
from helpers.text import read_lessons, spoken


@dataclass(frozen=True)
class Difference:
    """One student's points that came out otherwise, of a concept or for being late: `what` is to be read."""

    student: str
    what: str
    then: float
    now: float


@dataclass(frozen=True)
class Verification:
    """What became of an archive: how many were graded again, and what came out otherwise, with which
    versions."""

    lesson: str
    graded: int
    points: int
    differences: tuple[Difference, ...]
    refused: tuple[NotGraded, ...]
    other_versions: tuple[tuple[str, str, str], ...]
    is_same_grader: bool

    @property
    def agrees(self) -> bool:
        """True when everybody's work could be graded again and came to the same points."""
        return not self.differences and not self.refused


def verify(path: Path, *, trusted: bool = False) -> Verification:
    """Open, grade again, compare. The archive's configuration and tests run: it has to be one's own."""
    with tempfile.TemporaryDirectory() as space:
        about, rows = _unpacked(path, Path(space))
        lesson, here = about["lesson"], CourseFolder((Path(space) / archive.TOP).resolve())
        read_lessons(here.public_halves)
        database = f"sqlite:///{here.gradebook}"
        rows.restore(database)
        works = _works(here, lesson)
        then = _records(database, lesson, works)
        options = GradingOptions(
            only=tuple(works), regrade=True, trusted=trusted, gradebook=database, limits=_limits(here, works)
        )
        run = grade.grade(here, lesson, options=options) if works else None
        now = _records(database, lesson, works)
        return Verification(
            lesson=lesson,
            graded=len(run.graded) if run else 0,
            points=sum(len(record.grades) for record in then.values()),
            differences=tuple(_differences(then, now)),
            refused=run.refused if run else (),
            other_versions=tuple(_other_versions(about["versions"])),
            is_same_grader=about["grader"] == archive.grader(here, lesson),
        )


def show(found: Verification) -> None:
    """Print what came out otherwise, with what it may have to do with, and the result in one line."""
    for one in found.refused:
        print(say(f"grade.{one.reason}", student=one.student, lesson=found.lesson, detail=one.detail))
    for one in found.differences:
        print(say("archive.difference", student=one.student, what=one.what, then=one.then, now=one.now))
    for name, then, now in found.other_versions:
        print(say("archive.other_version", name=name, then=then, now=now))
    if not found.is_same_grader:
        print(say("archive.other_grader"))
    key = "archive.agrees" if found.agrees else "archive.differs"
    wrong = len(found.differences) + len(found.refused)
    print(say(key, lesson=found.lesson, count=found.graded, points=found.points, differences=wrong))


def _unpacked(path: Path, space: Path) -> tuple[dict, LessonRows]:
    """The archive's own words and rows; its files lie below `space` afterwards, each as its digest says."""
    try:
        with zipfile.ZipFile(path) as opened:
            about = json.loads(opened.read(archive.MANIFEST))
            if not isinstance(about, dict) or about.get("format") != archive.FORMAT:
                raise Problem("archive.none", path=path)
            for name, digest in about["files"].items():
                _unpack(opened, name, digest, space)
        return about, LessonRows.from_dict(json.loads((space / archive.ROWS).read_bytes()))
    except FileNotFoundError:
        raise Problem("archive.missing", path=path) from None
    except IsADirectoryError:
        raise Problem("archive.none", path=path) from None
    except (*BAD_ZIP, KeyError, TypeError, AttributeError) as problem:
        if isinstance(problem, OSError):
            raise
        key = "archive.damaged" if zipfile.is_zipfile(path) else "archive.none"
        raise Problem(key, path=path, name=str(problem).strip("'\"") or "-") from None


def _unpack(opened: zipfile.ZipFile, name: str, digest: str, space: Path) -> None:
    """Write one file below `space`; a name that would lead elsewhere, or other bytes, is a ValueError."""
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts or "\\" in name or ":" in name:
        raise ValueError(name)
    data = opened.read(name)
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError(name)
    target = space / place
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def _works(here: CourseFolder, lesson: str) -> list[str]:
    """Everyone whose graded work lies there as it was graded; a newer one, not graded yet, says nothing."""
    works = {student: here.submitted(student, lesson) for student in here.graded(lesson)}
    return [
        student
        for student, work in works.items()
        if work.is_file() and graded_log.came_of(here.autograded(student, lesson), work.read_bytes())
    ]


def _limits(here: CourseFolder, students: list[str]) -> ResourceLimits:
    """As much time as anybody had who needed it."""
    usual, met = ResourceLimits(), {}
    for student in students:
        log = graded_log.read(here.autograded(student, here.lessons()[0]))
        for name, value in (log.get("limits_met") or {}).items():
            met[name] = max(value, met.get(name, 0.0))
    seconds = (max(getattr(usual, name), met.get(name, 0.0)) for name in ("cell_seconds", "call_seconds"))
    return ResourceLimits.allowing(*seconds)


def _records(database: str, lesson: str, students: list[str]) -> dict[str, StudentRecord]:
    with Gradebook(database, lesson) as book:
        return book.records(students)


def _differences(then: Mapping[str, StudentRecord], now: Mapping[str, StudentRecord]) -> Iterator[Difference]:
    for student, before in then.items():
        after = now[student]
        for cell in sorted({*before.grades, *after.grades}):
            points = [
                record.grades[cell].points if cell in record.grades else 0.0 for record in (before, after)
            ]
            if abs(points[0] - points[1]) > 1e-9:
                yield Difference(student, word(spoken(), "concept", cell), *points)
        if abs(before.late_penalty - after.late_penalty) > 1e-9:
            yield Difference(student, say("archive.late"), before.late_penalty, after.late_penalty)


def _other_versions(then: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    now = archive.versions()
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            yield name, then.get(name, "-"), now.get(name, "-")
