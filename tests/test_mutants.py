"""Every wrong idea fails a hidden check that names it, in both languages; the reference passes."""

from __future__ import annotations

import re

import pytest

from course import marks, mutants, notebooks
from course.folder import CourseFolder
from helpers.text import CATALOG, LANGUAGES

LESSON = "iteration-budget"
WITHOUT_MUTANT = {"knee_taken_for_service"}  # about the decision, which is data and no function


@pytest.fixture(scope="module", params=LANGUAGES)
def master(request, course: CourseFolder):
    return notebooks.load(course.master(LESSON, request.param))


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda mutant: mutant.idea)
def test_a_wrong_idea_fails_a_hidden_check_that_names_it(mutant, master):
    assert mutants.caught(mutant, master, notebooks.language(master))


@pytest.mark.parametrize("exercise", ["cost", "bounds", "knee"])
def test_the_reference_passes_every_hidden_check(exercise, master):
    reference = mutants.references(master)[exercise]
    assert mutants.judge(master, exercise, reference, notebooks.language(master)) == {}


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda mutant: mutant.idea)
def test_no_check_blames_a_wrong_idea_that_the_answer_does_not_have(mutant, master):
    answer = mutant.applied(mutants.references(master)[mutant.exercise])
    verdicts = mutants.judge(master, mutant.exercise, answer, notebooks.language(master))
    assert {idea for said in verdicts.values() for idea in marks.ideas_in(said)} == {mutant.idea}


def test_every_idea_that_a_check_can_name_has_a_mutant(course: CourseFolder):
    source = "\n".join(cell.source for cell in notebooks.load(course.master(LESSON)).cells)
    named = {idea for idea in re.findall(r"\"(\w+)\"", source) if f"idea.{idea}" in CATALOG}
    assert named - WITHOUT_MUTANT == {mutant.idea for mutant in mutants.MUTANTS}


def test_an_edit_that_no_longer_fits_the_reference_is_refused():
    mutant = mutants.Mutant("binary_units", LESSON, "cost", (("no such text", ""),))
    with pytest.raises(ValueError, match="binary_units: 'no such text' must occur once in cost, got 0"):
        mutant.applied("memory_ms = 1")
