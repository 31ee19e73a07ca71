"""Hypotheses: the reference of an exercise, and the same with one or two wrong ideas in it.

All of this is the course's own code and runs here, on the calls that the hidden tests make of the reference
and on the lesson's probes: never on anything that comes from a student. What comes out is kept with the
master, so that a class costs as much as one submission.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FunctionType
from typing import Any

from course.grading.diagnosis.behaviour import Behaviour, Call
from course.lesson.assertions import AssertionFailed, AssertionRecord
from course.lesson.assignment import Master
from course.lesson.hidden_tests import HiddenTest, hidden_test
from course.lesson.regions import without
from course.lesson.wrong_ideas import Mutant
from course.sandbox.wire import pack, unpack
from helpers.checks import CheckFailed
from helpers.facts import CheckFacts
from helpers.names import functions

MOST_CALLS = 400
KEPT_AS = "hypotheses"


@dataclass
class Hypothesis:
    """What an answer may be: an exercise's reference, with these wrong ideas in it."""

    ideas: tuple[str, ...]
    scope: Mapping[str, Any]
    _behaviours: dict[str, Behaviour] = field(default_factory=dict)
    _verdicts: dict[str, CheckFacts | None] = field(default_factory=dict)

    def behaviour(self, call: Call) -> Behaviour:
        """What the call comes to."""
        if call.key not in self._behaviours:
            with _quiet():
                self._behaviours[call.key] = Behaviour.of(self.scope[call.function], call)
        return self._behaviours[call.key]

    def verdict(self, test: HiddenTest) -> CheckFacts | None:
        """What the hidden test finds in it; None when it passes."""
        if test.name not in self._verdicts:
            self._verdicts[test.name] = _verdict(test, self.scope)
        return self._verdicts[test.name]

    def is_like(self, other: Hypothesis, calls: tuple[Call, ...]) -> bool:
        """True when no call tells the two apart."""
        return all(self.behaviour(call).is_shown_by(other.behaviour(call)) for call in calls)


@dataclass
class Hypotheses:
    """All that an answer to one exercise may be, and the calls that tell which."""

    master: Master
    exercise: str

    @classmethod
    def of(cls, master: Master, exercise: str) -> Hypotheses:
        """Those of this exercise, made at most once for a master."""
        kept = master.worked_out.setdefault(KEPT_AS, {})
        return kept.setdefault(exercise, cls(master, exercise))

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The functions that the exercise asks for and hidden tests call; none where it asks for a value."""
        if not functions(self._source):
            return ()
        asked = {name for test in self.tests for name in test.students_names}
        scope, own = self.reference.scope, self.master.cells[self.master.by_name[self.exercise]].defines
        return tuple(sorted(name for name in asked & own if isinstance(scope.get(name), FunctionType)))

    @cached_property
    def tests(self) -> tuple[HiddenTest, ...]:
        """The hidden tests of this exercise."""
        wanted = (name for name, exercise in self.master.exercise_of.items() if exercise == self.exercise)
        return tuple(self.master.tests[name] for name in wanted if name in self.master.tests)

    @cached_property
    def reference(self) -> Hypothesis:
        return Hypothesis((), _scope(self.master, self.exercise, self._source))

    @cached_property
    def singles(self) -> tuple[Hypothesis, ...]:
        """One idea each; a mutant that does not fit or run tells nothing, and `course release` says so."""
        found = self.master.secrets.ideas.of_exercise(self.exercise)
        return tuple(filter(None, (self._single(mutant) for mutant in found)))

    @cached_property
    def pairs(self) -> tuple[Hypothesis, ...]:
        """Two ideas each, wherever their edits fit together."""
        found = self.master.secrets.ideas.pairs(self.exercise, self._source)
        return tuple(filter(None, (self._hypothesis(ideas, source) for ideas, source in found)))

    @cached_property
    def tests_calls(self) -> tuple[Call, ...]:
        """The calls that the hidden tests make of the reference, each once."""
        heard: dict[str, Call] = {}
        scope = dict(self.reference.scope)
        scope |= {name: _Recorder(name, scope[name], heard) for name in self.functions}
        for test in self.tests:
            _verdict(test, scope)
        return tuple(heard.values())

    def holding(self, ideas: tuple[str, ...]) -> Hypothesis | None:
        """The hypothesis with just these ideas, if there is one."""
        every = (*self.singles, *(self.pairs if len(ideas) > 1 else ()))
        return next((one for one in every if one.ideas == ideas), None)

    def standing_on(self, earlier: Hypothesis) -> Hypothesis | None:
        """The reference as it comes out below this earlier answer; None where that is not to be had here."""
        try:
            return Hypothesis(earlier.ideas, _scope(self.master, self.exercise, self._source, earlier))
        except Exception:  # it needs something of the student's, or fails on what the wrong idea gives
            return None

    def is_secret(self, call: Call) -> bool:
        """True for a call that a hidden test makes, however it spells it."""
        return (call.function, self._bound(call)) in self._secret

    @cached_property
    def _secret(self) -> list[tuple[str, dict[str, Any]]]:
        return [(call.function, self._bound(call)) for call in self.tests_calls]

    def _bound(self, call: Call) -> dict[str, Any]:
        """The arguments by name, with what is left out filled in."""
        positional, named = unpack(call.arguments)
        found = inspect.signature(self.reference.scope[call.function]).bind(*positional, **named)
        found.apply_defaults()
        return dict(found.arguments)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """These, and the lesson's probes."""
        probes = self.master.secrets.probes.get(self.exercise, ())
        return (*self.tests_calls, *(Call.named(name, arguments) for name, arguments in probes))

    @property
    def _source(self) -> str:
        return reference_source(self.master, self.exercise)

    def _single(self, mutant: Mutant) -> Hypothesis | None:
        try:
            return self._hypothesis((mutant.idea,), mutant.applied(self._source))
        except ValueError:
            return None

    def _hypothesis(self, ideas: tuple[str, ...], source: str) -> Hypothesis | None:
        try:
            return Hypothesis(ideas, _scope(self.master, self.exercise, source))
        except Exception:
            return None


