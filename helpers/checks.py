"""Assertions that say what was expected, what came, in which unit, and which wrong idea gives that value.

A value's unit is read from its name (`memory_ms`, `kv_read_bytes`), so a check reads like the result itself:

    checks.close(ledger, memory_ms=4.09, ideas={"an_idea": {"memory_ms": 3.81}})
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from helpers.text import say, spoken

UNITS = {
    "_ms": "ms",
    "_us": "µs",
    "_s": "s",
    "_bytes": "B",
    "_tokens": "token",
    "_flops": "FLOP",
    "_gbps": "GB/s",
    "_tflops": "TFLOP/s",
}
RELATIVE_TOLERANCE = 1e-6

Ideas = Mapping[str, Mapping[str, Any]]


class CheckFailed(AssertionError):
    """A check that did not pass; its message is written for the student and holds no test code."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback: the sentence alone."""
        return [f"✗ {self}"]


@contextmanager
def concept(key: str) -> Iterator[None]:
    """One graded concept: whatever fails inside is reported under the concept's name, without a traceback."""
    name = say(f"concept.{key}")
    try:
        yield
    except CheckFailed as problem:
        raise CheckFailed(say("check.in_concept", concept=name, message=problem)) from None
    except NotImplementedError:
        raise CheckFailed(say("check.in_concept", concept=name, message=say("check.todo"))) from None
    except Exception as problem:
        message = say("check.student_error", got=_exception(problem))
        raise CheckFailed(say("check.in_concept", concept=name, message=message)) from None


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
        raise CheckFailed(say("check.refused_good", got=_exception(problem)) + _idea(idea)) from None


def leaves_unchanged(function: Callable[..., object], **arguments: object) -> Any:
    """The result of the call, after a check that the function left its arguments as they were."""
    before = copy.deepcopy(arguments)
    result = function(**arguments)
    if arguments != before:
        raise CheckFailed(say("check.changed_input"))
    return result


def passed(concept: str) -> None:
    """Print the line that tells the student that a visible check passed."""
    print(say("check.passed", concept=say(f"concept.{concept}")))


def is_close(got: object, expected: float, relative: float = RELATIVE_TOLERANCE) -> bool:
    """True for finite real numbers that differ by at most `relative`; NaN and infinity never pass."""
    return (
        _is_number(got)
        and math.isfinite(got)
        and math.isclose(got, expected, rel_tol=relative, abs_tol=1e-12)
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
    if _is_number(expected):
        return _is_number(got) and got == expected
    return type(got) is type(expected) and got == expected


def _names(values: Collection[object]) -> list[str]:
    return sorted(map(repr, values))


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and (isinstance(value, (int, float)) or _is_numpy_number(value))


def _is_numpy_number(value: object) -> bool:
    if type(value).__module__ != "numpy" or getattr(value, "ndim", 1) != 0:
        return False
    return value.dtype.kind in "iuf"


def _compare(
    result: object, expected: Mapping[str, Any], agree: Callable[[Any, Any], bool], ideas: Ideas | None
) -> None:
    for name, want in expected.items():
        got = _entry(result, name)
        if not agree(got, want):
            raise CheckFailed(_mismatch(name, got, want) + _named_idea(result, ideas))


def _entry(result: object, name: str) -> object:
    if not isinstance(result, Mapping):
        raise CheckFailed(say("check.not_a_dict", got=_shown(result)))
    if name not in result:
        keys = ", ".join(sorted(str(key)[:40] for key in itertools.islice(result, 20)))
        raise CheckFailed(say("check.missing_key", key=name, keys=keys))
    return result[name]


def _mismatch(name: str, got: object, want: object) -> str:
    unit = _unit(name)
    return say("check.expected", what=name, expected=_with_unit(want, unit), got=_with_unit(got, unit))


def _named_idea(result: object, ideas: Ideas | None) -> str:
    for idea, values in (ideas or {}).items():
        if all(_agrees(_entry(result, name), value) for name, value in values.items()):
            return _idea(idea)
    return ""


def _idea(key: str | None) -> str:
    if not key:
        return ""
    space = "" if spoken() == "zh" else " "
    return space + say("check.idea", idea=say(f"idea.{key}"))


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
        raise CheckFailed(
            say("check.raised_other", case=case, error=error.__name__, got=_exception(problem))
        ) from None
    message = say("check.did_not_raise", case=case, error=error.__name__, got=_shown(got))
    raise CheckFailed(message + _idea(idea))


def _case(change: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_shown(value)}" for name, value in change.items())


def _exception(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem)[:200]}" if str(problem) else type(problem).__name__


def _unit(name: str) -> str:
    return next((unit for suffix, unit in UNITS.items() if name.endswith(suffix)), "")


def _with_unit(value: object, unit: str) -> str:
    shown = _shown(value)
    return f"{shown} {unit}" if unit and _is_number(value) else shown


def _shown(value: object) -> str:
    if _is_number(value) and not isinstance(value, int):
        return f"{value:,.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
