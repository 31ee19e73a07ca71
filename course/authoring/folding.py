"""Folding: cells whose code is not the student's concern show one line, in JupyterLab and in Colab."""

from __future__ import annotations

from nbformat import NotebookNode

from course.authoring.frame import SETUP
from course.lesson import cells

TITLE = "# @title "  # Colab shows the text behind it in place of a cell in form view


def fold(cell: NotebookNode) -> None:
    """Fold a released cell, in place: the first cell, and a test of which only its name was left."""
    name_only = cells.is_grade(cell) and not cells.is_solution(cell) and is_comment(cell.source)
    if not (name_only or cell.get("id") == SETUP):
        return
    cell.metadata["jupyter"] = {**cell.metadata.get("jupyter", {}), "source_hidden": True}
    cell.metadata["cellView"] = "form"
    if name_only and cell.source.strip() and not cell.source.startswith(TITLE):
        cell.source = TITLE + cell.source.strip().removeprefix("#").lstrip()


def is_comment(source: str) -> bool:
    """True when no line is code."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in source.split("\n"))
