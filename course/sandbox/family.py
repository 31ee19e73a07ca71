"""A process and all that descend from it, as the system lists them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import psutil


class Parent(Protocol):
    """A process that can say its id; raises ProcessLookupError when it is gone."""

    @property
    def pid(self) -> int: ...


def family(process: Parent) -> list[psutil.Process]:
    """The process and all that descend from it; nobody once it is gone."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        first = psutil.Process(process.pid)
        return [first, *first.children(recursive=True)]
    return []
