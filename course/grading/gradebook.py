"""The record: nbgrader's gradebook, written in one session for a whole class; SQLite or PostgreSQL.

The tables are nbgrader's own, found in the database, so that nothing of nbgrader has to be imported to
write a grade. Manual scores, extra credit and manual comments are never touched.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.grading.assessment import Assessment

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Table

KEPT_COPIES = 10
NO_RESPONSE = "No response."
TABLES = (
    "course", "assignment", "notebook", "base_cell", "grade_cells", "solution_cells", "task_cells",
    "source_cell",
    "student", "submitted_assignment", "submitted_notebook", "grade", "comment",
)  # fmt: skip


@dataclass(frozen=True)
class GradeEntry:
    """One student's assessment, to be written down."""

    student: str
    assessment: Assessment
    timestamp: datetime | None = None


@dataclass(frozen=True)
class Standing:
    """One student's points in a lesson, and whether a person still has to look."""

    points: float
    needs_review: bool


@dataclass
class Gradebook:
    """The gradebook at a database URL; a context manager."""

    url: str
    lesson: str
    _engine: Engine | None = None
    _known: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Gradebook:
        from sqlalchemy import create_engine, event

        self._engine = create_engine(self.url)
        if self.url.startswith("sqlite"):
            event.listen(self._engine, "connect", _patient)
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def holds(self, cells: Mapping[str, str]) -> bool:
        """True when the lesson is in the gradebook with exactly these sources of cells."""
        from sqlalchemy import inspect, select

        if not set(TABLES) <= set(inspect(self._engine).get_table_names()):
            return False
        source, notebook = self._table("source_cell"), self._table("notebook")
        wanted = select(source.c.name, source.c.source).join(notebook, source.c.notebook_id == notebook.c.id)
        with self._engine.connect() as connection:
            rows = connection.execute(wanted.where(notebook.c.name == self.lesson)).all()
        return {row[0]: row[1] for row in rows} == dict(cells)

    def students(self) -> set[str]:
        """Everyone with a row for this lesson."""
        from sqlalchemy import select

        submitted = self._table("submitted_assignment")
        with self._engine.connect() as connection:
            wanted = select(submitted.c.student_id).where(submitted.c.assignment_id == self._assignment_id)
            return set(connection.execute(wanted).scalars())

    def standings(self) -> dict[str, Standing]:
        """What everyone has in this lesson by now, with manual scores, extra credit and late penalties."""
        from sqlalchemy import func, select

        grade, notebook, submitted = (
            self._table(t) for t in ("grade", "submitted_notebook", "submitted_assignment")
        )
        score = func.coalesce(grade.c.manual_score, grade.c.auto_score, 0.0) + func.coalesce(
            grade.c.extra_credit, 0.0
        )
        penalty = func.coalesce(func.max(notebook.c.late_submission_penalty), 0.0)
        review = func.sum(case_review(grade))
        wanted = (
            select(submitted.c.student_id, func.sum(score) - penalty, review)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .where(submitted.c.assignment_id == self._assignment_id)
            .group_by(submitted.c.student_id)
        )
        with self._engine.connect() as connection:
            return {
                who: Standing(float(points), bool(open_)) for who, points, open_ in connection.execute(wanted)
            }

    def late(self, students: Iterable[str]) -> list[str]:
        """Of these, everyone who handed in after the due date, or whom an earlier run gave a penalty."""
        from sqlalchemy import or_, select

        assignment, submitted, notebook = (
            self._table(t) for t in ("assignment", "submitted_assignment", "submitted_notebook")
        )
        wanted = (
            select(submitted.c.student_id)
            .join(assignment, submitted.c.assignment_id == assignment.c.id)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .where(submitted.c.assignment_id == self._assignment_id)
            .where(
                or_(
                    submitted.c.timestamp > assignment.c.duedate,
                    notebook.c.late_submission_penalty.is_not(None),
                )
            )
        )
        with self._engine.connect() as connection:
            return sorted(set(connection.execute(wanted).scalars()) & set(students))

    def write(self, entries: Iterable[GradeEntry]) -> None:
        """Write these assessments in one transaction."""
        with self._engine.begin() as connection:
            for entry in entries:
                self._write_one(connection, entry)

    def _write_one(self, connection: Connection, entry: GradeEntry) -> None:
        notebook = self._submitted_notebook(connection, entry)
        scores = {verdict.cell: verdict.score for verdict in entry.assessment.verdicts}
        self._write_grades(connection, notebook, scores)
        self._write_comments(connection, notebook, entry.assessment.no_response)

    def _submitted_notebook(self, connection: Connection, entry: GradeEntry) -> str:
        student = self._table("student")
        self._find_or_add(connection, student, {"id": entry.student}, {}, key=None)
        submitted = self._table("submitted_assignment")
        place = {"assignment_id": self._assignment_id, "student_id": entry.student}
        values = {"timestamp": entry.timestamp} if entry.timestamp is not None else {}
        assignment = self._find_or_add(connection, submitted, place, values)
        if values:
            connection.execute(submitted.update().where(submitted.c.id == assignment).values(values))
        place = {"notebook_id": self._notebook_id, "assignment_id": assignment}
        return self._find_or_add(connection, self._table("submitted_notebook"), place, {})

    def _write_grades(
        self, connection: Connection, notebook: str, scores: Mapping[str, float | None]
    ) -> None:
        grade = self._table("grade")
        known = self._rows(connection, grade, notebook)
        fresh = []
        for name, cell in self._graded_cells.items():
            score = scores.get(name)
            manual = known[cell].manual_score if cell in known else None
            values = {"auto_score": score, "needs_manual_grade": score is None or manual is not None}
            if cell in known:
                connection.execute(grade.update().where(grade.c.id == known[cell].id).values(values))
            else:
                fresh.append({"id": _new_id(), "cell_id": cell, "notebook_id": notebook, **values})
        if fresh:
            connection.execute(grade.insert(), fresh)

    def _write_comments(self, connection: Connection, notebook: str, no_response: frozenset[str]) -> None:
        comment = self._table("comment")
        known = self._rows(connection, comment, notebook)
        fresh = []
        for name, cell in self._commented_cells.items():
            values = {"auto_comment": NO_RESPONSE if name in no_response else None}
            if cell in known:
                connection.execute(comment.update().where(comment.c.id == known[cell].id).values(values))
            else:
                fresh.append({"id": _new_id(), "cell_id": cell, "notebook_id": notebook, **values})
        if fresh:
            connection.execute(comment.insert(), fresh)

    def _rows(self, connection: Connection, table: Table, notebook: str) -> dict[str, Any]:
        from sqlalchemy import select

        return {
            row.cell_id: row
            for row in connection.execute(select(table).where(table.c.notebook_id == notebook))
        }

    def _find_or_add(
        self, connection: Connection, table: Table, place: Mapping, values: Mapping, key: str | None = "id"
    ) -> str:
        from sqlalchemy import select

        where = [table.c[name] == value for name, value in place.items()]
        found = connection.execute(select(table.c.id).where(*where)).scalar()
        if found is not None:
            return found
        row = {**({key: _new_id()} if key else {}), **place, **values}
        connection.execute(table.insert().values(row))
        return row["id"]

    def _table(self, name: str) -> Table:
        return self._tables[name]

    @cached_property
    def _tables(self) -> dict[str, Table]:
        from sqlalchemy import MetaData

        found = MetaData()
        found.reflect(self._engine, only=TABLES)
        return dict(found.tables)

    @cached_property
    def _assignment_id(self) -> str:
        return self._one("assignment", name=self.lesson)

    @cached_property
    def _notebook_id(self) -> str:
        return self._one("notebook", name=self.lesson, assignment_id=self._assignment_id)

    @cached_property
    def _graded_cells(self) -> dict[str, str]:
        return self._cells("GradeCell", "TaskCell")

    @cached_property
    def _commented_cells(self) -> dict[str, str]:
        return self._cells("SolutionCell", "TaskCell")

    def _cells(self, *kinds: str) -> dict[str, str]:
        from sqlalchemy import select

        cell = self._table("base_cell")
        wanted = select(cell.c.name, cell.c.id).where(
            cell.c.notebook_id == self._notebook_id, cell.c.type.in_(kinds)
        )
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(wanted)}

    def _one(self, table_name: str, /, **where: str) -> str:
        from sqlalchemy import select

        table = self._table(table_name)
        with self._engine.connect() as connection:
            return connection.execute(
                select(table.c.id).where(*(table.c[k] == v for k, v in where.items()))
            ).scalar_one()


