"""Rows of nbgrader's tables: found or added, many with one statement, within a transaction of the caller."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table


@dataclass(frozen=True)
class TableRows:
    """Reads and writes rows by their places; `table` finds a table by its name."""

    connection: Connection
    table: Callable[[str], Table]

    def add_students(self, students: list[str]) -> None:
        from sqlalchemy import select

        table = self.table("student")
        known = set(self.connection.execute(select(table.c.id).where(table.c.id.in_(students))).scalars())
        if missing := [{"id": student} for student in students if student not in known]:
            self.connection.execute(table.insert(), missing)

    def found_or_added(
        self, name: str, place: Mapping[str, str], by: str, keys: Iterable[str]
    ) -> dict[str, str]:
        """The id of the row at this place for each key of the column `by`."""
        from sqlalchemy import select

        table, keys = self.table(name), list(keys)
        where = [table.c[column] == value for column, value in place.items()]
        rows = self.connection.execute(select(table.c[by], table.c.id).where(*where, table.c[by].in_(keys)))
        known = {row[0]: row[1] for row in rows}
        missing = {key: _new_id() for key in keys if key not in known}
        if missing:
            self.connection.execute(
                table.insert(), [{"id": row, by: key, **place} for key, row in missing.items()]
            )
        return known | missing

    def put(self, name: str, rows: list[dict[str, Any]]) -> None:
        """Write these rows, each by its notebook and cell. A manual score puts its cell in review, unless
        the row leaves that as it is (None)."""
        known = self._known(name, {row["notebook_id"] for row in rows})
        fresh, changed = [], []
        for row in rows:
            found = known.get((row["notebook_id"], row["cell_id"]))
            if found is None:
                fresh.append({"id": _new_id(), **row})
                continue
            values = {key: value for key, value in row.items() if key not in ("notebook_id", "cell_id")}
            if getattr(found, "manual_score", None) is not None:
                stays = values["needs_manual_grade"] is None
                values["needs_manual_grade"] = found.needs_manual_grade if stays else True
            changed.append({"of": found.id, **values})
        if fresh:
            self.connection.execute(self.table(name).insert(), fresh)
        self.update(name, changed)

    def _known(self, name: str, notebooks: set[str]) -> dict[tuple[str, str], Any]:
        from sqlalchemy import select

        table = self.table(name)
        rows = self.connection.execute(select(table).where(table.c.notebook_id.in_(notebooks)))
        return {(row.notebook_id, row.cell_id): row for row in rows}

    def update(self, name: str, rows: list[dict[str, Any]]) -> None:
        """Change the columns that the rows name in the row with the id `of`."""
        from sqlalchemy import bindparam

        table = self.table(name)
        if rows:
            self.connection.execute(table.update().where(table.c.id == bindparam("of")), rows)


def _new_id() -> str:
    return uuid.uuid4().hex
