"""The gradebook: nbgrader's own tables, read and written in one session for a class; SQLite or PostgreSQL.

The tables are found in the database, so that nothing of nbgrader (two seconds of imports) has to be loaded to
write or read a grade. Manual scores, extra credit and manual comments are never touched.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from course.grading.assessment import Assessment

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Table

STUDENTS_AT_ONCE = 200
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
class CellGrade:
    """What a graded cell came to, manual score and extra credit included, and whether a person must look."""

    points: float
    max_points: float
    needs_review: bool


@dataclass(frozen=True)
class StudentRecord:
    """What the gradebook holds of one student in the lesson: grades and manual comments by cell."""

    grades: Mapping[str, CellGrade]
    comments: Mapping[str, str]
    late_penalty: float = 0.0

    @property
    def points(self) -> float:
        """The points, less what being late costs; never below 0, as nbgrader counts them."""
        return max(0.0, sum(grade.points for grade in self.grades.values()) - self.late_penalty)

    @property
    def needs_review(self) -> bool:
        """True when a person still has to look at something."""
        return any(grade.needs_review for grade in self.grades.values())


@dataclass
class Gradebook:
    """The gradebook at a database URL; a context manager."""

    url: str
    lesson: str
    _known: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_: object) -> None:
        if "_engine" in vars(self):
            self._engine.dispose()

    def open(self) -> None:
        """Load what reads databases, a fifth of a second's work, at a moment when nobody waits for it."""
        self._engine.dialect  # noqa: B018

    @cached_property
    def _engine(self) -> Engine:
        from sqlalchemy import create_engine, event

        engine = create_engine(self.url)
        if self.url.startswith("sqlite"):
            event.listen(engine, "connect", _patient)
        return engine

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

    def records(self, students: Iterable[str]) -> dict[str, StudentRecord]:
        """What the gradebook holds of these students; who has no row in this lesson is left out."""
        wanted = sorted(set(students))
        found: dict[str, StudentRecord] = {}
        with self._engine.connect() as connection:
            for start in range(0, len(wanted), STUDENTS_AT_ONCE):
                found |= self._read(connection, wanted[start : start + STUDENTS_AT_ONCE])
        return found

    def record(self, student: str) -> StudentRecord | None:
        """What the gradebook holds of one student; None without a row in this lesson."""
        return self.records([student]).get(student)

    def _read(self, connection: Connection, students: list[str]) -> dict[str, StudentRecord]:
        from sqlalchemy import select

        submitted, notebook = self._table("submitted_assignment"), self._table("submitted_notebook")
        rows = connection.execute(
            select(submitted.c.student_id, notebook.c.id, notebook.c.late_submission_penalty)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .where(submitted.c.assignment_id == self._assignment_id, submitted.c.student_id.in_(students))
        ).all()
        notebooks = [row[1] for row in rows]
        grades, comments = self._grades(connection, notebooks), self._comments(connection, notebooks)
        return {
            student: StudentRecord(grades.get(key, {}), comments.get(key, {}), float(penalty or 0.0))
            for student, key, penalty in rows
        }

    def _grades(self, connection: Connection, notebooks: list[str]) -> dict[str, dict[str, CellGrade]]:
        from sqlalchemy import func, select

        grade, cell, graded = (self._table(name) for name in ("grade", "base_cell", "grade_cells"))
        task = self._table("task_cells")
        score = func.coalesce(grade.c.manual_score, grade.c.auto_score, 0.0)
        wanted = (
            select(
                grade.c.notebook_id,
                cell.c.name,
                score + func.coalesce(grade.c.extra_credit, 0.0),
                func.coalesce(graded.c.max_score, task.c.max_score, 0.0),
                grade.c.needs_manual_grade,
            )
            .join(cell, cell.c.id == grade.c.cell_id)
            .outerjoin(graded, graded.c.id == cell.c.id)
            .outerjoin(task, task.c.id == cell.c.id)
            .where(grade.c.notebook_id.in_(notebooks))
        )
        found: dict[str, dict[str, CellGrade]] = {}
        for key, name, points, most, review in connection.execute(wanted):
            found.setdefault(key, {})[name] = CellGrade(float(points), float(most), bool(review))
        return found

    def _comments(self, connection: Connection, notebooks: list[str]) -> dict[str, dict[str, str]]:
        from sqlalchemy import select

        comment, cell = self._table("comment"), self._table("base_cell")
        wanted = (
            select(comment.c.notebook_id, cell.c.name, comment.c.manual_comment)
            .join(cell, cell.c.id == comment.c.cell_id)
            .where(comment.c.notebook_id.in_(notebooks), comment.c.manual_comment.is_not(None))
        )
        found: dict[str, dict[str, str]] = {}
        for key, name, words in connection.execute(wanted):
            found.setdefault(key, {})[name] = words
        return found

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


def _patient(connection: Any, _: object) -> None:
    """Somebody may be looking at the gradebook meanwhile: wait for them instead of failing."""
    connection.execute("PRAGMA busy_timeout = 30000")


def _new_id() -> str:
    return uuid.uuid4().hex
