"""Dates: when a lesson is due, who has longer, and who handed in when; nbgrader's own columns, in UTC."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from course.grading import lateness
from course.grading.gradebook import exists
from course.grading.roster import Roster, nbgraders_gradebook, require_known
from course.lesson.folder import CourseFolder
from course.text import Problem, say

END_OF_DAY = timedelta(hours=23, minutes=59, seconds=59)
SHOWN = "%Y-%m-%d %H:%M:%S %Z (UTC%z)"
OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
EPOCH = datetime(1970, 1, 1)  # SQLite has no intervals: nbgrader's are stored as moments after it
NONE = frozenset({"none", "无"})
TABLES = ("assignment", "submitted_assignment")


@dataclass(frozen=True)
class Dates:
    """A lesson's dates: when it is due, by how much whose date is later, when who handed in; all in UTC."""

    due: datetime | None = None
    extensions: Mapping[str, timedelta] = field(default_factory=dict)
    handed_in: Mapping[str, datetime] = field(default_factory=dict)

    @classmethod
    def read(cls, database: str, lesson: str) -> Dates:
        """From a gradebook; one that does not know the lesson has no dates."""
        return _read(database, lesson)

    def due_for(self, student: str) -> datetime | None:
        """When the lesson is due for this student."""
        return self.due and self.due + self.extensions.get(student, timedelta())

    def late_by(self, student: str) -> timedelta:
        """How long after that the student handed in; nothing for one in time."""
        due, handed_in = self.due_for(student), self.handed_in.get(student)
        return max(timedelta(), handed_in - due) if due and handed_in else timedelta()


def set_due(folder: CourseFolder, lesson: str, due: datetime | None, database: str | None = None) -> None:
    """Set the lesson's date, or take it away together with the extensions; penalties follow."""
    with nbgraders_gradebook(folder, database) as book:
        moment = due and due.astimezone(timezone.utc).replace(tzinfo=None)
        assignment = book.update_or_create_assignment(lesson, duedate=moment)
        if moment is None:
            for submission in assignment.submissions:
                submission.extension = None
            book.db.commit()
    lateness.refresh(folder, lesson, database)


def extend(
    folder: CourseFolder,
    lesson: str,
    students: Iterable[str],
    by: timedelta | None = None,
    until: datetime | None = None,
    database: str | None = None,
) -> dict[str, datetime]:
    """Give these students longer, or the common date again; returns their dates. Extensions do not add up."""
    url, students = database or folder.database, list(dict.fromkeys(students))
    dates = Dates.read(url, lesson)
    if dates.due is None:
        raise Problem("dates.no_due", lesson=lesson)
    longer = by if until is None else until.astimezone(timezone.utc) - dates.due
    if longer is None or longer < timedelta():
        raise Problem("dates.earlier", due=shown(dates.due))
    require_known(Roster.read(url), {*folder.students(lesson), *dates.handed_in}, students)
    with nbgraders_gradebook(folder, database) as book:
        for student in students:
            _submission(book, lesson, student).extension = longer or None
        book.db.commit()
    lateness.refresh(folder, lesson, database)
    return dict.fromkeys(students, dates.due + longer)


def moment(text: str, zone: tzinfo | None = None) -> datetime:
    """The moment that a date names, in this zone or the machine's; a day alone means its end."""
    try:
        found = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        raise Problem("dates.no_moment", got=text) from None
    if re.fullmatch(r"\d{4}-?\d\d-?\d\d", text.strip()):
        found += END_OF_DAY
    if found.tzinfo is not None:
        return found
    found = found.astimezone() if zone is None else found.replace(tzinfo=zone, fold=1)
    if found.astimezone(timezone.utc).astimezone(found.tzinfo).replace(tzinfo=None) != found.replace(
        tzinfo=None
    ):
        raise Problem("dates.no_such_time", got=text, zone=zone)
    return found


def zone(name: str | None) -> tzinfo | None:
    """A time zone by its name, such as Asia/Shanghai, or by its distance from UTC, such as +08:00."""
    if name is None:
        return None
    offset = OFFSET.fullmatch(name)
    try:
        if offset:
            distance = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
            return timezone(-distance if offset[1] == "-" else distance)
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        raise Problem("dates.no_zone", got=name) from None


def shown(when: datetime, zone: tzinfo | None = None) -> str:
    """A moment with its zone's name and its distance from UTC."""
    return when.astimezone(zone).strftime(SHOWN)


def in_words(
    folder: CourseFolder, lesson: str, zone: tzinfo | None = None, database: str | None = None
) -> list[str]:
    """When the lesson is due, and who has longer, in sentences that name the zone."""
    url = database or folder.database
    found, roster = Dates.read(url, lesson), Roster.read(url)
    if found.due is None:
        return [say("dates.none", lesson=lesson)]
    longer = [
        say("dates.extended", student=roster.label(name), due=shown(found.due + found.extensions[name], zone))
        for name in sorted(found.extensions)
    ]
    return [
        say("dates.due", lesson=lesson, due=shown(found.due, zone), utc=shown(found.due, timezone.utc)),
        *longer,
    ]


def is_none(text: str) -> bool:
    """True for the word that takes a date away."""
    return text.strip().casefold() in NONE


def _submission(book: object, lesson: str, student: str) -> object:
    """The student's row for this lesson; a bare one where nothing was handed in yet."""
    from nbgrader.api import MissingEntry, Student, SubmittedAssignment

    try:
        return book.find_submission(lesson, student)
    except MissingEntry:
        known = book.db.merge(Student(id=student))
        made = SubmittedAssignment(assignment=book.find_assignment(lesson), student=known)
        book.db.add(made)
        return made


def _read(database: str, lesson: str) -> Dates:
    from sqlalchemy import MetaData, Table, create_engine, inspect, select

    if not exists(database):
        return Dates()
    engine = create_engine(database)
    try:
        if not set(TABLES) <= set(inspect(engine).get_table_names()):
            return Dates()
        assignment, submitted = (Table(name, MetaData(), autoload_with=engine) for name in TABLES)
        columns = (submitted.c.student_id, submitted.c.timestamp, submitted.c.extension)
        with engine.connect() as connection:
            due = connection.execute(
                select(assignment.c.id, assignment.c.duedate).where(assignment.c.name == lesson)
            ).one_or_none()
            rows = connection.execute(
                select(*columns).where(submitted.c.assignment_id == (due.id if due else None))
            ).all()
        return Dates(
            due=_utc(due.duedate) if due else None,
            extensions={row.student_id: _length(row.extension) for row in rows if row.extension is not None},
            handed_in={row.student_id: _utc(row.timestamp) for row in rows if row.timestamp is not None},
        )
    finally:
        engine.dispose()


def _utc(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(tzinfo=timezone.utc)


def _length(stored: datetime | timedelta) -> timedelta:
    return stored if isinstance(stored, timedelta) else stored - EPOCH
