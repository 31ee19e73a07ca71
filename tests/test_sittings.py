"""A class's sitting: what hidden tests draw for it, and what it is told of a decision before the deadline."""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import timedelta

import pytest
import small
from nbformat import NotebookNode
from nbgrader.converters import Autograde

from course.authoring import mutants, release
from course.grading import grade, sittings
from course.grading.grading_run import GradingOptions
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.lesson.nbgrader_log import NbgraderLog
from course.lesson.sitting import Sitting
from course.reporting import feedback
from course.sandbox.sandbox import unavailable
from helpers import checks
from helpers.drawing import drawing, lots

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))

DRAWN = """# 评分：小数 · graded: small numbers
### BEGIN HIDDEN TESTS
with checks.concept("double-units") as drawn:
    checks.equal(double(21), double_ms=42, ideas={"left_in_seconds": {"double_ms": 0.042}})
    for _ in range(3):
        number = drawn.randint(1, 10**9)
        checks.equal(checks.call(double, number=number), double_ms=2 * number)
### END HIDDEN TESTS"""
CHOICE = '### BEGIN SOLUTION\nchoice = {"batch": 4711, "share": 0.125}\n### END SOLUTION'
CHOSEN = """# 评分：选择 · graded: the choice
### BEGIN HIDDEN TESTS
with checks.concept("double-one"):
    checks.equal(choice, batch=4711)
    checks.close(choice, share=0.125)
### END HIDDEN TESTS"""
FILE = {**small.FILE, "exercises": {"double": ["double"], "choice": ["choice"]}}
FILE["words"] = copy.deepcopy(small.FILE["words"])
FILE["words"]["concept"]["choice"] = {"zh": "选择", "en": "the choice"}
RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'


def master() -> NotebookNode:
    made = small.master()
    small.cell(made, "double-units").source = DRAWN
    made.cells[-1:-1] = [small.code("choice", CHOICE, solution=True), small.check("double-one", CHOSEN)]
    return made


def course(folder) -> CourseFolder:
    made = small.course(folder, master(), FILE)
    release.release(made, [small.LESSON])
    return made


def hand_in(made: CourseFolder, student: str, answer: str, choice: str = "choice = {}") -> None:
    notebook = small.answered(notebooks.load(made.released(small.LESSON, "en")), answer)
    small.cell(notebook, "choice").source = choice
    small.hand_in(made, student, notebook)


def seed(made: CourseFolder) -> str:
    with contextlib.closing(sqlite3.connect(made.gradebook)) as book:
        return book.execute("SELECT seed FROM class_seed").fetchone()[0]


def table_of(made: CourseFolder) -> str:
    """A submission that knows every number that this class's hidden tests ask for, and nothing else."""
    heard: list[int] = []
    checks_of = [cell.source for cell in master().cells if cell.id in small.CONCEPTS]
    with drawing(seed(made)):
        for check in checks_of:
            double = lambda number: heard.append(number) or {"double_ms": 2 * number}  # noqa: E731
            assert mutants.found_by(check, {"checks": checks, "double": double}) is None
    known = {number: 2 * number for number in [*heard, 2]}  # the visible check asks for 2
    return f'TABLE = {known}\ndef double(number):\n    return {{"double_ms": TABLE[number]}}'


@pytest.fixture(scope="module")
def classes(tmp_path_factory) -> Iterator[tuple[CourseFolder, CourseFolder]]:
    """Two classes that have been graded once."""
    made = [course(tmp_path_factory.mktemp(name) / "course") for name in "ab"]
    for each in made:
        hand_in(each, "honest", RIGHT)
        small.run(each, "grade", small.LESSON)
    return tuple(made)


def test_a_table_learned_in_one_class_earns_nothing_in_the_next(classes):
    first, second = classes
    for each in classes:
        hand_in(each, "table", table_of(first))
        small.run(each, "grade", small.LESSON)
    expected = {"double-units": 1.0, "double-zero": 1.0, "double-one": 0.0}
    assert small.scores(first.gradebook)["table"] == expected
    assert small.scores(second.gradebook)["table"] == {**expected, "double-units": 0.0}
    for each in classes:
        assert small.scores(each.gradebook)["honest"] == expected