def case_review(grade: Table) -> Any:
    """1 for a grade that waits for a person, else 0; databases do not agree on sums of truth values."""
    from sqlalchemy import case

    return case((grade.c.needs_manual_grade, 1), else_=0)


def copy(url: str, folder: Path) -> Path | None:
    """A copy of the gradebook as it is now, as an SQLite file in `folder`; the oldest copies go."""
    path = folder / f"gradebook.db.before-{datetime.now():%Y%m%d-%H%M%S-%f}"
    old = sorted(folder.glob("gradebook.db.before-*"))
    if not (_copy_file(url, path) if url.startswith("sqlite:///") else _copy_tables(url, path)):
        return None
    for one in old[: max(0, len(old) - KEPT_COPIES + 1)]:
        one.unlink()
    return path


def _copy_file(url: str, path: Path) -> bool:
    original = Path(url.removeprefix("sqlite:///"))
    if not original.is_file():
        return False
    source, target = sqlite3.connect(original), sqlite3.connect(path)
    with source, target:
        source.backup(target)
    source.close()
    target.close()
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
                rows = [dict(row._mapping) for row in reading.execute(select(table))]
                if rows:
                    writing.execute(table.insert(), rows)
        return True
    finally:
        source.dispose()
        target.dispose()


def _patient(connection: Any, _: object) -> None:
    """Somebody may be looking at the gradebook meanwhile: wait for them instead of failing."""
    connection.execute("PRAGMA busy_timeout = 30000")


def _new_id() -> str:
    return uuid.uuid4().hex
