"""The same answers get the same points, whichever editor saved the notebook."""

from __future__ import annotations

import json

import pytest
import saved_by
import small

from course.authoring import release
from course.grading import grade
from course.lesson import notebooks
from course.lesson.assignment import Assignment
from course.reporting import marks
from course.submission.hand_in import HandIn
from helpers import lessons, notebook
from helpers.lessons import Exercise
from helpers.text import LANGUAGES

ANSWER = 'def double(number):\n    return {"double_ms": 2 * number}'
HALF = 'def double(number):\n    return {"double_ms": 2 * number / 1000}'
TINY = lessons.Lesson("tiny", (Exercise("double", ("double",)),))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course whose class handed in one answer from every editor, and as it was released."""
    made = small.course(tmp_path_factory.mktemp("course"))
    release.release(made, [small.LESSON])
    for number, (name, editor) in enumerate(saved_by.EDITORS.items()):
        content = filled(made, LANGUAGES[number % 2])
        small.hand_in(made, name, editor(content))
    small.hand_in(made, "as_released", json.dumps(filled(made, "en")).encode())
    return made


def filled(made, language, answer=HALF):
    """The released notebook with the exercise filled in, as plain JSON."""
    released = notebooks.load(made.released(small.LESSON, language))
    return json.loads(json.dumps(small.answered(released, answer)))


@pytest.fixture(scope="module")
def points(course):
    run = grade.grade(course, small.LESSON)
    assert run.refused == ()
    return {
        found.student: {mark.concept: mark.points for mark in found.concepts} for found in marks.of_run(run)
    }


@pytest.mark.parametrize("name", saved_by.EDITORS)
def test_the_points_are_those_of_the_notebook_as_it_was_released(points, name):
    assert points[name] == points["as_released"]
    assert len(set(points[name].values())) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", saved_by.EDITORS)
def test_the_answer_is_found_and_the_hidden_checks_stand_behind_it(course, name, language):
    masters = {lang: notebooks.load(course.master(small.LESSON, lang)) for lang in LANGUAGES}
    data = saved_by.EDITORS[name](filled(course, language, ANSWER))
    result = HandIn.of(data, Assignment.of(small.LESSON, masters, {}))
    found = {piece.name: piece.source for piece in result.rebuilt.pieces}
    assert found["double"] == ANSWER
    assert found["double-zero"] == small.ZERO
    assert result.language == language
    assert not [note.key for note in result.notes if note.key.startswith("unreadable")]


@pytest.mark.parametrize("name", sorted(set(saved_by.EDITORS) - {"windows"}))
def test_the_last_cell_finds_the_answer_in_the_file_and_leaves_the_person_out(
    course, name, tmp_path, monkeypatch
):
    monkeypatch.setattr(lessons, "every", lambda: (TINY,))
    path = tmp_path / "mine.ipynb"
    path.write_bytes(saved_by.EDITORS[name](filled(course, "en", ANSWER)))
    found = notebook.read(path)
    assert found.lesson == TINY
    assert found.source_of(TINY.exercises[0]) == ANSWER
    assert "Ada" not in json.dumps(found.content)
