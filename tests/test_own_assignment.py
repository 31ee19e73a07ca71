"""nbgrader's own quickstart assignment through our commands: points equal to plain nbgrader's."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
import quickstart
import small

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason="no sandbox on this machine")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """The quickstart assignment translated, released, handed in, graded, with its pages."""
    made = quickstart.course(tmp_path_factory.mktemp("own") / "course")
    small.run(made, "translate", expect=1)  # gives the cells ids, and says what nobody has translated
    named = [word for cell in quickstart.texts(made) for word in ("--translated", cell)]
    small.run(made, "translate", *named)
    small.run(made, "release")
    small.run(made, "release", "--check")
    quickstart.hand_in(quickstart.submissions(), made.submitted)
    return made


@pytest.fixture(scope="module")
def said(made: CourseFolder) -> str:
    """What grading both problems said."""
    return "".join(small.run(made, "grade", lesson) for lesson in quickstart.LESSONS)


def page(made: CourseFolder, student: str, lesson: str = "problem1") -> str:
    small.run(made, "feedback", lesson)
    return made.feedback(student, lesson).read_text(encoding="utf-8")


def test_points_are_those_of_plain_nbgrader(made: CourseFolder, said: str, tmp_path: Path) -> None:
    ours, plain = quickstart.grades(made.gradebook), quickstart.grades(quickstart.plain(tmp_path))
    assert ours == plain
    assert sum(grade[1] for key, grade in ours.items() if key[0] == "hacker") == 13


def test_a_test_that_deletes_a_students_name_tells_who_uses_it(made: CourseFolder, said: str) -> None:
    grades, cell = quickstart.grades(made.gradebook), "sum_of_squares_uses_squares"
    uses = {student: grades[student, cell][0] for student in ("bitdiddle", "hacker", "own_loop")}
    assert uses == {"bitdiddle": 0.5, "hacker": 0.5, "own_loop": 0}
    assert "sum_of_squares does not use squares" in page(made, "own_loop")


def test_a_plain_assertion_says_what_it_compared(made: CourseFolder, said: str) -> None:
    shown = page(made, "bitdiddle")
    assert "squares：应为 [1]，得到 [0]。" in shown
    assert "sum_of_squares：应为 1，得到 0。" in shown
    assert "did not raise" in page(made, "no_guard")
    assert "assert " not in shown


def test_what_waits_for_a_person_is_said_by_name(made: CourseFolder, said: str) -> None:
    assert "waiting for you: <sum_of_squares_application> (4: hacker, no_guard, own_loop, raises)" in said
    assert "waiting for you: <part-a> (5: " in said
    assert "等待老师批改：〈sum_of_squares_equation〉、〈cell-938593c4a215c6cc〉。" in page(made, "bitdiddle")
    report = small.run(made, "report", "problem2", "--html", "report.html")
    assert "waiting for you: <part-b> (5: bitdiddle" in report
    assert "&lt;part-b&gt;" in (made.root / "report.html").read_text(encoding="utf-8")


def test_every_cell_has_an_id_of_its_own(made: CourseFolder, said: str) -> None:
    paths = [made.master("problem1"), made.released("problem1", "en"), made.autograded("hacker", "problem1")]
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        ids = [cell.id for cell in notebook.cells]
        assert len(ids) == len(set(ids))
        assert all(ids)
    assert "Warning" not in small.run(made, "feedback", "problem1")


def test_the_picture_goes_where_the_notebook_goes(made: CourseFolder, said: str) -> None:
    picture = (quickstart.GUIDE / "source" / "ps1" / "jupyter.png").read_bytes()
    for name in ("LICENSE", "pyproject.toml"):  # of which the students' wheel is made
        shutil.copy(small.ROOT / name, made.root)
    small.run(made, "publish", "--to", "bundle")
    beside = (made.released("problem1", "zh"), made.autograded("hacker", "problem1"))
    for path in (
        *(path.with_name("jupyter.png") for path in beside),
        made.root / "bundle/zh/problem1/jupyter.png",
    ):
        assert path.read_bytes() == picture
    assert not made.autograded("hacker", "problem2").with_name("jupyter.png").exists()
    made.released("problem1", "zh").with_name("jupyter.png").write_bytes(b"another")
    assert "jupyter.png" in small.run(made, "release", "--check", expect=1)
    small.run(made, "release")