@dataclass
class _Recorder:
    """A function of ours that writes down how it is called."""

    name: str
    function: FunctionType
    heard: dict[str, Call]

    def __call__(self, *positional: Any, **named: Any) -> Any:
        if len(self.heard) < MOST_CALLS:
            call = Call(self.name, pack([list(positional), named]))
            self.heard.setdefault(call.key, call)
        return self.function(*positional, **named)


def reference_source(master: Master, exercise: str) -> str:
    """The reference solution of an exercise, which mutants edit."""
    return without(master.cells[master.by_name[exercise]].source, "marker")


def _scope(master: Master, exercise: str, source: str, earlier: Hypothesis | None = None) -> dict[str, Any]:
    """The names that an exercise's cell binds with this source in it, above it everything as it should be,
    but for what the earlier hypothesis says."""
    position, cells = master.by_name[exercise], list(master.cells)
    cells[position] = replace(cells[position], source=source)
    answer = hidden_test(cells, position)
    scope: dict[str, Any] = {"__name__": "reference", **AssertionRecord().names}
    for cell in reversed(cells[:position]):
        if cell.owner == "solution" and cell.kind == "code" and cell.defines & set(answer.students_names):
            scope |= Hypotheses.of(master, cell.name).reference.scope
    known = earlier.scope if earlier else {}
    scope |= {name: known[name] for name in answer.students_names if name in known}
    return _run(answer, scope)


def _run(test: HiddenTest, scope: dict[str, Any]) -> dict[str, Any]:
    with _quiet():
        if test.setup is not None:
            exec(test.setup, scope)
        exec(test.code, scope)
    return scope


def _verdict(test: HiddenTest, scope: Mapping[str, Any]) -> CheckFacts | None:
    asked = {name: scope[name] for name in test.students_names if name in scope}
    try:
        _run(test, {"__name__": "examiner", **AssertionRecord().names, **asked})
    except (AssertionFailed, CheckFailed) as problem:
        return problem.facts
    except Exception as problem:
        return CheckFacts("examiner.failed", {"kind": type(problem).__name__})
    return None


@contextlib.contextmanager
def _quiet() -> Any:
    """What our functions print and warn of is nobody's concern."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
