"""Diagnose: look for the reason behind the failed tests of an exercise, in the process that answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from course.grading.diagnosis.behaviour import Call
from course.grading.diagnosis.counterexample import smallest
from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.diagnosis.follow_through import settle
from course.grading.diagnosis.hypotheses import Hypotheses, Hypothesis
from course.grading.diagnosis.witness import Witness
from course.grading.questions import Answerer, Unanswered
from helpers.facts import CheckFacts

SECONDS = 2.0


def diagnose(
    hypotheses: Hypotheses,
    answerer: Answerer,
    failed: Mapping[str, CheckFacts],
    follow_through: bool,
    seed: str,
) -> Diagnosis | None:
    """What is behind the failed tests of this exercise; None where its functions could not be asked.

    The process stands where the last of the tests stood.
    """
    if not answerer.knows(hypotheses.functions):
        return None
    witness = Witness(answerer, SECONDS)
    try:
        found = explanations(hypotheses, witness)
    except Unanswered:
        return None
    example = smallest(hypotheses, Witness(answerer, SECONDS / 2), Random(seed), found)
    return replace(settle(hypotheses, found, failed, follow_through), example=example)


def explanations(hypotheses: Hypotheses, witness: Witness) -> Sequence[Hypothesis]:
    """The hypotheses with the fewest ideas that the answer equals on every call; none for a right answer."""
    alone = _like([hypotheses.reference, *hypotheses.singles], hypotheses.calls, witness)
    if hypotheses.reference in alone:
        return ()
    return alone or _like(hypotheses.pairs, hypotheses.calls, witness)


def _like(candidates: Sequence[Hypothesis], calls: Sequence[Call], witness: Witness) -> list[Hypothesis]:
    """Those that no call tells apart from the answer; nothing more is asked once none is left."""
    left = list(candidates)
    for call in calls:
        if not left:
            break
        heard = witness.behaviours(call)
        left = [one for one in left if all(map(one.behaviour(call).is_shown_by, heard))]
    return left