def test_a_class_draws_the_same_whenever_and_by_whichever_way_it_is_graded(classes, tmp_path):
    made = small.again(classes[0], tmp_path / "moved")
    hand_in(made, "table", table_of(classes[0]))
    before = seed(made)
    small.run(made, "grade", small.LESSON, "--regrade")
    assert small.scores(made.gradebook)["table"]["double-units"] == 1.0
    directory = made.directory(small.LESSON, "zh")
    Autograde(coursedir=directory, config=directory.config, log=NbgraderLog().logger()).start()
    assert small.scores(made.gradebook)["table"]["double-units"] == 1.0
    copied = max(made.root.glob("gradebook.db.before-*"))
    shutil.copy(copied, made.gradebook)
    assert seed(made) == before
    assert seed(classes[1]) != before


def test_without_a_class_the_same_is_drawn_each_time():
    """As under plain nbgrader, which knows nothing of us."""
    assert [lots("a").randint(0, 10**9) for _ in range(2)] == [lots("a").randint(0, 10**9)] * 2
    assert lots("a").random() != lots("b").random()
    with drawing("class"):
        inside = lots("a").random()
    assert inside != lots("a").random()
    checks_of = [cell.source for cell in master().cells if cell.id == "double-units"]
    double = lambda number: {"double_ms": 2 * number}  # noqa: E731
    assert mutants.found_by(checks_of[0], {"checks": checks, "double": double}) is None


def test_lots_are_the_same_on_every_python():
    """Literals, so that a worker with another version cannot draw otherwise unnoticed."""
    with drawing("seed"):
        drawn = lots("key")
    assert [drawn.randint(0, 10**6), drawn.randrange(3, 10**9), drawn.choice(range(99))] == LITERALS
    assert drawn.sample(range(100), 4) == SAMPLE


LITERALS = [137113, 699263891, 68]
SAMPLE = [11, 12, 96, 90]
WRONG = 'choice = {"batch": 1000, "share": 0.5}'


def told(made: CourseFolder) -> str:
    """All that is written of the student: the graded notebook as text without its hidden tests, the page."""
    graded = notebooks.load(made.autograded("lin", small.LESSON))
    outputs = [cell.get("outputs", []) for cell in graded.cells]
    page = feedback.page(made, small.LESSON, "lin")
    return json.dumps([graded.metadata, outputs], ensure_ascii=False) + page


@pytest.fixture
def lin(tmp_path) -> CourseFolder:
    made = course(tmp_path / "course")
    hand_in(made, "lin", RIGHT.replace("2 *", "3 *"), WRONG)
    grade.grade(made, small.LESSON)
    return made


def due(made: CourseFolder, moment: str, extension: timedelta | None = None) -> None:
    with small.gradebook(made) as book:
        book.update_or_create_assignment(small.LESSON, duedate=moment)
        book.find_submission(small.LESSON, "lin").extension = extension
        book.db.commit()
    grade.grade(made, small.LESSON)


def test_without_a_due_date_a_decisions_right_value_is_not_told(lin):
    assert "4711" not in told(lin)
    assert "4,711" not in told(lin)
    assert "batch: 1,000 is not right." in told(lin)


def test_it_is_told_after_the_due_date_and_not_before_it(lin):
    due(lin, "2100-01-01 00:00:00 UTC")
    assert "4,711" not in told(lin)
    due(lin, "2026-01-01 00:00:00 UTC")
    assert "batch: expected 4,711, got 1,000." in told(lin)


def test_somebodys_extension_counts_for_everyone(lin):
    due(lin, "2026-01-01 00:00:00 UTC", timedelta(days=36500))
    assert "4,711" not in told(lin)
    due(lin, "2026-01-01 00:00:00 UTC", timedelta(days=1))
    assert "4,711" in told(lin)


def test_of_a_function_the_right_value_is_told_at_once(lin):
    assert "double_ms: expected" in told(lin)


def test_the_reference_is_asked_the_classs_own_questions(tmp_path):
    """A test that only some draws break is noticed before anybody gets 0 for it."""
    made = course(tmp_path / "course")
    hand_in(made, "lin", RIGHT)
    digest = made.assignment(small.LESSON).digest
    assert made.assignment(small.LESSON).at(Sitting("a")).digest != digest
    run = grade.grade(made, small.LESSON, options=GradingOptions())
    assert run.graded == ("lin",)
    assert sittings.sitting(made.database, small.LESSON).seed == seed(made)
