"""A lesson small enough to read: one exercise, two graded concepts, both languages; built on demand."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course.authoring import translations
from course.lesson import cells, notebooks
from course.lesson.folder import CourseFolder

if TYPE_CHECKING:
    from nbgrader.api import Gradebook

ROOT = Path(__file__).parent.parent
LESSON = "tiny"
CONCEPTS = ("cost-units", "cost-tie")
# The public half: the workers that grade find the same words in the package.
FILE = {
    "number": 1,
    "exercises": {"cost": ["double"]},
    "words": {
        "concept": {
            "cost": {"zh": "TODO 1 一轮的账本", "en": "TODO 1 the bill of one iteration"},
            "cost-units": {"zh": "单位换算", "en": "unit conversion"},
            "cost-tie": {"zh": "两边相等", "en": "a tie"},
        },
        "idea": {
            "ms_forgotten": {"zh": "忘了把秒换成毫秒", "en": "seconds are not turned into milliseconds"}
        },
    },
}

ANSWER = """def double(number):
    \"\"\"两倍 · twice the number\"\"\"
    ### BEGIN SOLUTION
    twice_the_number = number + number
    return {"double_ms": twice_the_number}
    ### END SOLUTION"""
UNITS = """# 评分：小数 · graded: small numbers
### BEGIN HIDDEN TESTS
with checks.concept("cost-units"):
    checks.equal(double(21), double_ms=42, ideas={"ms_forgotten": {"double_ms": 0.042}})
### END HIDDEN TESTS"""
TIE = """# 评分：零 · graded: zero
### BEGIN HIDDEN TESTS
with checks.concept("cost-tie"):
    checks.equal(double(0), double_ms=0)
### END HIDDEN TESTS"""
MUTANTS = """
[[mutant]]
idea = "ms_forgotten"
exercise = "cost"
[[mutant.edit]]
old = '"double_ms": twice_the_number'
new = '"double_ms": twice_the_number / 1000'
"""
TEXTS = {
    "title": ("# 小课", "# A small lesson"),
    "task": ("写一个函数，返回两倍。", "Write a function that returns the double."),
    "end": ("完。", "The end."),
}


def markdown(name: str, text: str, **metadata: object) -> NotebookNode:
    """A text cell."""
    return new_markdown_cell(text, id=name, metadata=metadata)


def code(name: str, source: str, **grader: object) -> NotebookNode:
    """A code cell; with keywords, one that nbgrader knows."""
    cell = new_code_cell(source, id=name)
    if grader:
        metadata = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
        cell.metadata["nbgrader"] = metadata | {"grade_id": name} | grader
    return cell


def check(name: str, source: str, points: float = 1.0) -> NotebookNode:
    """A graded check."""
    return code(name, source, grade=True, locked=True, points=points)


def master() -> NotebookNode:
    """The Chinese master."""
    language = code("language", 'from helpers import text\n\ntext.speak("zh")')
    language.metadata["tags"] = ["language"]
    notebook = new_notebook()
    notebook.metadata.update(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "iteration_budget": {"language": "zh", "lesson": LESSON},
        }
    )
    notebook.cells = [
        markdown("title", TEXTS["title"][0]),
        language,
        code("imports", "from helpers import checks"),
        markdown("task", TEXTS["task"][0]),
        code("cost", ANSWER, solution=True),
        code("look", "double(2)"),
        code("cost-check", 'checks.equal(double(2), double_ms=4)\nchecks.passed("cost")', locked=True),
        check("cost-units", UNITS),
        check("cost-tie", TIE),
        markdown("end", TEXTS["end"][0]),
    ]
    return notebook


def english(chinese: NotebookNode) -> NotebookNode:
    """The English twin of a master, every text translated."""
    twin = copy.deepcopy(chinese)
    twin.metadata["iteration_budget"]["language"] = "en"
    for cell in twin.cells:
        if not cells.is_code(cell):
            cell.metadata["translates"] = translations.digest(cell.source)
            cell.source = TEXTS.get(cell.id, ("", "Translated."))[1]
        elif cell.id == "language":
            cell.source = cell.source.replace("zh", "en")
    return twin


def course(folder: Path, chinese: NotebookNode | None = None) -> CourseFolder:
    """A course with this one lesson, in a folder that the test owns."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    made = CourseFolder(folder.resolve())
    chinese = chinese or master()
    notebooks.save(chinese, made.master(LESSON))
    notebooks.save(english(chinese), made.master(LESSON, "en"))
    made.public_halves.mkdir(parents=True, exist_ok=True)
    (made.public_halves / f"{LESSON}.json").write_text(json.dumps(FILE, ensure_ascii=False), encoding="utf-8")
    secret = made.root / "course" / "lessons" / LESSON
    secret.mkdir(parents=True, exist_ok=True)
    (secret / "mutants.toml").write_text(MUTANTS, encoding="utf-8")
    return made


def gradebook(made: CourseFolder) -> Gradebook:
    """The course's gradebook through nbgrader's own interface; a context manager."""
    from nbgrader.api import Gradebook

    return Gradebook(made.database, "iteration-budget")


def answered(released: NotebookNode, answer: str) -> NotebookNode:
    """The released notebook with the exercise filled in."""
    notebook = copy.deepcopy(released)
    cell(notebook, "cost").source = answer
    return notebook


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    """The cell of this name."""
    return next(found for found in notebook.cells if found.id == name)


def hand_in(made: CourseFolder, student: str, content: NotebookNode | bytes) -> Path:
    """Put a submission where the grader looks for it."""
    path = made.submitted(student, LESSON)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode("utf-8"))
    return path
