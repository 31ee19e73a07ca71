"""Roster files: what a university exports about its students, into the gradebook's own table of students."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course.grading import backup
from course.grading.roster import FIELDS, Roster, Student, write
from course.lesson.folder import CourseFolder
from course.sheets import student_sheet
from course.sheets.columns import Kind
from course.sheets.student_sheet import SheetLine, StudentSheet
from course.text import Problem, say


@dataclass(frozen=True)
class RosterChange:
    """What a roster file changed: how many students it holds, who is new, who is renamed, who is not in it,
    whom it dropped, and the lines with a name but no id."""

    students: int
    new: tuple[str, ...]
    changed: tuple[str, ...]
    absent: tuple[str, ...]
    dropped: bool
    without_id: tuple[str, ...]
    same_names: tuple[str, ...]


def take(
    folder: CourseFolder,
    path: Path,
    sheet: str | None = None,
    named: Mapping[Kind, str] | None = None,
    drop_others: bool = False,
    database: str | None = None,
) -> RosterChange:
    """Write the students of a file into the gradebook; who is not in it stays, unless told otherwise."""
    url = database or folder.database
    found, without_id = students_in(path, sheet, named)
    before = Roster.read(url).students
    found = {name: _kept(student, before.get(name)) for name, student in found.items()}
    absent = sorted(set(before) - set(found))
    backup.copy(url, folder.root)
    write(folder, found.values(), absent if drop_others else (), url)
    return RosterChange(
        students=len(found),
        new=tuple(sorted(set(found) - set(before))),
        changed=tuple(name for name in sorted(found) if before.get(name, found[name]) != found[name]),
        absent=tuple(absent),
        dropped=drop_others,
        without_id=tuple(without_id),
        same_names=tuple(sorted(name for name, count in _names(found).items() if name and count > 1)),
    )


def students_in(
    path: Path, sheet: str | None = None, named: Mapping[Kind, str] | None = None
) -> tuple[dict[str, Student], list[str]]:
    """The students of a file by id, from every sheet that has a header, and the names without an id."""
    found: dict[str, Student] = {}
    without_id: list[str] = []
    for one in student_sheet.find(path, sheet, named):
        for line in one.lines:
            if one.key not in line.said:
                without_id.append(f"{line.row + 1} {line.name}")
                continue
            student = _student(one, line)
            other = found.setdefault(student.id, student)
            if other.name != student.name:
                raise Problem(
                    "roster.twice", path=path, student=student.id, names=f"{other.name}, {student.name}"
                )
    if not found:
        raise Problem("roster.nobody", path=path)
    return found, without_id


def show(change: RosterChange) -> None:
    """Print what a roster file changed."""
    for line in change.without_id:
        print(say("roster.without_id", line=line))
    for name in change.same_names:
        print(say("roster.same_name", name=name))
    if change.absent:
        key = "roster.dropped" if change.dropped else "roster.absent"
        print(say(key, count=len(change.absent), students=", ".join(change.absent)))
    print(say("roster.summary", count=change.students, new=len(change.new), changed=len(change.changed)))


def _student(sheet: StudentSheet, line: SheetLine) -> Student:
    column = sheet.columns.of(sheet.key)
    if sheet.table.rounded(line.row, column.place):
        raise Problem("roster.rounded", path=sheet.path, cell=sheet.place(line, sheet.key))
    name = student_sheet.student_id(line.said[sheet.key])
    if not name:
        raise Problem("roster.no_id", path=sheet.path, cell=sheet.place(line, sheet.key))
    first, last = line.split_name if line.name else ("", name)
    return Student(name, first, last, line.said.get("email"), line.said.get("lms"))


def _kept(student: Student, before: Student | None) -> Student:
    """The student, with what the gradebook knows and this file does not say."""
    if before is None:
        return student
    named = bool(student.name)
    said = {name: getattr(student, name) for name in FIELDS}
    known = {name: getattr(before, name) for name in FIELDS}
    names = {name: (said if named else known)[name] for name in ("first_name", "last_name")}
    rest = {name: said[name] or known[name] for name in ("email", "lms_user_id")}
    return Student(student.id, **names, **rest)


def _names(students: Mapping[str, Student]) -> Counter[str]:
    return Counter(one.name for one in students.values())
