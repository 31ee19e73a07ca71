"""Cells: what a cell is and whose, told from what it says of itself.

A cell is a mapping, as a file's JSON or nbformat gives it. Metadata that somebody damaged count as none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

LANGUAGE_TAG = "language"

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


def is_code(cell: Mapping) -> bool:
    """True for a code cell."""
    return cell.get("cell_type") == "code"


def is_grade(cell: Mapping) -> bool:
    """True for a cell that carries points."""
    return bool(grader(cell).get("grade"))


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
