"""LessonRows: what the gradebook holds of one lesson, as plain JSON that any later nbgrader can take in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from course.grading import audit, sittings
from course.grading.audit import AuditLine
from course.lesson.folder import find_alembic
from course.lesson.sitting import Sitting

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection, Table

AT_ONCE = 500
# Each table with the column that names its parent, parents first
OF_THE_LESSON = (
    ("notebook", "assignment_id", "assignment"),
    ("base_cell", "notebook_id", "notebook"),
    ("grade_cells", "id", "base_cell"),
    ("solution_cells", "id", "base_cell"),
    ("task_cells", "id", "base_cell"),
    ("source_cell", "notebook_id", "notebook"),
    ("submitted_assignment", "assignment_id", "assignment"),
    ("submitted_notebook", "assignment_id", "submitted_assignment"),
    ("grade", "notebook_id", "submitted_notebook"),
    ("comment", "notebook_id", "submitted_notebook"),
)
Row = dict[str, Any]


@dataclass(frozen=True)
class LessonRows:
    """Rows of nbgrader's tables by table, the class's seed, and the lines of regrades."""

    tables: dict[str, list[Row]]
    seed: str
    audit: tuple[AuditLine, ...] = ()

    @classmethod
    def read(cls, database: str, lesson: str) -> LessonRows:
        """From a gradebook that knows the lesson, in an order that does not change."""
        from sqlalchemy import create_engine

        engine = create_engine(database)
        try:
            with engine.connect() as connection:
                tables = dict(_tables(connection, lesson))
        finally:
            engine.dispose()
        return cls(tables, sittings.sitting(database, lesson).seed, tuple(audit.of_lesson(database, lesson)))

    @classmethod
    def from_dict(cls, data: dict) -> LessonRows:
        """From what `to_dict` wrote down."""
        return cls(data["tables"], data["seed"], tuple(AuditLine(**line) for line in data["audit"]))

    def to_dict(self) -> dict:
        """As JSON holds it: moments in ISO 8601, lengths of time in seconds."""
        return {"tables": self.tables, "seed": self.seed, "audit": [asdict(line) for line in self.audit]}

    def restore(self, database: str) -> None:
        """Into a gradebook that does not exist yet. Columns that nbgrader no longer has are left out."""
        from nbgrader.api import Base, Gradebook

        find_alembic()
        with Gradebook(database) as book, book.engine.begin() as connection:
            for name, rows in self.tables.items():
                table = Base.metadata.tables[name]
                known = [_known(table, row) for row in rows]
                if name == "course":  # nbgrader has made one of its own
                    connection.execute(table.delete())
                if known:
                    connection.execute(table.insert(), known)
            audit.write(connection, self.audit)
        sittings.keep(database, Sitting(self.seed))


def _tables(connection: Connection, lesson: str) -> Iterator[tuple[str, list[Row]]]:
    from nbgrader.api import Base

    tables = Base.metadata.tables
    found = {"assignment": _rows(connection, tables["assignment"], "name", [lesson])}
    for name, column, parent in OF_THE_LESSON:
        found[name] = _rows(connection, tables[name], column, [row["id"] for row in found[parent]])
    courses = {row["course_id"] for row in found["assignment"]} - {None}
    students = {row["student_id"] for row in found["submitted_assignment"]}
    yield "course", _rows(connection, tables["course"], "id", sorted(courses))
    yield "student", _rows(connection, tables["student"], "id", sorted(students))
    yield from found.items()


def _rows(connection: Connection, table: Table, column: str, keys: list[str]) -> list[Row]:
    from sqlalchemy import select

    found: list[Row] = []
    for start in range(0, len(keys), AT_ONCE):
        wanted = select(table).where(table.c[column].in_(keys[start : start + AT_ONCE]))
        found += (_plain(row) for row in connection.execute(wanted).mappings())
    return sorted(found, key=lambda row: row["id"])


def _plain(row: Iterable) -> Row:
    return {name: _written(value) for name, value in row.items()}


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else value


def _known(table: Table, row: Row) -> Row:
    return {name: _value(table.c[name], value) for name, value in row.items() if name in table.c}


def _value(column: Column, value: Any) -> Any:
    kind = column.type.python_type
    if value is None or isinstance(value, kind):
        return value
    if kind is datetime:
        return datetime.fromisoformat(value)
    return timedelta(seconds=value) if kind is timedelta else value
