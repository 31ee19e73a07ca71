"""Behaviour: what a call comes to, of a student's function or of one of ours, and when two are the same."""

from __future__ import annotations

import builtins
import copy
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from course.sandbox.proxies import Opaque, received
from course.sandbox.wire import BadData, pack, unpack
from helpers.checks import is_close
from helpers.facts import is_number

LARGEST_EXACT = 2**53
EXACT_TOLERANCE = 1e-12
UNTOLD = ("RuntimeError",)


@dataclass(frozen=True)
class Call:
    """A function's name and its arguments as they cross the border: data nodes, positional and named."""

    function: str
    arguments: Any

    @classmethod
    def named(cls, function: str, arguments: Mapping[str, Any]) -> Call:
        """A call with all its arguments by name."""
        return cls(function, pack([[], dict(arguments)]))

    @cached_property
    def key(self) -> str:
        """By which the same call is known again."""
        return json.dumps([self.function, self.arguments])


@dataclass(frozen=True)
class Behaviour:
    """What a call came to: a value, or the builtin classes of what it raised, the exception's own first.

    `after` holds the arguments as the call left them, where it changed them.
    """

    value: Any = None
    raised: tuple[str, ...] = ()
    after: Any = None

    @classmethod
    def of(cls, function: Callable[..., Any], call: Call) -> Behaviour:
        """Of a function of ours."""
        positional, named = unpack(call.arguments)
        before = copy.deepcopy([positional, named])
        try:
            value = unpack(pack(function(*positional, **named)))
        except Exception as problem:
            kinds = type(problem).__mro__
            return cls(raised=tuple(kind.__name__ for kind in kinds if kind.__module__ == "builtins"))
        after = [positional, named]
        return cls(value, after=None if after == before else after)

    @classmethod
    def of_reply(cls, reply: Mapping) -> Behaviour:
        """Of a student's function, as its process tells it."""
        if "raised" in reply:
            raised = reply["raised"] if isinstance(reply["raised"], list) else []
            return cls(raised=tuple(filter(_is_builtin, raised[:50])) or UNTOLD)
        try:
            after = reply.get("after")
            return cls(received(reply.get("value"), _none), after=after and received(after, _none))
        except (BadData, RuntimeError):
            return cls(raised=UNTOLD)

    def is_shown_by(self, other: Behaviour) -> bool:
        """True when another call came to the same as this one of ours, as far as a check could ask.

        More entries than ours in a result count for nothing, nor does the order of names in a list.
        """
        if self.raised or other.raised:
            return bool(self.raised) and self.raised[0] in other.raised
        if not _same(self.after, other.after):
            return False
        if isinstance(self.value, Mapping) and isinstance(other.value, Mapping):
            ours, theirs = self.value, other.value
            return all(name in theirs and _same(ours[name], theirs[name]) for name in ours)
        return _same(self.value, other.value)


def _is_builtin(name: Any) -> bool:
    kind = getattr(builtins, name, None) if isinstance(name, str) else None
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _none(_: dict) -> dict:
    raise RuntimeError("a function that came as a result is not called")


def _same(ours: Any, other: Any) -> bool:
    if isinstance(other, Opaque):
        return False
    if is_number(ours):
        return is_number(other) and _same_number(ours, other)
    if isinstance(ours, Mapping):
        is_same = isinstance(other, Mapping) and set(ours) == set(other)
        return is_same and all(_same(ours[name], other[name]) for name in ours)
    items, others = _items(ours), _items(other)
    if items is not None:
        return others is not None and len(items) == len(others) and all(map(_same, items, others))
    return type(ours) is type(other) and ours == other


def _same_number(ours: float, other: float) -> bool:
    if isinstance(ours, int) and abs(ours) < LARGEST_EXACT:
        return ours == other
    if not math.isfinite(ours):
        return ours == other or (math.isnan(ours) and math.isnan(other))
    return is_close(other, ours, EXACT_TOLERANCE) if isinstance(ours, int) else is_close(other, ours)


def _items(value: Any) -> list | None:
    """The items of a list, a tuple, a set or an array; names and sets in one order."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple, set, frozenset)):
        return None
    items = list(value)
    is_unordered = isinstance(value, (set, frozenset)) or all(isinstance(item, str) for item in items)
    return sorted(items, key=repr) if is_unordered else items
