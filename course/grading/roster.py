"""Roster: the students of the course in nbgrader's own table, with the names that the university writes.

A row of that table that grading had to add holds an id only; one that came from a roster, or from
formgrader's form, holds a name or an address too. So who is on the roster needs no table of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from course.grading.gradebook import exists
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder, find_alembic
from course.sheets.student_sheet import full_name
from course.text import Problem

if TYPE_CHECKING:
    from nbgrader.api import Gradebook

FIELDS = ("first_name", "last_name", "email", "lms_user_id")


@dataclass(frozen=True)
class Student:
    """One row of nbgrader's table of students; `lms_user_id` is the learning platform's number."""

    id: str
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    lms_user_id: str | None = None

    @property
    def name(self) -> str:
        """The whole name, as the university writes it; a roster without names has the id in its place."""
        name = full_name(self.first_name or "", self.last_name or "")
        return "" if name == self.id else name

    @property
    def on_roster(self) -> bool:
        """False for a student of whom grading knew an id only."""
        return any(getattr(self, name) for name in FIELDS)


@dataclass(frozen=True)
class Roster:
    """Everyone on the roster, by id; empty where none was ever read."""

    students: Mapping[str, Student] = field(default_factory=dict)

    @classmethod
    def read(cls, database: str) -> Roster:
        """From a gradebook; one that does not exist yet holds nobody."""
        found = (Student(**row) for row in _rows(database))
        return cls({student.id: student for student in found if student.on_roster})

    def __bool__(self) -> bool:
        return bool(self.students)

    def __contains__(self, student: object) -> bool:
        return student in self.students

    def name(self, student: str) -> str:
        """The student's name; empty where it is not known."""
        return self.students[student].name if student in self.students else ""

    def label(self, student: str) -> str:
        """The id, with the name where it is known."""
        return " ".join(filter(None, (student, self.name(student))))

    def outside(self, students: Iterable[str]) -> list[str]:
        """Of these, who is not on the roster; nobody where there is none."""
        return sorted(set(students) - set(self.students)) if self else []


def write(
    folder: CourseFolder, students: Iterable[Student], dropped: Iterable[str], database: str | None = None
) -> None:
    """Put these into the gradebook's table in one transaction, and take the dropped ones off the roster: who
    has handed in something stays with it under the bare id."""
    with nbgraders_gradebook(folder, database) as book:
        from nbgrader.api import Student as Row

        for student in students:
            book.db.merge(Row(**vars(student)))
        for row in book.db.query(Row).filter(Row.id.in_(list(dropped))):
            if row.submissions:
                for name in FIELDS:
                    setattr(row, name, None)
            else:
                book.db.delete(row)
        book.db.commit()


def nbgraders_gradebook(folder: CourseFolder, database: str | None = None) -> Gradebook:
    """nbgrader's own gradebook, made if it does not exist yet; a context manager."""
    from nbgrader.api import Gradebook

    find_alembic()
    directory = folder.config(MASTER_LANGUAGE).CourseDirectory
    course = directory.get("course_id")
    return Gradebook(database or folder.database, *([str(course)] if course else []))


def require_known(roster: Roster, others: Iterable[str], students: Iterable[str]) -> None:
    """Raise Problem for the first of these who is neither on the roster nor among the others."""
    known = {*roster.students, *others}
    for student in students:
        if student not in known:
            near = [one for one in sorted(known) if _bare(one) == _bare(student)]
            raise Problem("roster.unknown", student=student, near=", ".join(near) or "-")


def _bare(student: str) -> str:
    """An id without leading zeros and case: what somebody may have meant."""
    return student.casefold().lstrip("0")


def _rows(database: str) -> list[dict]:
    from sqlalchemy import MetaData, Table, create_engine, inspect, select

    if not exists(database):
        return []
    engine = create_engine(database)
    try:
        if "student" not in inspect(engine).get_table_names():
            return []
        table = Table("student", MetaData(), autoload_with=engine)
        wanted = select(*(table.c[name] for name in ("id", *FIELDS)))
        with engine.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(wanted)]
    finally:
        engine.dispose()
