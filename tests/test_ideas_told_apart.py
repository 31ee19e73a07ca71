"""Every lesson's wrong ideas are told apart by what they do: alone, in pairs, and from every right answer."""

from __future__ import annotations

from random import Random

import pytest
import small
from diagnosed import fails, named
from restyled import restyled

from course.authoring import probes
from course.grading.diagnosis.behaviour import Call
from course.grading.diagnosis.hypotheses import Hypotheses, reference_source
from course.lesson.assignment import Master
from course.lesson.folder import CourseFolder
from course.lesson.inputs import FunctionInputs

COURSE = CourseFolder(small.ROOT)
MASTERS = {lesson: COURSE.assignment(lesson).masters["zh"] for lesson in COURSE.lessons()}
EXERCISES = [
    pytest.param(master, exercise, id=f"{lesson}-{exercise}")
    for lesson, master in MASTERS.items()
    for exercise in dict.fromkeys(mutant.exercise for mutant in master.secrets.ideas.mutants)
]
of_every_exercise = pytest.mark.parametrize(("master", "exercise"), EXERCISES)
STYLES = 130


def wrong(master: Master, exercise: str) -> list[tuple[set[str], str]]:
    """Every answer with one idea, and with any two whose edits fit together."""
    reference, ideas = reference_source(master, exercise), master.secrets.ideas
    alone = [({it.idea}, it.applied(reference)) for it in ideas.of_exercise(exercise)]
    return [*alone, *((set(pair), source) for pair, source in ideas.pairs(exercise, reference))]


@of_every_exercise
def test_calls_tell_apart_any_two_ideas_and_each_from_the_reference(master, exercise):
    """What cannot be told from its own part alone is no pair: one idea leaves nothing to see of the other."""
    hypotheses = Hypotheses.of(master, exercise)
    couples = probes.inseparable(hypotheses, hypotheses.calls)
    unlike = [(one.ideas, other.ideas) for one, other in couples if not set(one.ideas) < set(other.ideas)]
    assert unlike == []
    assert len(hypotheses.singles) > 3
    assert () not in [one.ideas for one, _ in couples]


@of_every_exercise
def test_an_answer_with_known_ideas_is_named_for_just_these_in_any_style(master, exercise):
    masked = {
        frozenset(other.ideas): set(one.ideas)
        for one, other in probes.inseparable(
            Hypotheses.of(master, exercise), Hypotheses.of(master, exercise).calls
        )
    }
    for ideas, source in wrong(master, exercise):
        answer = restyled(source, sorted(ideas))
        expected = masked.get(frozenset(ideas), ideas)
        assert named(master, exercise, answer) == [expected], answer


@of_every_exercise
def test_a_right_answer_in_any_style_is_named_for_nothing(master, exercise):
    reference = reference_source(master, exercise)
    answers = {restyled(reference, seed) for seed in range(STYLES)}
    assert len(answers) > STYLES / 2
    for answer in answers:
        assert (fails(master, exercise, answer), named(master, exercise, answer)) == ([], []), answer


@pytest.mark.parametrize("lesson", MASTERS)
def test_the_probes_are_those_that_the_command_draws(lesson):
    master = MASTERS[lesson]
    own = [exercise.values[1] for exercise in EXERCISES if exercise.values[0] is master]
    drawn = {exercise: probes.draw(master, exercise) for exercise in own}
    kept = {
        exercise: [{"function": name, "arguments": arguments} for name, arguments in found]
        for exercise, found in master.secrets.probes.items()
    }
    assert {exercise: found for exercise, found in drawn.items() if found} == kept


@of_every_exercise
def test_the_home_of_an_idea_is_a_concept_that_it_fails(master, exercise):
    hypotheses = Hypotheses.of(master, exercise)
    for mutant, held in zip(master.secrets.ideas.of_exercise(exercise), hypotheses.singles, strict=True):
        failed = [test.name for test in hypotheses.tests if held.verdict(test)]
        assert failed
        assert mutant.home is None or mutant.home in failed, mutant.idea


@of_every_exercise
def test_what_is_drawn_is_what_a_function_takes_and_what_is_called_bad_is_refused(master, exercise):
    hypotheses = Hypotheses.of(master, exercise)
    for function in hypotheses.functions:
        inputs, random = master.secrets.inputs[function], Random(exercise)
        for _ in range(100):
            drawn = hypotheses.reference.behaviour(Call.named(function, inputs.draw(random)))
            assert drawn.raised[:1] in ((), ("ValueError",))
        for name, values in inputs.bad.items():
            for value in values:
                usual = FunctionInputs(inputs.good, {}).draw(random)
                refused = hypotheses.reference.behaviour(Call.named(function, {**usual, name: value}))
                assert refused.raised[:1] == ("ValueError",), (function, name, value)
