"""Backups: the gradebook as it was before a run, as an SQLite file; the oldest go."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from datetime import datetime
from pathlib import Path

from course.grading.gradebook import PATIENCE_SECONDS

KEPT_COPIES = 10
ROWS_AT_ONCE = 5_000  # a class's grades may not fit into memory


def copy(url: str, folder: Path) -> Path | None:
    """A copy of the gradebook as it is now, as an SQLite file in `folder`; the oldest copies go."""
    path = folder / f"gradebook.db.before-{datetime.now():%Y%m%d-%H%M%S-%f}"
    old = sorted(folder.glob("gradebook.db.before-*"))
    part = path.with_name(f".{path.name}.part")
    try:
        if not (_copy_file(url, part) if url.startswith("sqlite:///") else _copy_tables(url, part)):
            return None
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    for one in old[: max(0, len(old) - KEPT_COPIES + 1)]:
        one.unlink()
    return path


def _copy_file(url: str, path: Path) -> bool:
    original = Path(url.removeprefix("sqlite:///"))
    if not original.is_file():
        return False
    with (
        contextlib.closing(sqlite3.connect(original, timeout=PATIENCE_SECONDS)) as source,
        contextlib.closing(sqlite3.connect(path)) as target,
    ):
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master")  # waits for a lock; `backup` would for ever
        source.backup(target)
    return True


def _copy_tables(url: str, path: Path) -> bool:
    """From any other database, table by table."""
    from sqlalchemy import MetaData, create_engine, select

    source, target = create_engine(url), create_engine(f"sqlite:///{path}")
    try:
        found = MetaData()
        found.reflect(source)
        if not found.tables:
            return False
        for column in (column for table in found.tables.values() for column in table.columns):
            column.type, column.server_default = column.type.as_generic(), None
        found.create_all(target)
        with source.connect() as reading, target.begin() as writing:
            for table in found.sorted_tables:
                reading.execution_options(yield_per=ROWS_AT_ONCE)
                for rows in reading.execute(select(table)).mappings().partitions():
                    writing.execute(table.insert(), [dict(row) for row in rows])
        return True
    finally:
        source.dispose()
        target.dispose()
