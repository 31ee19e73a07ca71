"""Dates: when a lesson is due, who has longer, who handed in when; what a date in words means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from course.grading.gradebook import exists
from course.text import Problem

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


def is_none(text: str) -> bool:
    """True for the word that takes a date away."""
    return text.strip().casefold() in NONE


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
