"""Assertions that say what was expected, what came, in which unit, and which wrong idea gives that value.

A value's unit is read from its name (`memory_ms`, `kv_read_bytes`), so a check reads like the result itself:

    checks.close(ledger, memory_ms=4.09, ideas={"an_idea": {"memory_ms": 3.81}})
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any

from helpers.drawing import lots
from helpers.facts import (
    TOO_FEW_DIGITS,
    CheckFacts,
    clean,
    is_number,
    plain,
    raised,
    said,
    sentence,
    shown,
    unit,
    word,
)
from helpers.text import say, spoken

RELATIVE_TOLERANCE = 1e-6
ROUNDED_TOLERANCE = 5e-6  # six digits, which is what a message shows

Ideas = Mapping[str, Mapping[str, Any]]


class CheckFailed(AssertionError):
    """A check that did not pass: facts, and a sentence for the student made of them, without test code."""

    def __init__(self, facts: CheckFacts | str) -> None:
        super().__init__(facts)
        self.facts = said(facts) if isinstance(facts, str) else facts

    def __str__(self) -> str:
        return sentence(self.facts)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback: the sentence alone."""
        return [f"✗ {self}"]


@contextmanager
def concept(key: str) -> Iterator[Random]:
    """One graded concept: whatever fails inside is reported under the concept's name, without a traceback.

    Gives what the class draws for it: `with checks.concept("a-concept") as drawn: drawn.randint(1, 9)`.
    """
    try:
        yield lots(key)
    except CheckFailed as problem:
        raise CheckFailed(replace(problem.facts, concept=key)) from None
    except NotImplementedError:
        raise CheckFailed(CheckFacts("check.todo", concept=key)) from None
    except Exception as problem:
        raise CheckFailed(CheckFacts("check.student_error", {"got": raised(problem)}, concept=key)) from None


def close(
    result: object, *, ideas: Ideas | None = None, relative: float = RELATIVE_TOLERANCE, **expected: float
) -> None:
    """Each named entry of `result` is a finite number within `relative` of the value expected."""
    _compare(result, expected, lambda got, want: is_close(got, want, relative), ideas)


def equal(result: object, *, ideas: Ideas | None = None, **expected: object) -> None:
    """Each named entry of `result` equals the value expected; a set takes any order and container."""
    _compare(result, expected, is_equal, ideas)


def raises(
    error: type[Exception],
    function: Callable[..., object],
    good: Mapping[str, Any],
    *changes: Mapping[str, Any],
    idea: str | None = None,
) -> None:
    """`function(**good)` returns, and with each of `changes` applied to `good` it raises `error`.

    `idea` names the wrong idea behind a call that returns instead.
    """
    call(function, **good)
    for change in changes:
        _one_raises(error, function, {**copy.deepcopy(dict(good)), **change}, _case(change), idea)


def call(
    function: Callable[..., Any], *, ideas: Mapping[type[Exception], str] | None = None, **arguments: Any
) -> Any:
    """The result of a call that must return; `ideas` names the wrong idea behind an exception."""
    try:
        return function(**copy.deepcopy(arguments))
    except NotImplementedError:
        raise
    except Exception as problem:
        idea = next((key for kind, key in (ideas or {}).items() if isinstance(problem, kind)), None)
        raise _failed("check.refused_good", idea, got=raised(problem)) from None


def leaves_unchanged(function: Callable[..., object], **arguments: object) -> Any:
    """The result of the call, after a check that the function left its arguments as they were."""
    before = copy.deepcopy(arguments)
    result = function(**arguments)
    if arguments != before:
        raise _failed("check.changed_input")
    return result


def form(answer: object, **entries: object) -> None:
    """Each named entry of a decision has the form asked for; whether it is right is not looked at.

    `int` asks for a whole number, `float` for a number, a set for one of its words, a list of words for a
    list of some of them, a dictionary for a decision within the decision. None is one that is not there yet.
    """
    if answer is None:
        raise _failed("check.todo")
    for name, wanted in entries.items():
        _look_at_form(answer, name, wanted, name)


def formed(concept: str) -> None:
    """Print the line that tells the student that a decision has the form asked for, and no more."""
    print(say("check.form_passed", concept=word(spoken(), "concept", concept)))


def passed(concept: str, *looked_at: str, left: Sequence[str] = ()) -> None:
    """Print that a visible check passed, which concepts it looked at, and which cases it leaves to the
    student."""
    language = spoken()
    comma = "、" if language == "zh" else ", "
    listed = {
        "looked": comma.join(word(language, "concept", key) for key in looked_at),
        "left": comma.join(word(language, "case", key) for key in left),
    }
    key = "check.passed_looked" if looked_at else "check.passed"
    print(say(key, concept=word(language, "concept", concept), **listed))
    if left:
        print(say("check.left", **listed))


