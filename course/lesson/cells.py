"""Cells: what a cell is and whose, told from what it says of itself.

A cell is a mapping, as a file's JSON or nbformat gives it. Metadata that somebody damaged count as none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from typing import Literal

LANGUAGE_TAG = "language"
VALID_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")

Owner = Literal["instructor", "solution", "open", "text"]


def source(cell: Mapping) -> str:
    """The cell's source, whichever of the two forms a file gives it."""
    found = cell.get("source", "")
    return found if isinstance(found, str) else "".join(found)


def grader(cell: Mapping) -> Mapping:
    """The cell's nbgrader metadata; empty when it has none or when that is damaged."""
    found = cell.get("metadata", {}).get("nbgrader")
    return found if isinstance(found, Mapping) else {}


def name(cell: Mapping) -> str:
    """The cell's name: its grade_id, else its id."""
    return str(grader(cell).get("grade_id") or cell.get("id", ""))


def named(notebook: MutableMapping) -> bool:
    """Give each cell without an id one, as nbformat has them since 4.5: its grade_id, else its place; True
    when one was missing."""
    content = notebook.get("cells", [])
    missing = [number for number, cell in enumerate(content) if not cell.get("id")]
    taken = {cell["id"] for cell in content if cell.get("id")}
    for number in missing:
        wanted = str(grader(content[number]).get("grade_id", ""))
        free = wanted if VALID_ID.fullmatch(wanted) and wanted not in taken else f"cell-{number + 1}"
        while free in taken:
            free += "-"
        taken.add(free)
        content[number]["id"] = free
    if missing:
        notebook["nbformat_minor"] = max(5, notebook.get("nbformat_minor", 0))
    return bool(missing)


def is_code(cell: Mapping) -> bool:
    """True for a code cell."""
    return cell.get("cell_type") == "code"


def is_grade(cell: Mapping) -> bool:
    """True for a cell that carries points, a task's among them."""
    return bool(grader(cell).get("grade")) or is_task(cell)


def is_task(cell: Mapping) -> bool:
    """True for nbgrader's task: a text with points, answered in cells that students add below it."""
    return bool(grader(cell).get("task"))


def is_solution(cell: Mapping) -> bool:
    """True for a cell that a student fills in."""
    return bool(grader(cell).get("solution"))


def is_manual(cell: Mapping) -> bool:
    """True for a cell whose points a person gives: it holds an answer, or it is no code."""
    return is_grade(cell) and (is_solution(cell) or not is_code(cell))


def is_setup(cell: Mapping) -> bool:
    """True for a cell without which the others do not run: it imports something."""
    imports = re.search(r"^(?:import|from) ", source(cell), re.MULTILINE)
    return is_code(cell) and not grader(cell) and bool(imports)


def sets_language(cell: Mapping) -> bool:
    """True for the cell that sets the language of messages: only there may the code differ."""
    return LANGUAGE_TAG in cell.get("metadata", {}).get("tags", [])


def points(cell: Mapping) -> float:
    """The points that the cell carries."""
    return float(grader(cell).get("points") or 0.0)


def owner(cell: Mapping) -> Owner:
    """Who writes the cell: students fill in a solution, may change what is open, and only read the rest."""
    if is_solution(cell):
        return "solution"
    if not is_code(cell):
        return "text"
    locked = is_grade(cell) or grader(cell).get("locked") or sets_language(cell)
    return "instructor" if locked else "open"
