"""The gradebook: nbgrader's own tables, read and written in one session for a class; SQLite or PostgreSQL.

The tables are found in the database, so that nothing of nbgrader (two seconds of imports) has to be loaded to
write or read a grade. Manual scores, extra credit and manual comments are never touched.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
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
            found.setdefault(key, {})[sys.intern(name)] = _cell_grade(
                float(points), float(most), bool(review)
            )
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
        waiting = list({entry.student: entry for entry in entries}.values())
        with self._engine.begin() as connection:
            for start in range(0, len(waiting), STUDENTS_AT_ONCE):
                self._write(connection, waiting[start : start + STUDENTS_AT_ONCE])

    def _write(self, connection: Connection, entries: list[GradeEntry]) -> None:
        """A few statements for all of them, however many there are."""
        notebooks = self._submitted_notebooks(connection, entries)
        grades, comments = [], []
        for entry in entries:
            notebook, scores = notebooks[entry.student], _scores(entry.assessment)
            grades += [_row(notebook, cell, scores.get(name)) for name, cell in self._graded_cells.items()]
            no_response = entry.assessment.no_response
            comments += [
                {
                    "notebook_id": notebook,
                    "cell_id": cell,
                    "auto_comment": NO_RESPONSE if name in no_response else None,
                }
                for name, cell in self._commented_cells.items()
            ]
        self._put(connection, "grade", grades)
        self._put(connection, "comment", comments)

    def _submitted_notebooks(self, connection: Connection, entries: list[GradeEntry]) -> dict[str, str]:
        """The id of each student's notebook in this lesson; what is missing on the way there is added."""
        students = [entry.student for entry in entries]
        self._add_students(connection, students)
        place = {"assignment_id": self._assignment_id}
        submitted = self._found_or_added(connection, "submitted_assignment", place, "student_id", students)
        dated = [
            {"of": submitted[e.student], "timestamp": e.timestamp} for e in entries if e.timestamp is not None
        ]
        self._update(connection, "submitted_assignment", dated)
        place = {"notebook_id": self._notebook_id}
        added = self._found_or_added(
            connection, "submitted_notebook", place, "assignment_id", submitted.values()
        )
        return {student: added[key] for student, key in submitted.items()}

    def _add_students(self, connection: Connection, students: list[str]) -> None:
        from sqlalchemy import select

        table = self._table("student")
        known = set(connection.execute(select(table.c.id).where(table.c.id.in_(students))).scalars())
        if missing := [{"id": student} for student in students if student not in known]:
            connection.execute(table.insert(), missing)

    def _found_or_added(
        self, connection: Connection, name: str, place: Mapping[str, str], by: str, keys: Iterable[str]
    ) -> dict[str, str]:
        """The id of the row at this place for each key of the column `by`."""
        from sqlalchemy import select

        table, keys = self._table(name), list(keys)
        where = [table.c[column] == value for column, value in place.items()]
        rows = connection.execute(select(table.c[by], table.c.id).where(*where, table.c[by].in_(keys)))
        known = {row[0]: row[1] for row in rows}
        missing = {key: _new_id() for key in keys if key not in known}
        if missing:
            connection.execute(
                table.insert(), [{"id": row, by: key, **place} for key, row in missing.items()]
            )
        return known | missing

    def _put(self, connection: Connection, name: str, rows: list[dict[str, Any]]) -> None:
        """Write these rows, each by its notebook and cell; a manual score keeps its cell in review."""
        known = self._known(connection, name, {row["notebook_id"] for row in rows})
        fresh, changed = [], []
        for row in rows:
            found = known.get((row["notebook_id"], row["cell_id"]))
            if found is None:
                fresh.append({"id": _new_id(), **row})
                continue
            values = {key: value for key, value in row.items() if key not in ("notebook_id", "cell_id")}
            if getattr(found, "manual_score", None) is not None:
                values["needs_manual_grade"] = True
            changed.append({"of": found.id, **values})
        if fresh:
            connection.execute(self._table(name).insert(), fresh)
        self._update(connection, name, changed)

    def _known(self, connection: Connection, name: str, notebooks: set[str]) -> dict[tuple[str, str], Any]:
        from sqlalchemy import select

        table = self._table(name)
        rows = connection.execute(select(table).where(table.c.notebook_id.in_(notebooks)))
        return {(row.notebook_id, row.cell_id): row for row in rows}

    def _update(self, connection: Connection, name: str, rows: list[dict[str, Any]]) -> None:
        """Change the columns that the rows name in the row with the id `of`."""
        from sqlalchemy import bindparam

        table = self._table(name)
        if rows:
            connection.execute(table.update().where(table.c.id == bindparam("of")), rows)

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


def _scores(assessment: Assessment) -> dict[str, float | None]:
    return {verdict.cell: verdict.score for verdict in assessment.verdicts}


def _row(notebook: str, cell: str, score: float | None) -> dict[str, Any]:
    """A grade as the examiner gives it: what it could not score waits for a person."""
    return {
        "notebook_id": notebook,
        "cell_id": cell,
        "auto_score": score,
        "needs_manual_grade": score is None,
    }


@lru_cache(maxsize=4096)
def _cell_grade(points: float, max_points: float, needs_review: bool) -> CellGrade:
    """One object for equal grades: a large class holds millions of few kinds."""
    return CellGrade(points, max_points, needs_review)


def _new_id() -> str:
    return uuid.uuid4().hex
