"""A mark by hand: kept whatever happens, looked at again only where the answer is another one."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import small
from nbformat import NotebookNode
from small import LESSON

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'
QUESTION = "### BEGIN SOLUTION\n因为加了一次自己。\n### END SOLUTION"
CHANGED = "Changed since it was marked."


def essay_cell() -> NotebookNode:
    cell = small.markdown("essay", QUESTION)
    grader = {"grade": True, "solution": True, "locked": False, "task": False, "schema_version": 3}
    cell.metadata["nbgrader"] = grader | {"grade_id": "essay", "points": 2.0}
    return cell


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A lesson with an essay: three students have written one, one has not; all graded."""
    master = small.master()
    master.cells.insert(-1, essay_cell())
    texts = small.TEXTS | {"essay": ("", QUESTION)}
    public = copy.deepcopy(small.FILE)
    public["exercises"]["essay"] = []
    public["words"]["concept"]["essay"] = {"zh": "为什么", "en": "reasons"}
    made = small.course(tmp_path_factory.mktemp("template") / "course", master, public, texts)
    small.run(made, "release", LESSON)
    for student, text in {
        "ann": "It is added once.",
        "bo": "I do not know.",
        "cy": "Twice.",
        "di": "",
    }.items():
        hand_in(made, student, text)
    small.run(made, "grade", LESSON)
    return made


@pytest.fixture
def course(template: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(template, tmp_path / "course")


def hand_in(made: CourseFolder, student: str, text: str, code: str = RIGHT, more: str = "") -> None:
    notebook = copy.deepcopy(small.answered(small.notebooks.load(made.released(LESSON, "en")), code))
    if text:
        small.cell(notebook, "essay").source = text
    if more:
        notebook.cells.insert(3, small.code("helper", more))
    small.hand_in(made, student, notebook)


def mark(made: CourseFolder, student: str, cell: str, score: float, comment: str = "") -> None:
    """As formgrader does it."""
    with small.gradebook(made) as book:
        grade = book.find_grade(cell, LESSON, LESSON, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        if comment:
            book.find_comment("essay", LESSON, LESSON, student).manual_comment = comment
        book.db.commit()


def waiting(made: CourseFolder, cell: str = "essay") -> dict[str, tuple[float, bool, str | None]]:
    """Everyone's mark, whether a person must look, and what formgrader shows beside an answer by itself."""
    found = {}
    with small.gradebook(made) as book:
        for one in book.assignment_submissions(LESSON):
            who, answer = one.student.id, "essay" if cell == "essay" else "double"
            grade = book.find_grade(cell, LESSON, LESSON, who)
            comment = book.find_comment(answer, LESSON, LESSON, who)
            found[who] = (grade.score, grade.needs_manual_grade, comment.auto_comment)
    return found


def test_an_essay_that_did_not_change_is_not_flagged_again(course: CourseFolder) -> None:
    assert waiting(course) == {
        "ann": (0.0, True, None), "bo": (0.0, True, None), "cy": (0.0, True, None),
        "di": (0.0, False, "No response."),
    }  # fmt: skip
    mark(course, "ann", "essay", 2.0, "good")
    mark(course, "bo", "essay", 0.5)
    small.run(course, "grade", LESSON, "--regrade")
    assert waiting(course)["ann"] == (2.0, False, None)
    assert waiting(course)["bo"] == (0.5, False, None)
    assert waiting(course)["cy"] == (0.0, True, None)
    with small.gradebook(course) as book:
        assert book.find_comment("essay", LESSON, LESSON, "ann").manual_comment == "good"


def test_a_changed_essay_keeps_its_mark_with_that_word_until_somebody_looks(course: CourseFolder) -> None:
    mark(course, "ann", "essay", 2.0)
    mark(course, "bo", "essay", 0.5)
    hand_in(course, "bo", "Now I know: it is added once.")
    small.run(course, "grade", LESSON)
    for _ in range(2):  # and the word stays while nobody has looked
        assert waiting(course)["bo"] == (0.5, True, CHANGED)
        assert waiting(course)["ann"] == (2.0, False, None)
        said = " ".join(small.run(course, "report", LESSON).split())
        assert "Changed since it was marked: reasons (1: bo)" in said
        page = (course.root / "reports" / f"{LESSON}.en.html").read_text("utf-8")
        assert "Changed since it was marked: reasons (1: bo)" in page
        small.run(course, "grade", LESSON, "--regrade")
    mark(course, "bo", "essay", 1.5)
    assert "Changed since" not in small.run(course, "report", LESSON)
    small.run(course, "grade", LESSON, "--regrade")
    assert waiting(course)["bo"] == (1.5, False, None)


def test_a_mark_on_a_test_is_flagged_only_where_code_or_score_changed(course: CourseFolder) -> None:
    for student in ("ann", "bo", "cy"):
        mark(course, student, "double-zero", 0.25)
    hand_in(course, "bo", "I do not know.", 'def double(number):\n    return {"double_ms": number * 2}')
    hand_in(course, "cy", "Twice.", more="FACTOR = 2")
    small.run(course, "grade", LESSON, "--regrade")
    assert waiting(course, "double-zero") == {
        "ann": (0.25, False, None), "bo": (0.25, True, CHANGED), "cy": (0.25, True, CHANGED),
        "di": (1.0, False, None),
    }  # fmt: skip


def test_an_essay_that_was_taken_back_keeps_its_mark(course: CourseFolder) -> None:
    mark(course, "ann", "essay", 2.0)
    hand_in(course, "ann", "")
    small.run(course, "grade", LESSON)
    assert waiting(course)["ann"] == (2.0, True, "No response.")
