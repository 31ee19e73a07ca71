"""Sittings as the gradebook knows them: the class's seed in a table of ours, the deadline in nbgrader's.

The seed lies in the gradebook, so that backups, moves and regrades keep it, and a class with a gradebook of
its own has another.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from course.grading.gradebook import exists
from course.lesson.sitting import Sitting

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

TABLE = "class_seed"
SEED_BYTES = 16


def sitting(url: str, lesson: str) -> Sitting:
    """The class's sitting of the lesson; a class that has no seed yet gets one, which `keep` writes down."""
    from sqlalchemy import create_engine, inspect

    if not exists(url):
        return Sitting(secrets.token_hex(SEED_BYTES))
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            tables = set(inspect(connection).get_table_names())
            seed = _seed(connection) if TABLE in tables else None
            is_over = "submitted_assignment" in tables and _is_over(connection, lesson)
        return Sitting(seed or secrets.token_hex(SEED_BYTES), is_over)
    finally:
        engine.dispose()


def keep(url: str, sitting: Sitting) -> Sitting:
    """Write the seed down, in a gradebook that nbgrader has made; one that was there before stays."""
    from sqlalchemy import create_engine

    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            _table().create(connection, checkfirst=True)
            kept = _seed(connection)
            if kept is None:
                connection.execute(_table().insert().values(seed=sitting.seed))
        return Sitting(kept or sitting.seed, sitting.is_over)
    finally:
        engine.dispose()


def _table() -> Table:
    from sqlalchemy import Column, MetaData, String, Table

    return Table(TABLE, MetaData(), Column("seed", String(64), primary_key=True))


def _seed(connection: Connection) -> str | None:
    from sqlalchemy import select

    return connection.execute(select(_table().c.seed).order_by(_table().c.seed).limit(1)).scalar()


def _is_over(connection: Connection, lesson: str) -> bool:
    """True when the due date has passed, with the longest extension that somebody has; never without one."""
    from sqlalchemy import DateTime, Interval, column, select, table

    assignment = table("assignment", column("id"), column("name"), column("duedate", DateTime))
    submitted = table("submitted_assignment", column("assignment_id"), column("extension", Interval))
    row = connection.execute(
        select(assignment.c.id, assignment.c.duedate).where(assignment.c.name == lesson)
    ).first()
    if row is None or row.duedate is None:
        return False
    wanted = select(submitted.c.extension).where(submitted.c.assignment_id == row.id)
    extensions = filter(None, connection.execute(wanted.distinct()).scalars())
    now = datetime.now(timezone.utc).replace(tzinfo=None)  # as nbgrader keeps its dates
    return row.duedate + max(extensions, default=timedelta(0)) < now
