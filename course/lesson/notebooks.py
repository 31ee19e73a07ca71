"""Notebook files: stable JSON in, stable JSON out, and the questions that every step asks of a cell."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from helpers.text import LANGUAGES, Language
from helpers.writing import write_if_changed

METADATA = "iteration_budget"
LANGUAGE_TAG = "language"
TRANSLATES = "translates"


def load(path: Path) -> NotebookNode:
    """A notebook of the course itself; what students send is read by `course.submission`."""
    return nbformat.read(path, as_version=4)


def parse(text: str) -> NotebookNode:
    """The notebook that this text holds."""
    return nbformat.reads(text, as_version=4)


def dumps(notebook: NotebookNode) -> str:
    """The notebook as text: sorted keys, one line of source a line, one newline at the end."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


def save(notebook: NotebookNode, path: Path) -> bool:
    """Write the notebook if that changes the file; True when it did."""
    return write_if_changed(path, dumps(notebook).encode("utf-8"))


def grader(cell: NotebookNode) -> dict:
    """The cell's nbgrader metadata; empty when it has none or when that is damaged."""
    found = cell.get("metadata", {}).get("nbgrader")
    return found if isinstance(found, dict) else {}


def name(cell: NotebookNode) -> str:
    """The cell's name: its grade_id, else its id."""
    return str(grader(cell).get("grade_id") or cell.get("id", ""))


def is_grade(cell: NotebookNode) -> bool:
    """True for a cell that carries points."""
    return bool(grader(cell).get("grade"))


def is_solution(cell: NotebookNode) -> bool:
    """True for a cell that a student fills in."""
    return bool(grader(cell).get("solution"))


def is_code(cell: NotebookNode) -> bool:
    """True for a code cell."""
    return cell.get("cell_type") == "code"


def is_setup(cell: NotebookNode) -> bool:
    """True for a cell without which the others do not run: it imports something."""
    return (
        is_code(cell)
        and not grader(cell)
        and bool(re.search(r"^(?:import|from) ", cell.source, re.MULTILINE))
    )


def sets_language(cell: NotebookNode) -> bool:
    """True for the cell that sets the language of messages: only there may the code differ."""
    return LANGUAGE_TAG in cell.get("metadata", {}).get("tags", [])


def language(notebook: NotebookNode) -> Language | None:
    """The language that the notebook's metadata states, if it states one."""
    stated = notebook.get("metadata", {}).get(METADATA)
    found = stated.get("language") if isinstance(stated, dict) else None
    return found if found in LANGUAGES else None


def title(notebook: NotebookNode) -> str:
    """The text of the first heading."""
    for cell in notebook.cells:
        heading = (
            re.search(r"^#+ +(.+)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else None
        )
        if heading:
            return heading.group(1).strip()
    return ""


def concepts(notebook: NotebookNode) -> list[str]:
    """The names of the graded cells, in order."""
    return [name(cell) for cell in notebook.cells if is_grade(cell)]


def exercise_of(notebook: NotebookNode) -> dict[str, str]:
    """For each graded cell the solution cell that it tests: the one before it."""
    exercises, current = {}, ""
    for cell in notebook.cells:
        current = name(cell) if is_solution(cell) else current
        if is_grade(cell):
            exercises[name(cell)] = current
    return exercises


def points(notebook: NotebookNode) -> dict[str, float]:
    """The points that each graded cell carries."""
    return {name(cell): float(grader(cell)["points"]) for cell in notebook.cells if is_grade(cell)}
