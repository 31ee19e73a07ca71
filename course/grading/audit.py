"""Audit: what a regrade changed, and who did it when and why: a table of ours beside nbgrader's.

It is only ever added to, in the transaction that changes the points, so backups and moves keep it with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from course.grading.gradebook import exists

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

TABLE = "regrade_audit"


@dataclass(frozen=True)
class AuditLine:
    """One student's points of one concept, before and after; `at` is a moment in UTC as ISO 8601 has it."""

    at: str
    by: str
    lesson: str
    concept: str
    student: str
    points_before: float
    points_after: float
    why: str


def write(connection: Connection, lines: Iterable[AuditLine]) -> None:
    """Add these lines, in the caller's transaction."""
    rows = [asdict(line) for line in lines]
    _table().create(connection, checkfirst=True)
    if rows:
        connection.execute(_table().insert(), rows)


def read(database: str, lesson: str, student: str) -> list[AuditLine]:
    """A student's lines in a lesson, the oldest first."""
    return [line for line in of_lesson(database, lesson) if line.student == student]


def of_lesson(database: str, lesson: str) -> list[AuditLine]:
    """A lesson's lines, the oldest first; none in a gradebook that never saw a regrade."""
    from sqlalchemy import create_engine, inspect, select

    if not exists(database):
        return []
    engine, table = create_engine(database), _table()
    try:
        if TABLE not in inspect(engine).get_table_names():
            return []
        columns = [column for column in table.c if column.name != "id"]
        wanted = select(*columns).where(table.c.lesson == lesson).order_by(table.c.id)
        with engine.connect() as connection:
            return [AuditLine(**row) for row in connection.execute(wanted).mappings()]
    finally:
        engine.dispose()


def _table() -> Table:
    from sqlalchemy import Column, Float, Integer, MetaData, Table, Text

    texts = ("at", "by", "lesson", "concept", "student", "why")
    return Table(
        TABLE,
        MetaData(),
        Column("id", Integer, primary_key=True),
        *(Column(name, Text, nullable=False) for name in texts),
        *(Column(name, Float, nullable=False) for name in ("points_before", "points_after")),
    )
