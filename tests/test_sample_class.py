"""The class of every lesson, graded as its students' files are: points and wrong ideas written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
import small

from course.authoring.sample_class import ACCIDENTS, SampleClass, SampleStudent
from course.grading.assessment import Assessment, assess
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox, unavailable
from course.sandbox.unsandboxed import Unsandboxed

COURSE = CourseFolder(small.ROOT)
CLASSES = {lesson: SampleClass.of(COURSE, lesson) for lesson in COURSE.lessons()}
EVERYONE = [
    pytest.param(lesson, student, id=f"{lesson}-{student.id}")
    for lesson, sample in CLASSES.items()
    for student in sample.students()
]

assignment = cache(COURSE.assignment)


@pytest.fixture(scope="module")
def examined() -> Iterator[Callable[[str, SampleStudent], Assessment]]:
    """What the grader makes of a student's file; the classes are our own, so no sandbox is insisted on."""
    with Unsandboxed(ResourceLimits()) if unavailable() else Sandbox() as room:
        yield lambda lesson, student, **how: assess(
            handed_in(lesson, student), assignment(lesson), room, **how
        )


def handed_in(lesson: str, student: SampleStudent) -> bytes:
    """The student's file, accident and all."""
    released = notebooks.load(COURSE.released(lesson, student.language))
    return ACCIDENTS[student.accident](CLASSES[lesson].filled(released, student))


@pytest.mark.parametrize("follow_through", [True, False], ids=["followed", "strict"])
@pytest.mark.parametrize(("lesson", "student"), EVERYONE)
def test_a_student_gets_the_points_written_by_hand(lesson, student, follow_through, examined):
    verdicts = examined(lesson, student, follow_through=follow_through).verdicts
    expected = CLASSES[lesson].expected(follow_through=follow_through)[student.id]
    assert {verdict.cell: verdict.score for verdict in verdicts} == {
        concept: points for concept, points in expected.items() if concept != "total"
    }
    named = {verdict.facts.idea for verdict in verdicts if verdict.facts and verdict.facts.idea}
    assert named == set(CLASSES[lesson].ideas().get(student.id, ()))


@pytest.mark.parametrize("lesson", CLASSES)
def test_the_totals_add_up_and_everyone_is_on_the_roster(lesson):
    expected = CLASSES[lesson].expected()
    concepts = notebooks.concepts(notebooks.load(COURSE.master(lesson)))
    assert list(expected) == [student.id for student in CLASSES[lesson].students()]
    assert set(CLASSES[lesson].ideas()) | set(CLASSES[lesson].kept()) <= set(expected)
    assert len(expected) >= 10
    for points in expected.values():
        assert list(points) == ["total", *concepts]
        assert points["total"] == sum(points[concept] for concept in concepts)
