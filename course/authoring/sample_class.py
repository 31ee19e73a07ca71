"""The sample class: made-up students, their answers put into the released notebooks, accidents and all."""

from __future__ import annotations

import codecs
import copy
import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from course.lesson import cells, notebooks
from course.lesson.folder import CourseFolder
from course.lesson.names import asked_for
from helpers.names import defined
from helpers.text import Language

Blocks = dict[str, str]


@dataclass(frozen=True)
class SampleStudent:
    """One line of the roster: who, in which language, with which answers, what happened to the file."""

    id: str
    language: Language
    answers: tuple[str, ...]
    accident: str
    story_zh: str
    story_en: str

    def story(self, language: Language) -> str:
        """What is special about this submission."""
        return self.story_zh if language == "zh" else self.story_en


@dataclass(frozen=True)
class SampleClass:
    """The sample class of one lesson: a folder with a roster, the points it should get, and the answers."""

    folder: Path

    @classmethod
    def of(cls, course: CourseFolder, lesson: str) -> SampleClass:
        """The sample class that the course ships for this lesson."""
        return cls(course.secret_half(lesson) / "sample_class")

    def students(self) -> list[SampleStudent]:
        """The roster."""
        with (self.folder / "roster.csv").open(encoding="utf-8", newline="") as file:
            return [
                SampleStudent(
                    row["student"],
                    row["language"],
                    tuple(row["answers"].split()),
                    row["accident"],
                    row["story_zh"],
                    row["story_en"],
                )
                for row in csv.DictReader(file)
            ]

    def expected(self, *, follow_through: bool = True) -> dict[str, dict[str, float]]:
        """The points of each student by concept, and their `total`, as written by hand.

        `points.csv` holds them without follow-through; with it, what is kept has the points that everyone
        got whose answer is right.
        """
        with (self.folder / "points.csv").open(encoding="utf-8", newline="") as file:
            found = {
                row.pop("student"): {name: float(points) for name, points in row.items()}
                for row in csv.DictReader(file)
            }
        for student, concepts in self.kept().items() if follow_through else ():
            most = {concept: max(points[concept] for points in found.values()) for concept in concepts}
            found[student] |= most
            found[student]["total"] += sum(most.values())
        return found

    def kept(self) -> dict[str, list[str]]:
        """The concepts that fail and keep their points with follow-through, as written by hand."""
        path = self.folder / "kept.csv"
        if not path.is_file():
            return {}
        with path.open(encoding="utf-8", newline="") as file:
            return {row["student"]: row["concepts"].split() for row in csv.DictReader(file)}

    def ideas(self) -> dict[str, list[str]]:
        """The wrong ideas of those students who have one, as written by hand."""
        with (self.folder / "ideas.csv").open(encoding="utf-8", newline="") as file:
            return {row["student"]: row["ideas"].split() for row in csv.DictReader(file)}

    def hand_in(self, course: CourseFolder, lesson: str) -> list[SampleStudent]:
        """Fill everyone's answers into the released notebooks and put the files into `submitted/`."""
        for student in self.students():
            path = course.submitted(student.id, lesson)
            path.parent.mkdir(parents=True, exist_ok=True)
            released = notebooks.load(course.released(lesson, student.language))
            path.write_bytes(ACCIDENTS[student.accident](self.filled(released, student)))
        return self.students()

    def filled(self, released: NotebookNode, student: SampleStudent) -> NotebookNode:
        """The released notebook with this student's answers in it; later files override earlier ones."""
        notebook = copy.deepcopy(released)
        solutions = [cell for cell in notebook.cells if cells.is_solution(cell)]
        for answers in student.answers:
            text = (self.folder / "answers" / f"{answers}.py").read_text(encoding="utf-8")
            for name, source in _by_cell(text, solutions).items():
                next(cell for cell in solutions if cells.name(cell) == name).source = source
        return notebook


def _by_cell(text: str, solutions: list[NotebookNode]) -> Blocks:
    """The answers by cell: a block goes where its names are asked for.

    A block that names nothing asked for goes on with the block before it if it speaks of that, else it is a
    helper of the block after it.
    """
    exercises = {cells.name(cell): cell.source for cell in solutions}
    wanted = {name: cell for cell, source in exercises.items() for name in asked_for(source, cell)}
    found: dict[str, list[str]] = {}
    waiting: list[str] = []
    last, spoken_of = "", r"(?!)"
    for block in _blocks(text):
        name = next((name for name in defined(block) if name in wanted), None)
        if name:
            last, spoken_of = wanted[name], rf"\b{name}\b"
            found.setdefault(last, []).extend([*waiting, block])
            waiting = []
        elif not waiting and re.search(spoken_of, block):
            found[last].append(block)
        else:
            waiting.append(block)
    found.get(last, []).extend(waiting)
    return {cell: "\n".join(blocks).strip("\n") for cell, blocks in found.items()}


def _blocks(text: str) -> Iterator[str]:
    """The text cut before each line at the left margin that starts a statement, be it valid Python or not."""
    block: list[str] = []
    for line in text.split("\n"):
        if re.match(r"[^\s#)\]}]", line) and any(part.strip() for part in block):
            yield "\n".join(block)
            block = []
        block.append(line)
    yield "\n".join(block)


def _saved(notebook: NotebookNode) -> bytes:
    return notebooks.dumps(notebook).encode("utf-8")


def _deleted_checks(notebook: NotebookNode) -> bytes:
    """Two checks deleted: the first graded one and the last but one."""
    graded = notebooks.concepts(notebook)
    gone = {graded[0], graded[-2]}
    notebook.cells = [cell for cell in notebook.cells if cells.name(cell) not in gone]
    return _saved(notebook)


def _copied_cells(notebook: NotebookNode) -> bytes:
    """A first attempt left above the answer, and a check pasted again, as copying in JupyterLab does it."""
    answer = [cell for cell in notebook.cells if cells.is_solution(cell)][1]
    attempt = copy.deepcopy(answer)
    attempt.id, attempt.source = (
        "copied-answer",
        re.sub(r"return .*", "return {}", answer.source, flags=re.DOTALL),
    )
    check = next(cell for cell in notebook.cells if cells.is_grade(cell))
    pasted = copy.deepcopy(check)
    pasted.id = "copied-check"
    notebook.cells.insert(notebook.cells.index(answer), attempt)
    notebook.cells.insert(notebook.cells.index(check) + 1, pasted)
    return _saved(notebook)


def _stripped_metadata(notebook: NotebookNode) -> bytes:
    """An editor that knows neither cell ids nor nbgrader."""
    notebook.metadata, notebook.nbformat_minor = NotebookNode(), 4
    for cell in notebook.cells:
        cell.metadata = NotebookNode()
        del cell["id"]
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode("utf-8")


def _saved_on_windows(notebook: NotebookNode) -> bytes:
    """A byte order mark and carriage returns, in the file and in the cells."""
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", "\r\n")
    text = json.dumps(notebook, ensure_ascii=False, indent=1)
    return codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode("utf-8")


def _cut_off(notebook: NotebookNode) -> bytes:
    """An upload that broke off half way."""
    data = _saved(notebook)
    return data[: len(data) // 2]


ACCIDENTS: dict[str, Callable[[NotebookNode], bytes]] = {
    "": _saved,
    "deleted_checks": _deleted_checks,
    "copied_cells": _copied_cells,
    "stripped_metadata": _stripped_metadata,
    "saved_on_windows": _saved_on_windows,
    "cut_off": _cut_off,
}
