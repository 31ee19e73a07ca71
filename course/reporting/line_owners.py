"""Line owners: which student of the course stands in which line of a sheet. Nobody is guessed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from course.grading.roster import Roster, Student
from course.sheets.student_sheet import KEYS, SheetLine, StudentSheet, full_name, student_id
from course.text import Problem

By = Literal["id", "login", "email", "lms", "zeros", "name"]
NUMBERED = re.compile(r".+_(\d+)$")  # an id made of a platform's file name, which ends with its number


@dataclass(frozen=True)
class LineOwner:
    """A student, the line (row from 0), and what the student is known by."""

    student: str
    row: int
    by: By


@dataclass(frozen=True)
class LineOwners:
    """A line that has a student's number is matched by numbers and addresses only; by the name only where the
    sheet has none that the course knows, and only one that nobody else has, here or there."""

    sheet: StudentSheet
    roster: Roster
    students: frozenset[str]

    def all(self) -> list[LineOwner]:
        """Everyone in the sheet, in its order; a student in two lines is a Problem."""
        found = [owner for owner in map(self._owner, self.sheet.lines) if owner is not None]
        lines: dict[str, int] = {}
        for owner in found:
            if owner.student in lines:
                rows = f"{lines[owner.student] + 1}, {owner.row + 1}"
                raise Problem("export.twice", path=self.sheet.path, student=owner.student, rows=rows)
            lines[owner.student] = owner.row
        return found

    def _owner(self, line: SheetLine) -> LineOwner | None:
        for kind in self._keys:
            student = self._by[kind].get(_key(line.said.get(kind, "")))
            if student:
                return LineOwner(student, line.row, kind)
        bare = _without_zeros(line.said.get("id", ""))
        if bare in self._by["zeros"] and self._bare_ids_in_sheet[bare] == 1:
            return LineOwner(self._by["zeros"][bare], line.row, "zeros")
        if self._keys or self._names_in_sheet[_person(line)] > 1:
            return None
        student = self._by["name"].get(_person(line))
        return LineOwner(student, line.row, "name") if student else None

    @cached_property
    def _keys(self) -> list[By]:
        """The columns in which the sheet names a student of the course."""
        return [
            kind
            for kind in KEYS
            if any(_key(line.said.get(kind, "")) in self._by[kind] for line in self.sheet.lines)
        ]

    @cached_property
    def _by(self) -> Mapping[By, dict[str, str]]:
        """For each kind of key, whose it is; a key that two students share is nobody's."""
        everyone = [self.roster.students.get(name, Student(name)) for name in sorted(self.students)]
        ids = _single((_key(one.id), one.id) for one in everyone)
        numbered = ((NUMBERED.match(one.id), one.id) for one in everyone if one.id not in self.roster)
        return {
            "id": ids,
            "login": ids,
            "email": _single((_key(one.email or ""), one.id) for one in everyone),
            "lms": _single(
                [
                    *((_key(one.lms_user_id or ""), one.id) for one in everyone),
                    *((found[1], name) for found, name in numbered if found),
                ]
            ),
            "zeros": _single((_without_zeros(one.id), one.id) for one in everyone),
            "name": _single((folded(one.name), one.id) for one in everyone),
        }

    @cached_property
    def _bare_ids_in_sheet(self) -> Counter[str]:
        return Counter(_without_zeros(line.said.get("id", "")) for line in self.sheet.lines)

    @cached_property
    def _names_in_sheet(self) -> Counter[str]:
        return Counter(map(_person, self.sheet.lines))


def _single(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The pairs whose key says something and is one student's only."""
    found: dict[str, set[str]] = {}
    for key, student in pairs:
        found.setdefault(key, set()).add(student)
    return {key: next(iter(who)) for key, who in found.items() if key and len(who) == 1}


def _key(text: str) -> str:
    return student_id(text).casefold()


def _without_zeros(text: str) -> str:
    """A number without the zeros before it, which a spreadsheet takes away; nothing for what is none."""
    key = _key(text)
    return key.lstrip("0") if key.isdigit() else ""


def _person(line: SheetLine) -> str:
    return folded(full_name(*line.split_name))


def folded(name: str) -> str:
    """A name for comparing: one form of its letters, no case, single spaces."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", name)).strip().casefold()
