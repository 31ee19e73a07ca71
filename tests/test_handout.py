"""The notebooks that other tests hand in start from what `course release` makes."""

from __future__ import annotations

import json

import copying
import pytest
import small
from handout import Handout

from course.authoring import proof, release
from course.lesson.cells import source
from course.lesson.folder import CourseFolder

COURSE = CourseFolder(small.ROOT)


def shown(notebook: dict) -> list[tuple[str, str, str]]:
    return [(cell["id"], cell["cell_type"], source(cell)) for cell in notebook["cells"]]


@pytest.mark.parametrize("lesson", COURSE.lessons())
@pytest.mark.parametrize("language", COURSE.languages)
def test_a_blank_notebook_is_the_one_that_is_given_out(lesson, language):
    released = json.loads(COURSE.released(lesson, language).read_text(encoding="utf-8"))
    assert shown(Handout.of(COURSE, lesson).blank(language)) == shown(released)


def test_the_lesson_of_the_tests_can_be_released(tmp_path):
    made = copying.course(tmp_path)
    assert proof.findings(made, copying.LESSON) == []
    release.release(made, [copying.LESSON])
    for language in made.languages:
        released = json.loads(made.released(copying.LESSON, language).read_text(encoding="utf-8"))
        assert shown(copying.blank(language)) == shown(released)
    assert copying.HANDOUT.full == copying.FULL
