"""What a hidden test sees of a student's work: data as data, functions as questions over the border, the
rest opaque."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NoReturn

from course.sandbox.wire import BadData, pack, unpack

MESSAGE_CHARACTERS = 500
Ask = Callable[[dict], dict]


class Opaque:
    """An object that is not data: it has a kind, and refuses every question, comparison first of all."""

    __slots__ = ("_key", "_kind")

    def __init__(self, kind: str, key: int | None = None) -> None:
        self._kind, self._key = kind, key

    def __repr__(self) -> str:
        return f"<{self._kind}>"

    __str__ = __repr__

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(f"<{self._kind}> is not plain data")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = _refuse
    __int__ = __float__ = __index__ = __add__ = __radd__ = __sub__ = __rsub__ = _refuse
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __hash__ = None


class Function(Opaque):
    """A student's function: called here, it runs there; arguments and result cross the border as fresh
    data."""

    __slots__ = ("_ask",)

    def __init__(self, kind: str, key: int, ask: Ask) -> None:
        super().__init__(kind, key)
        self._ask = ask

    def __call__(self, *positional: Any, **named: Any) -> Any:
        order = {"do": "call", "key": self._key, "arguments": pack([list(positional), named])}
        reply = self._ask(order)
        if "raised" in reply:
            raise exception(reply)
        if reply.get("after") is not None:
            _write_back(list(positional), named, received(reply["after"], self._ask))
        return received(reply.get("value"), self._ask)


def received(node: Any, ask: Ask) -> Any:
    """Data that came over the border; raises RuntimeError, which no exercise asks for, when it is none."""
    try:
        return unpack(
            node,
            lambda key, kind, is_callable: Function(kind, key, ask) if is_callable else Opaque(kind, key),
        )
    except BadData as problem:
        raise RuntimeError(f"the result is not plain data: {problem}") from None


def exception(reply: dict) -> Exception:
    """The builtin exception that the student's code raised, marked as such; one that would end a program is
    an ordinary error here."""
    problem = _exception(reply)
    problem.is_of_student = True
    return problem


def _exception(reply: dict) -> Exception:
    names = reply["raised"] if isinstance(reply["raised"], list) else []
    message = str(reply.get("message", ""))[:MESSAGE_CHARACTERS]
    for name in names[:50]:
        kind = getattr(builtins, name, None) if isinstance(name, str) else None
        if isinstance(kind, type) and issubclass(kind, Exception):
            try:
                return kind(message)
            except TypeError:
                continue
    return RuntimeError(
        f"{names[0] if names and isinstance(names[0], str) else ''}: {message}"[:MESSAGE_CHARACTERS]
    )


def is_of_student(problem: BaseException) -> bool:
    """True for an exception that came over the border: its text is the student's."""
    return getattr(problem, "is_of_student", False)


def _write_back(positional: list, named: dict, after: Any) -> None:
    """Arguments end up as the call left them, as they would in one process."""
    try:
        positional_after, named_after = after
        pairs = [
            *zip(positional, positional_after, strict=True),
            *((named[key], named_after[key]) for key in named),
        ]
    except (TypeError, ValueError, KeyError):
        raise RuntimeError("the result is not plain data: arguments") from None
    for argument, changed in pairs:
        if type(argument) is not type(changed):
            continue
        if isinstance(argument, list):
            argument[:] = changed
        elif isinstance(argument, (dict, set)):
            argument.clear()
            argument.update(changed)
