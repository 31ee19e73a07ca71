"""Every wrong idea fails a hidden check; the reference passes. Languages share the code."""

from __future__ import annotations

import functools
import re

import pytest
import small

from course.authoring import mutants
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.lesson.wrong_ideas import Mutant
from helpers.text import CATALOG

COURSE = CourseFolder(small.ROOT)
IDEAS = {lesson: COURSE.secrets(lesson).ideas for lesson in COURSE.lessons()}
MUTANTS = [mutant for ideas in IDEAS.values() for mutant in ideas.mutants]

of_every_mutant = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.idea)


@pytest.fixture(scope="session")
def master():
    """The master of a lesson, read once."""
    return functools.cache(lambda lesson: notebooks.load(COURSE.master(lesson)))


@of_every_mutant
def test_a_wrong_idea_fails_a_hidden_check(mutant: Mutant, master):
    assert mutants.caught(mutant, master(mutant.lesson))


@pytest.mark.parametrize(
    ("lesson", "exercise"), dict.fromkeys((mutant.lesson, mutant.exercise) for mutant in MUTANTS)
)
def test_the_reference_passes_every_hidden_check(lesson, exercise, master):
    reference = mutants.references(master(lesson))[exercise]
    assert mutants.judge(master(lesson), exercise, reference) == {}


@of_every_mutant
def test_no_check_blames_a_wrong_idea_that_the_answer_does_not_have(mutant: Mutant, master):
    notebook = master(mutant.lesson)
    answer = mutant.applied(mutants.references(notebook)[mutant.exercise])
    verdicts = mutants.judge(notebook, mutant.exercise, answer)
    assert {facts.idea for facts in verdicts.values()} <= {None, mutant.idea}


@pytest.mark.parametrize("lesson", IDEAS)
def test_every_idea_that_a_check_can_name_has_a_mutant(lesson, master):
    source = "\n".join(cell.source for cell in master(lesson).cells)
    named = {idea for idea in re.findall(r"\"(\w+)\"", source) if f"idea.{idea}" in CATALOG}
    known = {mutant.idea for mutant in IDEAS[lesson].mutants}
    assert named - IDEAS[lesson].without_mutant <= known  # others are named by behaviour alone
    assert IDEAS[lesson].without_mutant <= named


def test_mutants_are_found():
    assert len(MUTANTS) > 60


def test_an_edit_that_no_longer_fits_the_reference_is_refused():
    mutant = Mutant("an_idea", "a-lesson", "a-cell", (("no such text", ""),))
    with pytest.raises(ValueError, match="an_idea: 'no such text' must occur once in a-cell, got 0"):
        mutant.applied("memory_ms = 1")
