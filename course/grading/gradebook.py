"""The gradebook: nbgrader's own tables, read and written in one session for a class; SQLite or PostgreSQL.

The tables are found in the database, so that nothing of nbgrader (two seconds of imports) has to be loaded to
write or read a grade. Manual scores, extra credit and manual comments are never touched.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.grading.assessment import Assessment
from course.grading.student_record import CellGrade, StudentRecord
from course.grading.table_rows import TableRows

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Table

STUDENTS_AT_ONCE = 200
PATIENCE_SECONDS = 30.0
NO_RESPONSE = "No response."
CHANGED = "Changed since it was marked."  # both in nbgrader's own language, for formgrader
TABLES = (
    "course", "assignment", "notebook", "base_cell", "grade_cells", "solution_cells", "task_cells",
    "source_cell",
    "student", "submitted_assignment", "submitted_notebook", "grade", "comment",
)  # fmt: skip


@dataclass(frozen=True)
class GradeEntry:
    """One student's assessment, to be written down.

    `same` names graded cells whose answer and automatic score are those that a person has marked: they do
    not wait for that person again. `changed` names the answers that are others than the marked ones.
    """

    student: str
    assessment: Assessment
    timestamp: datetime | None = None
    same: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RegisteredCell:
    """What the gradebook knows of a master's cell: its source, and the points of one that is graded."""

    source: str
    max_points: float | None = None


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

    def holds(self, cells: Mapping[str, RegisteredCell]) -> bool:
        """True when the lesson is in the gradebook with exactly these cells and their points."""
        from sqlalchemy import inspect

        if not set(TABLES) <= set(inspect(self._engine).get_table_names()):
            return False
        return self.registered() == dict(cells)

    def registered(self) -> dict[str, RegisteredCell]:
        """The cells of the lesson, as the gradebook knows them."""
        from sqlalchemy import and_, select

        source, notebook, assignment, base, graded = (
            self._table(t) for t in ("source_cell", "notebook", "assignment", "base_cell", "grade_cells")
        )
        wanted = (
            select(source.c.name, source.c.source, graded.c.max_score)
            .join(notebook, source.c.notebook_id == notebook.c.id)
            .join(assignment, notebook.c.assignment_id == assignment.c.id)
            .outerjoin(
                base,
                and_(
                    base.c.notebook_id == notebook.c.id,
                    base.c.name == source.c.name,
                    base.c.type == "GradeCell",
                ),
            )
            .outerjoin(graded, graded.c.id == base.c.id)
            .where(notebook.c.name == self.lesson, assignment.c.name == self.lesson)
        )
        with self._engine.connect() as connection:
            return {name: RegisteredCell(text, most) for name, text, most in connection.execute(wanted)}

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

    def _read(self, connection: Connection, students: list[str]) -> dict[str, StudentRecord]:
        from sqlalchemy import select

        submitted, notebook = self._table("submitted_assignment"), self._table("submitted_notebook")
        rows = connection.execute(
            select(submitted.c.student_id, notebook.c.id, notebook.c.late_submission_penalty)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .where(submitted.c.assignment_id == self._assignment_id, submitted.c.student_id.in_(students))
        ).all()
        notebooks = [row[1] for row in rows]
        grades = self._grades(connection, notebooks)
        comments, changed = self._comments(connection, notebooks)
        return {
            student: StudentRecord(
                grades.get(key, {}),
                comments.get(key, {}),
                float(penalty or 0.0),
                frozenset(changed.get(key, ())),
            )
            for student, key, penalty in rows
        }

    def _grades(self, connection: Connection, notebooks: list[str]) -> dict[str, dict[str, CellGrade]]:
        from sqlalchemy import func, select

        grade, cell, graded = (self._table(name) for name in ("grade", "base_cell", "grade_cells"))
        task = self._table("task_cells")
        wanted = (
            select(
                grade.c.notebook_id,
                cell.c.name,
                func.coalesce(graded.c.max_score, task.c.max_score, 0.0),
                grade.c.needs_manual_grade,
                grade.c.auto_score,
                grade.c.manual_score,
                func.coalesce(grade.c.extra_credit, 0.0),
            )
            .join(cell, cell.c.id == grade.c.cell_id)
            .outerjoin(graded, graded.c.id == cell.c.id)
            .outerjoin(task, task.c.id == cell.c.id)
            .where(grade.c.notebook_id.in_(notebooks))
        )
        found: dict[str, dict[str, CellGrade]] = {}
        for key, name, *parts in connection.execute(wanted):
            found.setdefault(key, {})[sys.intern(name)] = CellGrade.of(*parts)
        return found

    def _comments(
        self, connection: Connection, notebooks: list[str]
    ) -> tuple[dict[str, dict[str, str]], dict[str, set[str]]]:
        """Manual comments, and the answers that changed since they were marked, by notebook."""
        from sqlalchemy import or_, select

        comment, cell = self._table("comment"), self._table("base_cell")
        wanted = (
            select(comment.c.notebook_id, cell.c.name, comment.c.manual_comment, comment.c.auto_comment)
            .join(cell, cell.c.id == comment.c.cell_id)
            .where(comment.c.notebook_id.in_(notebooks))
            .where(or_(comment.c.manual_comment.is_not(None), comment.c.auto_comment == CHANGED))
        )
        said: dict[str, dict[str, str]] = {}
        changed: dict[str, set[str]] = {}
        for key, name, words, automatic in connection.execute(wanted):
            if words is not None:
                said.setdefault(key, {})[name] = words
            if automatic == CHANGED:
                changed.setdefault(key, set()).add(name)
        return said, changed

    def knows_lesson(self) -> bool:
        """True when the lesson, with its notebook, is in the gradebook at all."""
        from sqlalchemy import inspect, select

        if not exists(self.url) or not set(TABLES) <= set(inspect(self._engine).get_table_names()):
            return False
        notebook = self._table("notebook")
        with self._engine.connect() as connection:
            wanted = select(notebook.c.id).where(notebook.c.name == self.lesson)
            return connection.execute(wanted).first() is not None

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

    def set_times(self, times: Mapping[str, datetime]) -> None:
        """Put the times of these hand-ins right; nothing is written where they are right already."""
        from sqlalchemy import select

        table = self._table("submitted_assignment")
        wanted = select(table).where(table.c.assignment_id == self._assignment_id)
        with self._engine.connect() as connection:
            found = [(row.id, times.get(row.student_id), row.timestamp) for row in connection.execute(wanted)]
            changed = [{"of": key, "timestamp": new} for key, new, old in found if new and new != old]
            TableRows(connection, self._table).update("submitted_assignment", changed)
            connection.commit()

    def set_penalties(self, penalties: Mapping[str, float | None]) -> None:
        """Write what being late costs each of these, in one transaction."""
        with self._engine.begin() as connection:
            of = self._notebooks(connection)
            costs = [
                {"of": of[student], "late_submission_penalty": cost}
                for student, cost in penalties.items()
                if student in of
            ]
            TableRows(connection, self._table).update("submitted_notebook", costs)

    def set_scores(
        self, cell: str, scores: Mapping[str, float | None], also: Callable[[Connection], None]
    ) -> None:
        """Write one cell's automatic scores, and what else belongs to it, in one transaction."""
        with self._engine.begin() as connection:
            of, key = self._notebooks(connection), self._graded_cells[cell]
            grades = [_row(of[student], key, score) for student, score in scores.items()]
            TableRows(connection, self._table).put("grade", grades)
            also(connection)

    def _notebooks(self, connection: Connection) -> dict[str, str]:
        """The id of everyone's notebook in this lesson."""
        from sqlalchemy import select

        submitted, notebook = self._table("submitted_assignment"), self._table("submitted_notebook")
        wanted = (
            select(submitted.c.student_id, notebook.c.id)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .where(submitted.c.assignment_id == self._assignment_id)
        )
        return dict(map(tuple, connection.execute(wanted)))

    def write(self, entries: Iterable[GradeEntry]) -> None:
        """Write these assessments in one transaction."""
        waiting = list({entry.student: entry for entry in entries}.values())
        with self._engine.begin() as connection:
            for start in range(0, len(waiting), STUDENTS_AT_ONCE):
                self._write(connection, waiting[start : start + STUDENTS_AT_ONCE])

    def _write(self, connection: Connection, entries: list[GradeEntry]) -> None:
        """A few statements for all of them, however many there are."""
        rows = TableRows(connection, self._table)
        notebooks = self._submitted_notebooks(rows, entries)
        grades, comments = [], []
        for entry in entries:
            notebook = notebooks[entry.student]
            scores = {verdict.cell: verdict.score for verdict in entry.assessment.verdicts}
            grades += [
                _row(notebook, cell, scores.get(name), name in entry.same)
                for name, cell in self._graded_cells.items()
            ]
            comments += [
                {"notebook_id": notebook, "cell_id": cell, "auto_comment": _comment(entry, name)}
                for name, cell in self._commented_cells.items()
            ]
        rows.put("grade", grades)
        rows.put("comment", comments)

    def _submitted_notebooks(self, rows: TableRows, entries: list[GradeEntry]) -> dict[str, str]:
        """The id of each student's notebook in this lesson; what is missing on the way there is added."""
        students = [entry.student for entry in entries]
        rows.add_students(students)
        place = {"assignment_id": self._assignment_id}
        submitted = rows.found_or_added("submitted_assignment", place, "student_id", students)
        dated = [
            {"of": submitted[e.student], "timestamp": e.timestamp} for e in entries if e.timestamp is not None
        ]
        rows.update("submitted_assignment", dated)
        place = {"notebook_id": self._notebook_id}
        added = rows.found_or_added("submitted_notebook", place, "assignment_id", submitted.values())
        return {student: added[key] for student, key in submitted.items()}

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


def exists(url: str) -> bool:
    """False for a gradebook file that is not there: merely to look would make it."""
    return not url.startswith("sqlite:///") or Path(url.removeprefix("sqlite:///")).is_file()


def _patient(connection: Any, _: object) -> None:
    """Somebody may be looking at the gradebook meanwhile: wait for them instead of failing."""
    connection.execute(f"PRAGMA busy_timeout = {PATIENCE_SECONDS * 1000:.0f}")


def _comment(entry: GradeEntry, cell: str) -> str | None:
    if cell in entry.assessment.no_response:
        return NO_RESPONSE
    return CHANGED if cell in entry.changed else None


def _row(notebook: str, cell: str, score: float | None, is_same: bool = False) -> dict[str, Any]:
    """A grade as the examiner gives it: what it could not score waits for a person; whether what a person
    has marked does is left as it is."""
    return {
        "notebook_id": notebook,
        "cell_id": cell,
        "auto_score": score,
        "needs_manual_grade": None if is_same else score is None,
    }
