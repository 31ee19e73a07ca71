"""Tests that delete or rebind a student's names, and plain assertions: what they count and what they tell."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path

import pytest
import small
from nbformat import NotebookNode

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason="no sandbox on this machine")

ANSWERS = {
    "double": "def double(number):\n    return 2 * number",
    "quad": "rate = 3\n\n\ndef quad(number):\n    return double(double(number))\n\n\ndef scaled(number):\n"
    "    return rate * number",
    "answer": "answer = 170141",
}
TESTS = {
    "gone": """del double
try:
    quad(1)
except NameError:
    pass
else:
    raise AssertionError("quad does not call double")""",
    "back": "assert double(2) == 4\nassert quad(1) == 4",
    "data": "rate = [7]\nassert scaled(2) == [7, 7]",
    "other": "double = scaled\nassert quad(1) == 9",
    "still": "assert scaled(1) == 3 and quad(1) == 4",
    "large": "assert quad(5) > 19",
    "worded": 'result = double(5)\nassert result == 10, "twice five"',
    "value": "assert answer == 170141",
}
WRONG = {
    "loops": {
        "quad": ANSWERS["quad"].replace("double(double(number))", "4 * number").replace("rate *", "3 *")
    },
    "small": {"double": "def double(number):\n    return number + 1"},
    "guess": {"answer": "answer = 3"},
    "spy": {"double": "def double(number):\n    raise AssertionError('heard 123456 of double')"},
    "lists": {"double": "def double(number):\n    return 'heard 123456'"},
}


def answer(name: str) -> NotebookNode:
    stub = f"### BEGIN SOLUTION\n{ANSWERS[name]}\n### END SOLUTION"
    return small.code(name, stub, solution=True)


def master() -> NotebookNode:
    tests = (
        small.check(name, f"### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS")
        for name, test in TESTS.items()
    )
    return small.notebook("mirrored", [small.markdown("title", "# 课"), *map(answer, ANSWERS), *tests])


def answered(answers: Mapping[str, str]) -> NotebookNode:
    given = copy.deepcopy(master())
    for name, source in {**ANSWERS, **answers}.items():
        small.cell(given, name).source = source
    return given


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    words = {name: {"zh": name, "en": name} for name in (*ANSWERS, *TESTS)}
    exercises = {"double": ["double"], "quad": ["quad", "scaled"], "answer": ["answer"]}
    public = {"number": 1, "exercises": exercises, "words": {"concept": words}}
    made = small.course(tmp_path_factory.mktemp("mirror"), master(), public, mutants="")
    for student, answers in {"right": {}, **WRONG}.items():
        small.hand_in(made, student, answered(answers))
    small.run(made, "release")
    small.run(made, "grade", "mirrored")
    small.run(made, "feedback", "mirrored")
    return made


def failed(made: CourseFolder, student: str) -> set[str]:
    return {name for name, score in small.scores(made.gradebook)[student].items() if not score}


def page(made: CourseFolder, student: str) -> str:
    """The student's page without the student's own code."""
    text = made.feedback(student, "mirrored").read_text(encoding="utf-8")
    return "".join(part.split("</details>")[-1] for part in text.split("<details>"))


def test_names_are_deleted_and_bound_for_one_test(made: CourseFolder) -> None:
    assert failed(made, "right") == set()
    assert failed(made, "loops") == {"gone", "data", "other"}
    assert "quad does not call double" in page(made, "loops")


def test_a_failed_comparison_is_told(made: CourseFolder) -> None:
    shown = page(made, "small")
    assert failed(made, "small") == {"back", "large", "worded", "still"}
    assert "double：应为 4，得到 3。" in shown
    assert "quad：应 &gt; 19，得到 7。" in shown
    assert "result：twice five（应为 10，得到 6）。" in shown


def test_of_an_answer_that_is_a_value_the_right_one_is_not_told(made: CourseFolder) -> None:
    assert failed(made, "guess") == {"value"}
    assert "answer：测试的一个条件不成立。" in page(made, "guess")
    assert "170141" not in page(made, "guess")


@pytest.mark.parametrize("student", ["spy", "lists"])
def test_nothing_of_a_students_text_is_told(made: CourseFolder, student: str) -> None:
    assert {"back", "worded"} <= failed(made, student)
    assert "123456" not in page(made, student)
    assert "AssertionError" in page(made, "spy")


def test_what_cannot_be_mirrored_is_refused_at_release(tmp_path: Path) -> None:
    changed = small.master()
    small.cell(
        changed, "double-zero"
    ).source = "double_of = double\ndouble = lambda n: n\nassert double_of(1)"
    made = small.course(tmp_path, changed)
    said = small.run(made, "release", expect=2)
    assert "double-zero:3: the reference solution fails here: The test puts something of its own" in said
