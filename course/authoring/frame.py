"""The frame of a notebook: the first and the last cell, the same in every lesson, kept in `source/frame/`.

Both set the edition's language before they say anything, since either may run before the cell that is there
for it; and the title under which the first cell is folded away is in that language alone.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from course.lesson import cells
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.text import say_in
from helpers.text import Language

SETUP, HANDIN = "setup", "handin"
FILES = {SETUP: "first_cell.py", HANDIN: "last_cell.py"}
TAGS = ["nbval-ignore-output"]  # what they print depends on the machine
SPOKEN = re.compile(rf'^((?:classroom\.begin|text\.speak)\()"{MASTER_LANGUAGE}"', re.MULTILINE)
TITLE = re.compile(r"\A# @title .*")


def sources(folder: CourseFolder) -> dict[str, str]:
    """What the frame's cells hold, by their names; a course without such a file has no such cell."""
    paths = {name: folder.root / "source" / "frame" / file for name, file in FILES.items()}
    return {
        name: path.read_text(encoding="utf-8").rstrip("\n") for name, path in paths.items() if path.is_file()
    }


def framed(master: NotebookNode, wanted: Mapping[str, str]) -> NotebookNode:
    """The master with these sources in its frame's cells, which are added where they are missing."""
    result = copy.deepcopy(master)
    for name, source in wanted.items():
        cell = _found(result, name) or _added(result, name)
        cell.source, cell.metadata["tags"] = source, list(TAGS)
    return result


def in_edition(cell: NotebookNode, language: Language) -> str:
    """What this code cell of the master holds in an edition: a cell of the frame speaks its language."""
    if cell.id not in FILES:
        return cell.source
    titled = TITLE.sub(f"# @title {say_in(language, 'frame.title')}", cell.source)
    return SPOKEN.sub(rf'\1"{language}"', titled)


def differing(master: NotebookNode, wanted: Mapping[str, str]) -> list[str]:
    """The frame's cells that the master lacks, or that hold something else in it."""
    right = framed(master, wanted)
    return [name for name in wanted if _found(master, name) != _found(right, name)]


def _found(notebook: NotebookNode, name: str) -> NotebookNode | None:
    return next((cell for cell in notebook.cells if cell.id == name), None)


def _added(notebook: NotebookNode, name: str) -> NotebookNode:
    """The first cell stands behind the title, the last one at the end."""
    titled = bool(notebook.cells) and not cells.is_code(notebook.cells[0])
    cell = new_code_cell(id=name)
    notebook.cells.insert(int(titled) if name == SETUP else len(notebook.cells), cell)
    return cell
