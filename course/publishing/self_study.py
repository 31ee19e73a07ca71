"""The edition for those who learn alone: reference solutions and explanations, folded behind the exercises.

Nothing of it belongs into a class's bundle: `course publish` leaves it out unless it is told `--self-study`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from course.lesson import cells, notebooks, regions
from course.lesson.folder import CourseFolder
from course.lesson.toml import load_toml
from course.text import say_in
from helpers.text import Language

EXPLAINED = "explained.toml"


def edition(folder: CourseFolder, lesson: str, language: Language, released: NotebookNode) -> NotebookNode:
    """The released notebook without its graded cells, and with the solutions folded behind the exercises."""
    references = _references(notebooks.load(folder.master(lesson, language)))
    explained = _explained(folder, lesson, language)
    parts = []
    for exercise, group in groupby(_with_exercise(released), key=lambda pair: pair[0]):
        members = [cell for _, cell in group if not cells.is_grade(cell) or cells.is_solution(cell)]
        parts += members
        if exercise in references:
            place = len(parts) - len(members) + _end_of_exercise(members)
            parts.insert(
                place, _folded(exercise, references[exercise], explained.get(exercise, ""), language)
            )
    parts.insert(1, new_markdown_cell(say_in(language, "self_study.note"), id="self-study"))
    return NotebookNode({**released, "cells": parts})


def _references(master: NotebookNode) -> dict[str, str]:
    """The reference solution of each exercise, without nbgrader's markers."""
    return {
        cells.name(cell): regions.without(cell.source, "marker").strip("\n")
        for cell in master.cells
        if cells.is_solution(cell) and cells.is_code(cell)
    }


def _explained(folder: CourseFolder, lesson: str, language: Language) -> Mapping[str, str]:
    """What the lesson's file says of each reference solution; a lesson without the file says nothing."""
    path = folder.secret_half(lesson) / EXPLAINED
    told = load_toml(path) if path.is_file() else {}
    return {exercise: texts[language].strip() for exercise, texts in told.items() if language in texts}


def _with_exercise(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    """Each cell with the name of the solution cell that it stands behind."""
    current = ""
    for cell in notebook.cells:
        current = cells.name(cell) if cells.is_solution(cell) else current
        yield current, cell


def _end_of_exercise(members: list[NotebookNode]) -> int:
    """Behind the last locked cell of an exercise, its visible check; without one, behind the answer."""
    locked = [place for place, cell in enumerate(members) if cells.grader(cell).get("locked")]
    return max(locked, default=0) + 1


def _folded(exercise: str, reference: str, explained: str, language: Language) -> NotebookNode:
    summary = say_in(language, "self_study.summary")
    text = (
        f"<details><summary>{summary}</summary>\n\n```python\n{reference}\n```\n\n{explained}\n\n</details>"
    )
    return new_markdown_cell(text, id=f"solved-{exercise}")
