"""A lesson as it is given out, and as students hand it in: untouched, right, or right in part."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import small
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from course.authoring.folding import fold
from course.lesson import cells, notebooks
from course.lesson.assignment import Assignment
from course.lesson.folder import CourseFolder


@dataclass(frozen=True)
class Handout:
    """One lesson's notebooks, by its masters."""

    lesson: str
    masters: Mapping[str, NotebookNode]

    @classmethod
    def of(cls, course: CourseFolder, lesson: str) -> Handout:
        """A lesson of this course."""
        return cls(lesson, {name: notebooks.load(course.master(lesson, name)) for name in course.languages})

    @cached_property
    def assignment(self) -> Assignment:
        """What the grader holds of it."""
        return Assignment.of(self.lesson, self.masters, {name: self.blank(name) for name in self.masters})

    @property
    def full(self) -> float:
        """The points of a lesson all of whose answers are right."""
        return self.assignment.max_points

    def blank(self, language: str = "zh") -> dict:
        """The notebook as it is given out."""
        return copy.deepcopy(self._blank[language])

    @cached_property
    def _blank(self) -> dict[str, dict]:
        """What nbgrader's own steps leave of the masters, folded."""
        config = CourseFolder(small.ROOT).config("zh")
        steps = [step(config=config) for step in (ClearSolutions, ClearHiddenTests)]
        made = {}
        for language, notebook in self.masters.items():
            notebook = copy.deepcopy(notebook)
            for step in steps:
                notebook, _ = step.preprocess(notebook, {})
            for cell in notebook.cells:
                cell.metadata.pop("translates", None)
                fold(cell)
            made[language] = json.loads(json.dumps(notebook))
        return made

    def honest(self, language: str = "zh", **answers: str) -> dict:
        """A notebook with every answer right, but for those given here by the name of their cell."""
        notebook = self.blank(language)
        for cell in filter(cells.is_solution, notebook["cells"]):
            cell["source"] = answers.get(cell["id"], self.answer(cell["id"]))
        return notebook

    def answer(self, name: str) -> str:
        """The master's own answer."""
        source = find(self.masters["zh"], name)["source"]
        return re.sub(r"^ *### (?:BEGIN|END) SOLUTION\n?", "", source, flags=re.MULTILINE)


def find(notebook: dict, name: str) -> dict:
    """The cell of this name."""
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def index(notebook: dict, name: str) -> int:
    """Where the cell of this name stands."""
    return notebook["cells"].index(find(notebook, name))


def added(source: str) -> dict:
    """A code cell that a student put in."""
    return {
        "cell_type": "code", "id": f"new-{abs(hash(source)) % 10**9}", "metadata": {},
        "source": source, "outputs": [], "execution_count": None,
    }  # fmt: skip


def with_cell(notebook: dict, source: str, before: str) -> dict:
    """The notebook with a code cell of the student's own put in."""
    changed = copy.deepcopy(notebook)
    changed["cells"].insert(index(changed, before), added(source))
    return changed
