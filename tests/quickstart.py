"""nbgrader's own example, as its package ships it: the assignment of `nbgrader quickstart`, its submissions,
in a course of ours and through plain nbgrader."""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import nbgrader
import small

from course.lesson.folder import CourseFolder
from helpers.text import read_lessons

GUIDE = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide"
LESSONS = ("problem1", "problem2")
TASK = "cell-938593c4a215c6cc"
EXERCISES = {
    "problem1": {
        "squares": ["squares"],
        "sum_of_squares": ["sum_of_squares"],
        "sum_of_squares_equation": [],
        "sum_of_squares_application": ["pyramidal_number"],
    },
    "problem2": {"part-a": [], "part-b": []},
}
CONCEPTS = {
    "problem1": (
        "correct_squares", "squares_invalid_input", "correct_sum_of_squares", "sum_of_squares_uses_squares",
        TASK,
    ),
    "problem2": (),
}  # fmt: skip
RAISES = "def squares(n):\n    raise TypeError(n)"
OWN_LOOP = "def sum_of_squares(n):\n    return n * (n + 1) * (2 * n + 1) // 6"
NO_GUARD = "def squares(n):\n    return [i * i for i in range(1, n + 1)]"
VARIANTS = {
    "raises": {"squares": RAISES},
    "own_loop": {"sum_of_squares": OWN_LOOP},
    "no_guard": {"squares": NO_GUARD},
}


def course(folder: Path) -> CourseFolder:
    """The two problems as two lessons, as nbgrader ships them: no ids, a picture beside the notebook."""
    made = CourseFolder(folder.resolve())
    folder.mkdir(parents=True)
    shutil.copy(small.ROOT / "nbgrader_config.py", folder)
    made.public_halves.mkdir(parents=True)
    for number, lesson in enumerate(LESSONS, 1):
        for language in ("zh", "en"):
            place = made.master(lesson, language)
            place.parent.mkdir(parents=True)
            shutil.copy(GUIDE / "source" / "ps1" / place.name, place)
        if lesson == "problem1":
            shutil.copy(GUIDE / "source" / "ps1" / "jupyter.png", made.master(lesson).parent)
        keys = {*EXERCISES[lesson], *CONCEPTS[lesson]}
        words = {key: {"zh": f"〈{key}〉", "en": f"<{key}>"} for key in keys}
        half = {"number": number, "exercises": EXERCISES[lesson], "words": {"concept": words}}
        half["hints"] = small.hints(EXERCISES[lesson])
        (made.public_halves / f"{lesson}.json").write_text(json.dumps(half), encoding="utf-8")
    read_lessons(made.public_halves)
    return made


def submissions() -> dict[str, dict[str, dict]]:
    """nbgrader's own two submissions, and variants of the better one, by student and lesson."""
    found = {
        student: {
            lesson: _read(GUIDE / "submitted" / student / "ps1" / f"{lesson}.ipynb") for lesson in LESSONS
        }
        for student in ("bitdiddle", "hacker")
    }
    for student, answers in VARIANTS.items():
        found[student] = copy.deepcopy(found["hacker"])
        for cell in found[student]["problem1"]["cells"]:
            source = answers.get(cell["metadata"].get("nbgrader", {}).get("grade_id"))
            cell["source"] = source if source else cell["source"]
    return found


def hand_in(found: dict[str, dict[str, dict]], place: Callable[[str, str], Path]) -> None:
    """Write every submission where `place` says."""
    for student, notebooks in found.items():
        for lesson, notebook in notebooks.items():
            path = place(student, lesson)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(notebook), encoding="utf-8")


def plain(folder: Path) -> Path:
    """`nbgrader quickstart` with the same submissions, graded by plain nbgrader; its gradebook."""
    _nbgrader(folder, "quickstart", "course101")
    root = folder / "course101"
    hand_in(submissions(), lambda student, lesson: root / "submitted" / student / "ps1" / f"{lesson}.ipynb")
    _nbgrader(root, "generate_assignment", "ps1")
    _nbgrader(root, "autograde", "ps1")
    return root / "gradebook.db"


def grades(gradebook: Path) -> dict[tuple[str, str], tuple]:
    """Score, maximum and whether a person has to look, by student and cell; the stub's 0 counts as 0."""
    with contextlib.closing(sqlite3.connect(gradebook)) as book:
        rows = book.execute(
            "SELECT sa.student_id, c.name, g.auto_score, coalesce(gc.max_score, tc.max_score), "
            "g.needs_manual_grade FROM grade g JOIN base_cell c ON c.id = g.cell_id "
            "LEFT JOIN grade_cells gc ON gc.id = c.id LEFT JOIN task_cells tc ON tc.id = c.id "
            "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        ).fetchall()
    return {(student, cell): (score, most, bool(review)) for student, cell, score, most, review in rows}


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def _nbgrader(where: Path, *words: str) -> None:
    command = [sys.executable, "-m", "nbgrader", *words]
    done = subprocess.run(command, cwd=where, env=small.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def texts(made: CourseFolder) -> list[str]:
    """The names of all text cells, for `course translate --translated`."""
    masters = [nbformat.read(made.master(lesson), as_version=4) for lesson in LESSONS]
    return sorted({cell.id for master in masters for cell in master.cells if cell.cell_type == "markdown"})
