"""Probes: calls that tell a lesson's wrong ideas apart, drawn from its inputs once and kept with it.

    python -m course.authoring.probes LESSON

writes `probes.json` into the lesson's secret half; it is committed. Of the calls drawn, those are kept that
tell apart two hypotheses which the hidden tests and the probes before them cannot.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

from course.grading.diagnosis.behaviour import Call
from course.grading.diagnosis.hypotheses import Hypotheses, Hypothesis
from course.lesson import files_beside
from course.lesson.assignment import Master
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.lesson.secrets import PROBES
from helpers.writing import write_if_changed

DRAWS = 1_500
SEED = 20_240_229
Probe = dict[str, Any]
Couple = tuple[Hypothesis, Hypothesis]


def draw(master: Master, exercise: str) -> list[Probe]:
    """The probes of one exercise, drawn from its inputs; none where the hidden tests are enough."""
    hypotheses, kept, random = Hypotheses.of(master, exercise), [], Random(SEED)
    together = inseparable(hypotheses, hypotheses.tests_calls)
    for _ in range(DRAWS if together else 0):
        for function in hypotheses.functions:
            inputs = master.secrets.inputs.get(function)
            arguments = inputs and inputs.draw(random)
            call = arguments is not None and Call.named(function, arguments)
            left = [couple for couple in together if _agree(couple, call)] if call else together
            if len(left) < len(together):
                kept.append({"function": function, "arguments": arguments})
                together = left
    return kept


def inseparable(hypotheses: Hypotheses, calls: tuple[Call, ...]) -> list[Couple]:
    """Any two hypotheses of different ideas that none of these calls tells apart."""
    every = [hypotheses.reference, *hypotheses.singles, *hypotheses.pairs]
    couples = combinations(every, 2)
    return [(one, other) for one, other in couples if _differ(one, other) and one.is_like(other, calls)]


def _differ(one: Hypothesis, other: Hypothesis) -> bool:
    return set(one.ideas) != set(other.ideas)


def _agree(couple: Couple, call: Call) -> bool:
    one, other = couple
    return one.behaviour(call).is_shown_by(other.behaviour(call))


def write(folder: CourseFolder, lesson: str) -> bool:
    """Draw the lesson's probes anew; True when that changed the file."""
    assignment = folder.assignment(lesson)
    master = assignment.masters[MASTER_LANGUAGE]
    with files_beside.at_hand(assignment.files):
        found = {exercise: draw(master, exercise) for exercise in _exercises(master)}
    path = folder.secret_half(lesson) / PROBES
    return write_if_changed(path, _text({name: probes for name, probes in found.items() if probes}).encode())


def _exercises(master: Master) -> Iterator[str]:
    wanted = dict.fromkeys(master.exercise_of.values())
    return (exercise for exercise in wanted if master.secrets.ideas.of_exercise(exercise))


def _text(found: dict[str, list[Probe]]) -> str:
    """One probe a line."""
    exercises = (
        f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, probes)) + "\n ]" for name, probes in found.items()
    )
    return "{\n" + ",\n".join(exercises) + "\n}\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, write(CourseFolder.find(), name))
