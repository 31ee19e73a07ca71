"""A counterexample: the smallest call that is found on which an answer goes wrong.

The inputs are drawn anew for each student and are never a call of a hidden test, so it gives none away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from course.grading.diagnosis.behaviour import Behaviour, Call
from course.grading.diagnosis.hypotheses import Hypotheses, Hypothesis
from course.grading.diagnosis.witness import Witness
from course.grading.disclosure import Disclosure
from course.grading.questions import Unanswered
from course.lesson.inputs import Arguments, FunctionInputs
from helpers.facts import CheckFacts, plain, unit

DRAWS, DRAWS_OF_SUSPECTS = 120, 4_000
MOST_CALLS = 400


def smallest(
    hypotheses: Hypotheses, witness: Witness, random: Random, suspects: Sequence[Hypothesis] = ()
) -> CheckFacts | None:
    """What the answer returns on it and what is right; None where no drawn input shows a difference.

    suspects: what the answer is known to be like; where there are some, only inputs on which one of them goes
    wrong are tried.
    """
    for function in hypotheses.functions:
        inputs = hypotheses.master.secrets.inputs.get(function)
        search = inputs and _Search(hypotheses, witness, function, inputs, suspects)
        found = search and search.found(random)
        if found:
            return found
    return None


@dataclass
class _Search:
    hypotheses: Hypotheses
    witness: Witness
    function: str
    inputs: FunctionInputs
    suspects: Sequence[Hypothesis] = ()
    got: Behaviour | None = None

    def found(self, random: Random) -> CheckFacts | None:
        """The facts of the smallest call; nothing that the student returned is told but a value."""
        drawn = next((it for it in self._drawn(random) if self._goes_wrong(it)), None)
        if drawn is None:
            return None
        arguments = self._shrunk(drawn)
        key, about = _difference(self.got, self._right(arguments))
        told = self.disclosure.of(CheckFacts("check.expected", {"got": about["got"]}))
        return CheckFacts(key, {"call": written(self.function, arguments), **about, **told.values})

    @cached_property
    def disclosure(self) -> Disclosure:
        return Disclosure(self.hypotheses.master.words)

    def _drawn(self, random: Random) -> Iterator[Arguments]:
        if not self.suspects:
            yield from (self.inputs.draw(random) for _ in range(DRAWS))
        for _ in range(DRAWS_OF_SUSPECTS if self.suspects else 0):
            arguments = self.inputs.draw(random)
            if self._is_suspicious(arguments):
                yield arguments

    def _is_suspicious(self, arguments: Arguments) -> bool:
        call, right = Call.named(self.function, arguments), self._right(arguments)
        return any(
            not right.is_shown_by(Behaviour.of(suspect.scope[self.function], call))
            for suspect in self.suspects
        )

    def _shrunk(self, arguments: Arguments) -> Arguments:
        """The simplest that still goes wrong, as far as the calls and the time go."""
        simpler: Arguments | None = arguments
        while simpler is not None:
            arguments, got = simpler, self.got
            simpler = next((it for it in self.inputs.simpler(arguments) if self._goes_wrong(it)), None)
        self.got = got
        return arguments

    def _goes_wrong(self, arguments: Arguments) -> bool:
        """True for a call on which the answer differs from the reference; later calls are not asked."""
        call = Call.named(self.function, arguments)
        if self.witness.calls > MOST_CALLS or self.hypotheses.is_secret(call):
            return False
        try:
            got = self.witness.ask(call)
        except Unanswered:
            return False
        is_wrong = not self._right(arguments).is_shown_by(got)
        self.got = got if is_wrong else self.got
        return is_wrong

    def _right(self, arguments: Arguments) -> Behaviour:
        function = self.hypotheses.reference.scope[self.function]
        return Behaviour.of(function, Call.named(self.function, arguments))


def _difference(got: Behaviour, right: Behaviour) -> tuple[str, dict[str, Any]]:
    """The message's key, and the first entry that differs: those that follow from it come later."""
    if right.raised or got.raised:
        return "examiner.example_result", {"got": _outcome(got), "expected": _outcome(right)}
    place, ours, theirs = [], right.value, got.value
    while isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        name = next((name for name in ours if not _is_same_entry(name, ours, theirs)), None)
        if name is None:
            break
        place, ours, theirs = [*place, str(name)], ours[name], theirs.get(name)
    values = {"got": plain(theirs), "expected": plain(ours)}
    if not place:
        return "examiner.example_result", values
    return "examiner.example", {"what": ".".join(place), **values, "unit": unit(place[-1])}


def _is_same_entry(name: Any, ours: Mapping, theirs: Mapping) -> bool:
    return name in theirs and Behaviour(ours[name]).is_shown_by(Behaviour(theirs[name]))


def _outcome(behaviour: Behaviour) -> Any:
    if behaviour.raised:
        return {"repr": behaviour.raised[0], "raised": behaviour.raised[0]}
    return plain(behaviour.value)


def written(function: str, arguments: Arguments) -> str:
    """The call as a student may type it."""
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
