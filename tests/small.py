"""Courses in folders of their own: a lesson small enough to read, or another; hand in, run the command.

The small lesson has one exercise and two graded concepts. `copying` holds a larger one.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course.authoring import frame, translations
from course.lesson import cells, notebooks
from course.lesson.folder import CourseFolder
from helpers.text import read_lessons

if TYPE_CHECKING:
    from nbgrader.api import Gradebook

ROOT = Path(__file__).parent.parent
LESSON = "tiny"
CONCEPTS = ("double-units", "double-zero")
FILE = {
    "number": 1,
    "exercises": {"double": ["double"]},
    "words": {
        "concept": {
            "double": {"zh": "TODO 1 两倍", "en": "TODO 1 twice"},
            "double-units": {"zh": "单位换算", "en": "unit conversion"},
            "double-zero": {"zh": "零", "en": "zero"},
            "double-one": {"zh": "一", "en": "one"},  # a check that a test adds
        },
        "idea": {
            "left_in_seconds": {"zh": "忘了把秒换成毫秒", "en": "seconds are not turned into milliseconds"}
        },
    },
}

ANSWER = """def double(number):
    \"\"\"两倍 · twice the number\"\"\"
    ### BEGIN SOLUTION
    twice_the_number = number + number
    return {"double_ms": twice_the_number}
    ### END SOLUTION"""
SEEN = 'checks.equal(double(2), double_ms=4)\nchecks.passed("double")'
UNITS = """# 评分：小数 · graded: small numbers
### BEGIN HIDDEN TESTS
with checks.concept("double-units"):
    checks.equal(double(21), double_ms=42, ideas={"left_in_seconds": {"double_ms": 0.042}})
### END HIDDEN TESTS"""
ZERO = """# 评分：零 · graded: zero
### BEGIN HIDDEN TESTS
with checks.concept("double-zero"):
    checks.equal(double(0), double_ms=0)
### END HIDDEN TESTS"""
MUTANTS = """
[[mutant]]
idea = "left_in_seconds"
exercise = "double"
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


def language_cell() -> NotebookNode:
    """The cell that says which language is spoken."""
    cell = code("language", 'from helpers import text\n\ntext.speak("zh")')
    cell.metadata["tags"] = ["language"]
    return cell


def notebook(lesson: str, content: list[NotebookNode]) -> NotebookNode:
    """A master in Chinese."""
    made = new_notebook(cells=content)
    made.metadata.update(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            notebooks.METADATA: {"language": "zh", "lesson": lesson},
        }
    )
    return made


def master() -> NotebookNode:
    """The small lesson's Chinese master."""
    return notebook(
        LESSON,
        [
            markdown("title", TEXTS["title"][0]),
            language_cell(),
            code("imports", "from helpers import checks"),
            markdown("task", TEXTS["task"][0]),
            code("double", ANSWER, solution=True),
            code("look", "double(2)"),
            code("double-check", SEEN, locked=True),
            check("double-units", UNITS),
            check("double-zero", ZERO),
            markdown("end", TEXTS["end"][0]),
        ],
    )


def english(chinese: NotebookNode, texts: Mapping[str, tuple[str, str]] = TEXTS) -> NotebookNode:
    """The English twin of a master, every text translated."""
    twin = copy.deepcopy(chinese)
    twin.metadata[notebooks.METADATA]["language"] = "en"
    for cell in twin.cells:
        if not cells.is_code(cell):
            cell.metadata["translates"] = translations.digest(cell.source)
            cell.source = texts.get(cell.id, ("", "Translated."))[1]
        elif cell.id == "language":
            cell.source = cell.source.replace("zh", "en")
        else:
            cell.source = frame.in_edition(cell, "en")
    return twin


