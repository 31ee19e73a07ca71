"""Carried on: an answer that is a value, and wrong only because an earlier answer of the student's is."""

from __future__ import annotations

from collections.abc import Mapping

from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.diagnosis.hypotheses import Hypotheses, Hypothesis
from course.grading.disclosure import disclosure
from helpers.checks import is_close
from helpers.facts import CheckFacts, is_number


def carried_on(
    hypotheses: Hypotheses, failed: Mapping[str, CheckFacts], earlier: Mapping[str, Diagnosis]
) -> Diagnosis | None:
    """What failed just as it does for the reference that stands on an earlier exercise's wrong ideas.

    That is paid for there. None where the exercise stands on nothing that is paid for.
    """
    for exercise, found in earlier.items():
        behind = Hypotheses.of(hypotheses.master, exercise).holding(found.ideas) if found.charged else None
        held = behind and hypotheses.standing_on(behind)
        fails = {name: found.ideas[0] for name in failed if held and _alike(hypotheses, held, name, failed)}
        if fails:
            return Diagnosis(found.ideas, (), fails, found.charged)
    return None


def _alike(hypotheses: Hypotheses, held: Hypothesis, name: str, failed: Mapping[str, CheckFacts]) -> bool:
    """True when the test finds the same in both."""
    test = hypotheses.master.tests[name]
    facts = held.verdict(test)
    if facts is None:
        return False
    ours, theirs = disclosure(test, hypotheses.master).of(facts), failed[name]
    return (
        ours.key == theirs.key
        and set(ours.values) == set(theirs.values)
        and all(_same(value, theirs.values[entry]) for entry, value in ours.values.items())
    )


def _same(ours: object, theirs: object) -> bool:
    return is_close(theirs, ours) if is_number(ours) else ours == theirs
