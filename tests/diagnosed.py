"""What diagnosis makes of an answer: asked here, as the examiner asks a student's process."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass, field
from typing import Any

from course.grading.diagnosis.behaviour import Behaviour, Call
from course.grading.diagnosis.diagnose import explanations
from course.grading.diagnosis.hypotheses import Hypotheses
from course.lesson.assignment import Master


@dataclass
class OwnWitness:
    """Functions of a scope, asked as a student's are."""

    scope: dict[str, Any]
    calls: int = 0
    _known: dict[str, list[Behaviour]] = field(default_factory=dict)

    def behaviours(self, call: Call) -> list[Behaviour]:
        if call.key not in self._known:
            self._known[call.key] = [self.ask(call)]
        return self._known[call.key]

    def ask(self, call: Call) -> Behaviour:
        self.calls += 1
        with contextlib.redirect_stdout(io.StringIO()):
            return Behaviour.of(self.scope[call.function], call)


def scope_of(master: Master, exercise: str, answer: str) -> dict[str, Any]:
    """What an answer defines, beside what the reference needs."""
    scope = dict(Hypotheses.of(master, exercise).reference.scope)
    exec(compile(answer, "answer", "exec"), scope)
    return scope


def named(master: Master, exercise: str, answer: str) -> list[set[str]]:
    """The ideas that explain an answer: a set for each explanation that no call tells from the others."""
    found = explanations(Hypotheses.of(master, exercise), OwnWitness(scope_of(master, exercise, answer)))
    return [set(one.ideas) for one in found]


def fails(master: Master, exercise: str, answer: str) -> list[str]:
    """The hidden tests of the exercise that an answer fails."""
    from course.grading.diagnosis.hypotheses import Hypothesis

    held = Hypothesis((), scope_of(master, exercise, answer))
    return [test.name for test in Hypotheses.of(master, exercise).tests if held.verdict(test)]
