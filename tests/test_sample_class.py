"""Lesson 2's made-up students against its hidden checks, in this process: the points written by hand."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest

from course.authoring import mutants
from course.authoring.sample_class import SampleClass
from course.lesson import cells, notebooks
from course.lesson.folder import CourseFolder
from course.reporting import marks
from helpers import text

LESSON = "benchmark-capacity"
IDEAS = {
    "s04-jonas": {"gb_for_gib"},
    "s05-chen": {"cold_in_median", "interpolated"},
    "s06-aisha": {"window_ignored", "latent_doubled"},
    "s07-zhao": {"survivors_only"},
    "s08-luca": {"honest_accused", "lie_believed"},
    "s09-liu": {"partial_block_shared"},
    "s10-emma": {"bucket_bound_returned", "infinite_answer"},
    "s12-noah": {"rules_out_of_order"},
}


def untouched(master):
    """The master with nothing but the signatures in its solution cells."""
    notebook = copy.deepcopy(master)
    for cell in filter(cells.is_solution, notebook.cells):
        names = re.findall(r"^def +(\w+)", cell.source, re.MULTILINE)
        cell.source = "\n\n".join(f"def {name}(*_, **__):\n    raise NotImplementedError" for name in names)
    return notebook


def verdicts(notebook) -> dict[str, str | None]:
    """What each hidden check says, the answers run where they stand."""
    names = mutants.setup(notebook)
    said = {}
    for cell in notebook.cells:
        if cells.is_solution(cell):
            try:
                exec(compile(cell.source, cell.id, "exec"), names)
            except Exception:
                continue
        elif cells.is_grade(cell):
            said[cells.name(cell)] = mutants.said(cell.source, names)
    return said


@pytest.fixture(scope="module")
def sample(course: CourseFolder):
    return SampleClass.of(course, LESSON)


@pytest.fixture(scope="module")
def masters(course: CourseFolder):
    return {language: notebooks.load(course.master(LESSON, language)) for language in text.LANGUAGES}


def students():
    """Everyone whose file arrived whole."""
    course = CourseFolder(Path(__file__).parent.parent)
    return [student for student in SampleClass.of(course, LESSON).students() if student.accident != "cut_off"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("student", students(), ids=lambda student: student.id)
def test_a_student_gets_the_points_written_by_hand(student, sample, masters):
    text.speak(student.language)
    said = verdicts(sample.filled(untouched(masters[student.language]), student))
    expected = sample.expected()[student.id]
    assert {concept: float(sentence is None) for concept, sentence in said.items()} == {
        concept: points for concept, points in expected.items() if concept != "total"
    }
    named = {idea for sentence in said.values() if sentence for idea in marks.ideas_in(sentence)}
    assert named == IDEAS.get(student.id, set())


def test_the_totals_add_up_and_everyone_is_on_the_roster(sample, masters):
    expected = sample.expected()
    concepts = notebooks.concepts(masters["zh"])
    assert list(expected) == [student.id for student in sample.students()]
    assert len(expected) >= 10
    for points in expected.values():
        assert list(points) == ["total", *concepts]
        assert points["total"] == sum(points[concept] for concept in concepts)