def course(
    folder: Path,
    chinese: NotebookNode | None = None,
    public: Mapping[str, object] = FILE,
    texts: Mapping[str, tuple[str, str]] = TEXTS,
    mutants: str = MUTANTS,
) -> CourseFolder:
    """A course with one lesson, the small one unless told otherwise, in a folder that the test owns."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    made, chinese = CourseFolder(folder.resolve()), chinese or master()
    lesson = chinese.metadata[notebooks.METADATA]["lesson"]
    notebooks.save(chinese, made.master(lesson))
    notebooks.save(english(chinese, texts), made.master(lesson, "en"))
    made.public_halves.mkdir(parents=True, exist_ok=True)
    half = made.public_halves / f"{lesson}.json"
    hinted = {"hints": hints(public["exercises"]), **public}
    half.write_text(json.dumps(hinted, ensure_ascii=False), encoding="utf-8")
    secret = made.root / "course" / "lessons" / lesson.replace("-", "_")
    secret.mkdir(parents=True, exist_ok=True)
    (secret / "mutants.toml").write_text(mutants, encoding="utf-8")
    read_lessons(made.public_halves)
    return made


def hints(exercises: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Hints for these exercises, as a lesson's file has them."""
    said = {
        "zh": ["问的是什么？", "哪一步还缺？", "这一行什么样？"],
        "en": ["What is asked?", "Which step?", "What shape?"],
    }
    return dict.fromkeys(exercises, said)


def copied(lesson: str, folder: Path) -> CourseFolder:
    """A course with one lesson of this checkout."""
    for path in (ROOT / "source").glob(f"*/{lesson}/*.ipynb"):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True)
        shutil.copy(path, target)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return CourseFolder(folder.resolve())


def again(made: CourseFolder, folder: Path) -> CourseFolder:
    """The same course once more, with all that is in it."""
    shutil.copytree(made.root, folder)
    return CourseFolder(folder.resolve())


def gradebook(made: CourseFolder) -> Gradebook:
    """The course's gradebook through nbgrader's own interface; a context manager."""
    from nbgrader.api import Gradebook

    return Gradebook(made.database, made.config("zh").CourseDirectory.course_id)


def answered(released: NotebookNode, answer: str) -> NotebookNode:
    """The small lesson's released notebook with the exercise filled in."""
    notebook = copy.deepcopy(released)
    cell(notebook, "double").source = answer
    return notebook


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    """The cell of this name."""
    return next(found for found in notebook.cells if found.id == name)


def hand_in(made: CourseFolder, student: str, content: Mapping | bytes) -> Path:
    """Put a submission of the course's first lesson where the grader looks for it."""
    path = made.submitted(student, made.lessons()[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode("utf-8"))
    return path


def run(made: CourseFolder, *words: str, expect: int | None = 0, seconds: float = 600) -> str:
    """Run `course` in the folder as a person would; its output."""
    done = subprocess.run(
        command(*words), cwd=made.root, env=environment(), capture_output=True, text=True, timeout=seconds
    )
    assert expect is None or done.returncode == expect, done.stdout + done.stderr
    return done.stdout + done.stderr


def start(made: CourseFolder, *words: str) -> subprocess.Popen:
    """Start `course` in the folder and leave it running."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(
        command(*words), cwd=made.root, env=environment(), start_new_session=True, **quiet
    )


def command(*words: str) -> list[str]:
    """`course` with these words, speaking English."""
    return [sys.executable, "-c", "from course.cli import main; main()", "--language", "en", *words]


def environment() -> dict[str, str]:
    """This process's environment, with this checkout and this Python's programs first."""
    commands = str(Path(sys.executable).parent)
    return {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}


def scores(gradebook: Path, what: str = "auto_score") -> dict[str, dict[str, float | None]]:
    """Everyone's scores by the name of the cell."""
    with contextlib.closing(sqlite3.connect(gradebook)) as book:
        rows = book.execute(
            f"SELECT sa.student_id, c.name, g.{what} FROM grade g JOIN base_cell c ON c.id = g.cell_id "
            "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        ).fetchall()
    found: dict[str, dict[str, float | None]] = {}
    for student, cell, score in rows:
        found.setdefault(student, {})[cell] = score
    return found


def points(gradebook: Path) -> dict[str, float]:
    """Everyone's automatic points."""
    found = scores(gradebook)
    return {who: sum(value or 0.0 for value in of_cells.values()) for who, of_cells in found.items()}
