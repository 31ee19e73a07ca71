"""A mirror: names of a student's that a hidden test deletes or binds anew change in the student's process
too.

nbgrader runs both in one namespace, and tests make use of it (`del helper`, to see that it is called). Here
the test's own names are compared with what the process has before each call, and put back after the test.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from course.sandbox.proxies import Opaque
from course.sandbox.wire import BadData, pack

PUT_BACK = {"do": "put_back"}
_GONE = object()


class NotMirrored(TypeError):
    """A test bound a student's name to something that cannot cross: a function of its own, say."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.student_name = name


@dataclass
class Mirror:
    """A test's scope, the names in it that are a student's, and what the process has under them."""

    scope: dict[str, Any]
    names: Collection[str]
    there: dict[str, Any]
    used: bool = False

    def order(self) -> dict | None:
        """What the process has to be told before the next call; None when nothing changed."""
        here = {name: self.scope.get(name, _GONE) for name in self.names}
        changed = {name: value for name, value in here.items() if value is not self.there.get(name, _GONE)}
        if not changed:
            return None
        self.there, self.used = here, True
        bound = {name: _packed(name, value) for name, value in changed.items() if value is not _GONE}
        return {"do": "rebind", "bound": bound, "gone": sorted(changed.keys() - bound.keys())}


def _packed(name: str, value: Any) -> Any:
    try:
        return pack(value, _key)
    except (TypeError, BadData):
        raise NotMirrored(name) from None


def _key(value: Any) -> int:
    """The key under which the process keeps an object of its own."""
    if not isinstance(value, Opaque):
        raise TypeError("not the student's")
    return value._key
