"""Made-up students against the hidden checks, in this process: the points and wrong ideas written by hand.

The demo's tests go the whole way with the first lesson's class, among whom are some who must not run here.
"""

from __future__ import annotations

import copy
import re
from functools import cache

import pytest
import small
from nbformat import NotebookNode

from course.authoring import mutants
from course.authoring.sample_class import SampleClass, SampleStudent
from course.lesson import cells, notebooks
from course.lesson.folder import CourseFolder
from helpers import text
from helpers.facts import CheckFacts

COURSE = CourseFolder(small.ROOT)
CLASSES = {lesson: SampleClass.of(COURSE, lesson) for lesson in COURSE.lessons()}
HERE = COURSE.lessons()[1:]


def untouched(master):
    """The master with nothing but the signatures in its solution cells."""
    notebook = copy.deepcopy(master)
    for cell in filter(cells.is_solution, notebook.cells):
        names = re.findall(r"^def +(\w+)", cell.source, re.MULTILINE)
        cell.source = "\n\n".join(f"def {name}(*_, **__):\n    raise NotImplementedError" for name in names)
    return notebook


def verdicts(notebook) -> dict[str, CheckFacts | None]:
    """What each hidden check finds, the answers run where they stand."""
    names = mutants.setup(notebook)
    said = {}
    for cell in notebook.cells:
        if cells.is_solution(cell):
            try:
                exec(compile(cell.source, cell.id, "exec"), names)
            except Exception:
                continue
        elif cells.is_grade(cell):
            said[cells.name(cell)] = mutants.found_by(cell.source, names)
    return said


@cache
def master(lesson: str, language: str) -> NotebookNode:
    return notebooks.load(COURSE.master(lesson, language))


def students() -> list:
    """Everyone whose file arrived whole."""
    return [
        pytest.param(lesson, student, id=f"{lesson}-{student.id}")
        for lesson in HERE
        for student in CLASSES[lesson].students()
        if student.accident != "cut_off"
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("lesson", "student"), students())
def test_a_student_gets_the_points_written_by_hand(lesson: str, student: SampleStudent):
    text.speak(student.language)
    sample = CLASSES[lesson]
    said = verdicts(sample.filled(untouched(master(lesson, student.language)), student))
    expected = sample.expected()[student.id]
    assert {concept: float(facts is None) for concept, facts in said.items()} == {
        concept: points for concept, points in expected.items() if concept != "total"
    }
    named = {facts.idea for facts in said.values() if facts and facts.idea}
    assert named == set(sample.ideas().get(student.id, ()))


@pytest.mark.parametrize("lesson", CLASSES)
def test_the_totals_add_up_and_everyone_is_on_the_roster(lesson):
    expected = CLASSES[lesson].expected()
    concepts = notebooks.concepts(master(lesson, "zh"))
    assert list(expected) == [student.id for student in CLASSES[lesson].students()]
    assert set(CLASSES[lesson].ideas()) <= set(expected)
    assert len(expected) >= 10
    for points in expected.values():
        assert list(points) == ["total", *concepts]
        assert points["total"] == sum(points[concept] for concept in concepts)