def hint(exercise: str = "") -> None:
    """Print the next hint for an exercise: a question, the step usually missing, the shape of the line."""
    from helpers import hints  # it knows the notebook, which a check does not

    hints.hint(exercise)


def is_close(got: object, expected: float, relative: float = RELATIVE_TOLERANCE) -> bool:
    """True for finite real numbers that differ by at most `relative`; NaN and infinity never pass."""
    return (
        is_number(got) and math.isfinite(got) and math.isclose(got, expected, rel_tol=relative, abs_tol=1e-12)
    )


def is_equal(got: object, expected: object) -> bool:
    """Equality of plain values: 8 equals 8.0 but not True; a set takes any list, tuple or set."""
    if isinstance(expected, (set, frozenset)):
        return isinstance(got, (list, tuple, set, frozenset)) and sorted(map(repr, got)) == sorted(
            map(repr, expected)
        )
    if isinstance(expected, Mapping):
        return (
            isinstance(got, Mapping)
            and set(got) == set(expected)
            and all(is_equal(got[key], value) for key, value in expected.items())
        )
    if is_number(expected):
        # numpy would round `expected` to the type of `got` before it compares
        return is_number(got) and getattr(got, "item", lambda: got)() == expected
    return type(got) is type(expected) and got == expected


def _compare(
    result: object, expected: Mapping[str, Any], agree: Callable[[Any, Any], bool], ideas: Ideas | None
) -> None:
    for name, want in expected.items():
        got = _entry(result, name)
        if not agree(got, want):
            values = {"what": name, "expected": plain(want), "got": plain(got), "unit": unit(name)}
            idea = _named_idea(result, ideas)
            if idea is None and _lacks_digits(got, want):
                raise _failed(TOO_FEW_DIGITS, **values)
            raise _failed("check.expected", idea, **values)


def _look_at_form(answer: object, name: str, wanted: object, what: str) -> None:
    got = _entry(answer, name)
    if got is None or got is ...:
        raise _failed("check.form_empty", what=what)
    if isinstance(wanted, Mapping):
        for inner, form_of_inner in wanted.items():
            _look_at_form(got, inner, form_of_inner, f"{what} · {inner}")
    elif not _has_form(got, wanted):
        words = ", ".join(sorted(map(repr, wanted))) if isinstance(wanted, (set, list)) else ""
        raise _failed(f"check.form_{_form_of(wanted)}", what=what, words=words, got=plain(got))


def _form_of(wanted: object) -> str:
    if isinstance(wanted, (list, set)):
        return "words" if isinstance(wanted, list) else "word"
    return "whole" if wanted is int else "number"


def _has_form(got: object, wanted: object) -> bool:
    if wanted in (int, float):
        return is_number(got) and math.isfinite(got) and (wanted is float or got == int(got))
    if isinstance(wanted, list):
        is_list = isinstance(got, (list, tuple, set, frozenset))
        return is_list and bool(got) and all(isinstance(one, str) and one in wanted for one in got)
    return isinstance(got, str) and got in wanted


def _lacks_digits(got: object, want: object) -> bool:
    """True for a number that was rounded, or computed in too few bits; a whole number is just another one."""
    if not (is_number(want) and is_number(got)) or isinstance(got, int):
        return False
    return math.isclose(got, want, rel_tol=ROUNDED_TOLERANCE)


def _entry(result: object, name: str) -> object:
    if not isinstance(result, Mapping):
        raise _failed("check.not_a_dict", got=plain(result))
    if name not in result:
        keys = ", ".join(sorted(str(key)[:40] for key in itertools.islice(result, 20)))
        raise _failed("check.missing_key", key=name, keys=clean(keys))
    return result[name]


def _named_idea(result: object, ideas: Ideas | None) -> str | None:
    for idea, values in (ideas or {}).items():
        if all(_agrees(_entry(result, name), value) for name, value in values.items()):
            return idea
    return None


def _agrees(got: object, value: object) -> bool:
    return is_close(got, value) if isinstance(value, float) else is_equal(got, value)


def _one_raises(
    error: type[Exception],
    function: Callable[..., object],
    arguments: Mapping[str, Any],
    case: str,
    idea: str | None,
) -> None:
    try:
        got = function(**arguments)
    except error:
        return
    except Exception as problem:
        raise _failed("check.raised_other", case=case, error=error.__name__, got=raised(problem)) from None
    raise _failed("check.did_not_raise", idea, case=case, error=error.__name__, got=plain(got))


def _failed(key: str, idea: str | None = None, /, **values: object) -> CheckFailed:
    return CheckFailed(CheckFacts(key, values, idea))


def _case(change: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {shown(plain(value))}" for name, value in change.items())
