"""Registration: the gradebook copied, and told what a lesson's master holds now."""

from __future__ import annotations

from course.grading import backup, sittings
from course.grading.gradebook import Gradebook, RegisteredCell
from course.lesson import generating
from course.lesson.assignment import Assignment
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder


def open_book(folder: CourseFolder, assignment: Assignment, book: Gradebook) -> None:
    """Copy the gradebook, and tell it what the lesson holds now if it does not know."""
    backup.copy(book.url, folder.root)
    if not book.holds(_cells(assignment)):
        generating.register(folder, assignment.lesson, book.url)
    sittings.keep(book.url, assignment.sitting)


def require_same_cells(assignment: Assignment, book: Gradebook) -> None:
    """Raise Problem where the master has other cells than the gradebook: grades hang on their names."""
    here, known = _cells(assignment).keys(), book.registered().keys()
    if here != known:
        raise generating.other_cells(assignment.lesson, here - known, known - here)


def _cells(assignment: Assignment) -> dict[str, RegisteredCell]:
    """The cells that nbgrader keeps of a master."""
    master = assignment.masters[MASTER_LANGUAGE]
    return {
        cell.name: RegisteredCell(
            cell.released if cell.owner == "solution" else cell.source, cell.points if cell.graded else None
        )
        for cell in master.cells
        if "nbgrader" in cell.metadata
    }
