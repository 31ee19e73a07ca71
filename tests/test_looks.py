"""What is left out before hidden tests are asked: looks of the instructor's, which nobody sees there."""

from __future__ import annotations

import pytest
from copying import ASSIGNMENT, honest
from handout import with_cell

from course.grading.examination import Examination
from course.lesson.names import without_look
from course.sandbox.limits import ResourceLimits
from course.sandbox.process import Process
from course.sandbox.sandbox import Sandbox, unavailable
from course.submission.rebuilding import rebuild
from course.submission.rebuilt import Rebuilt


def rebuilt(notebook: dict) -> Rebuilt:
    return rebuild(notebook, ASSIGNMENT)


def ask(process: Process, source: str) -> str:
    """What a cell prints."""
    order = {"do": "run", "source": source, "quiet": False, "definitions_only": False}
    return "".join(output.get("text", "") for output in process.ask(order, 30)["outputs"])


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("a = 1\na", "a = 1"),
        ("a = f(1)\n\nplots.knee(\n    a,\n)", "a = f(1)"),
        ("rows = []\ntable(rows)", "rows = []"),
        ("plots.knee(rows).axes", ""),
        ("f(1), f(2)", ""),
    ],
)
def test_a_look_at_the_end_of_a_cell_is_left_out(source, left):
    assert without_look(source) == left


@pytest.mark.parametrize(
    "source",
    [
        "numpy.random.seed(0)",
        "setup()",
        "a = 1\nprint(a)",
        "(a := 1)",
        "table(b := [1])",
        "a = 1; a",
        "def f():\n    return 1",
        "%matplotlib inline\na",
        "",
    ],
)
def test_whatever_could_do_something_stays(source):
    assert without_look(source) == source


@pytest.mark.parametrize(
    ("code", "looks_back"),
    [("print(_)", True), ("x = Out[3]", True), ("_12", True), ("_name = 1", False), ("def f(): pass", False)],
)
def test_who_takes_what_a_cell_has_shown_gets_it(code, looks_back):
    examination = Examination(rebuilt(with_cell(honest("en"), code, "walls-text")), sandbox=None)
    assert examination.looks_back == looks_back


@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
def test_matplotlib_is_loaded_for_those_who_draw_and_for_nobody_else():
    with Sandbox(ResourceLimits()) as sandbox:
        loaded = "import sys\nprint('matplotlib' in sys.modules)"
        assert ask(sandbox.student(), loaded) == "False\n"
        assert ask(sandbox.student(draws=True), loaded) == "True\n"
        drawn = (
            "from helpers import plots\nimport matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\nprint(1)"
        )
        assert ask(sandbox.student(draws=True), drawn) == "1\n"


def test_a_submission_that_draws_is_known_by_its_words():
    drawing = with_cell(honest("en"), "import matplotlib.pyplot as plt", "walls-text")
    assert Examination(rebuilt(drawing), sandbox=None).draws
    assert not Examination(rebuilt(honest("en")), sandbox=None).draws
