"""Notebook files: stable JSON in, stable JSON out, and what a whole notebook says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4.rwbase import rejoin_lines

from course.lesson import cells
from helpers.text import LANGUAGES, Language
from helpers.writing import write_if_changed

METADATA = "iteration_budget"
TRANSLATES = "translates"


def load(path: Path) -> NotebookNode:
    """A notebook of the course itself, each cell with an id; what students send is read by
    `course.submission`."""
    return parse(path.read_text(encoding="utf-8"))


def graded(path: Path) -> NotebookNode:
    """A notebook that the grader wrote: as it stands, since to look over each of a class costs more than all
    the rest of a report."""
    notebook = rejoin_lines(nbformat.from_dict(json.loads(path.read_text(encoding="utf-8"))))
    cells.named(notebook)
    return notebook


def parse(text: str) -> NotebookNode:
    """The notebook that this text holds, each cell with an id."""
    notebook = nbformat.reads(text, as_version=4)
    cells.named(notebook)
    return notebook


def lacks_ids(path: Path) -> bool:
    """True for a file whose cells have no ids yet."""
    return any("id" not in cell for cell in nbformat.read(path, as_version=4).cells)


def dumps(notebook: NotebookNode) -> str:
    """The notebook as text: sorted keys, one line of source a line, one newline at the end."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


def save(notebook: NotebookNode, path: Path) -> bool:
    """Write the notebook if that changes the file; True when it did."""
    return write_if_changed(path, dumps(notebook).encode("utf-8"))


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


def heading(notebook: NotebookNode, name: str) -> str:
    """The text of the last heading at or above the cell of this name; empty where there is none."""
    found = ""
    for cell in notebook.cells:
        headings = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE) if not cells.is_code(cell) else []
        found = headings[-1].strip() if headings else found
        if cells.name(cell) == name:
            return found
    return ""


def concepts(notebook: NotebookNode) -> list[str]:
    """The names of the graded cells, in order."""
    return [cells.name(cell) for cell in notebook.cells if cells.is_grade(cell)]


def exercise_of(notebook: NotebookNode) -> dict[str, str]:
    """For each graded cell the solution cell that it tests: the one before it. A task is its own."""
    exercises, current = {}, ""
    for cell in notebook.cells:
        current = cells.name(cell) if cells.is_solution(cell) or cells.is_task(cell) else current
        if cells.is_grade(cell):
            exercises[cells.name(cell)] = current
    return exercises
