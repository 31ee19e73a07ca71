"""Certificate: a page that says what a student reached in a lesson, signed by the instructor, offline.

It holds a name only where the instructor asked for names. What it says stands on it as JSON too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from course.grading import lateness
from course.grading.roster import Roster
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.reporting import feedback, marks, signing
from course.reporting.marks import Marks
from course.reporting.signing import SigningKey
from course.text import Problem
from helpers import writing
from helpers.text import LANGUAGES

FORMAT = "iteration-budget-certificate/v1"
FOLDER = "certificates"
LARGEST_BYTES = 1_000_000
MORE_THAN_NOTHING = 1e-9
DATA = re.compile(rb'<script type="application/json" id="certificate">([^<]*)</script>')


@dataclass(frozen=True)
class Certificate:
    """What is certified; `name` is empty unless it was asked for. `exercises` are [title, points, of]."""

    lesson: str
    title: str
    language: str
    student: str
    name: str
    points: float
    max_points: float
    exercises: tuple[tuple[str, float, float], ...]
    issued: str
    key: str

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Certificate:
        """From a page that was verified; ValueError for a format of another time."""
        if data.get("format") != FORMAT:
            raise ValueError(f"format must be {FORMAT}, got {data.get('format')!r}")
        values = {name: value for name, value in data.items() if name != "format"}
        return cls(**{**values, "exercises": tuple(map(tuple, values["exercises"]))})

    def page(self) -> str:
        """The page, not signed yet."""
        content = json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=True, sort_keys=True)
        return (
            feedback.pages()
            .get_template("certificate.html")
            .render(
                say=feedback.speaker(self.language if self.language in LANGUAGES else "en"),
                style=feedback.style(),
                found=self,
                data=feedback.verbatim(content.replace("<", "\\u003c")),
            )
        )


@dataclass(frozen=True)
class IssueOptions:
    """With which key, into which folder (`certificates/` of the course), with names or not, for how many
    points at least, from which gradebook."""

    key: SigningKey
    into: Path | None = None
    named: bool = False
    least: float = 0.0
    database: str | None = None


@dataclass(frozen=True)
class Issued:
    """The pages that were written into a folder, and who got none: a person still has to give points, or the
    points do not reach."""

    folder: Path
    pages: tuple[Path, ...]
    waiting: tuple[str, ...]
    below: tuple[str, ...]


def issue(folder: CourseFolder, lesson: str, students: Sequence[str], options: IssueOptions) -> Issued:
    """Write and sign the page of these students, or of everyone who was graded; all pages, or none.

    Who has 0 points, or less than wanted, gets none.
    """
    private, database = options.key.private_key(), options.database
    lateness.refresh(folder, lesson, database)
    graded = feedback.on_roster(folder, lesson, database)
    missing = sorted({*students} - {*marks.graded(folder, lesson)})
    if missing or not graded:
        raise Problem("feedback.not_graded", student=", ".join(missing) or "*", lesson=lesson)
    found = list(marks.of_students(folder, lesson, sorted({*students}) or graded, database))
    waiting = tuple(one.student for one in found if one.waiting)
    least = max(options.least, MORE_THAN_NOTHING)
    below = tuple(one.student for one in found if not one.waiting and one.points < least)
    roster = Roster.read(database or folder.database) if options.named else None
    place, made = (options.into or folder.root / FOLDER) / lesson, {}
    for one in (one for one in found if one.student not in {*waiting, *below}):
        name = roster.name(one.student) if roster else ""
        page = _certificate(folder, lesson, one, name, signing.fingerprint(private.public_key())).page()
        made[place / f"{one.student}.html"] = signing.signed(page.encode("utf-8", "replace"), private)
    writing.write_all(made)
    return Issued(place, tuple(made), waiting, below)


def verify(path: Path, public: Path) -> Certificate:
    """What a page certifies; one that this key did not sign, or that was changed since, is refused."""
    key = signing.public_key(public)
    if not path.is_file():
        raise Problem("verify.missing", path=path)
    if path.stat().st_size > LARGEST_BYTES:
        raise Problem("verify.refused", path=path, key=signing.fingerprint(key))
    page = path.read_bytes()
    if not signing.is_signed(page, key):
        raise Problem("verify.refused", path=path, key=signing.fingerprint(key))
    try:
        (content,) = DATA.findall(page)
        return Certificate.from_dict(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Problem("verify.other_version", path=path) from None


def _certificate(folder: CourseFolder, lesson: str, found: Marks, name: str, key: str) -> Certificate:
    master = marks.master(folder, lesson, found.language)
    groups = (
        (exercise, list(own)) for exercise, own in groupby(found.concepts, key=lambda one: one.exercise)
    )
    return Certificate(
        lesson=lesson,
        title=notebooks.title(master) or lesson,
        language=found.language,
        student=found.student,
        name=name,
        points=found.points,
        max_points=found.max_points,
        exercises=tuple(
            (
                marks.concept_name(exercise, found.language),
                sum(mark.points for mark in own),
                sum(mark.max_points for mark in own),
            )
            for exercise, own in groups
        ),
        issued=date.today().isoformat(),
        key=key,
    )
