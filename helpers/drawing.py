"""Drawing: numbers that a test takes by lot, the same for a whole class and others in the next.

The examiner says which class; without one (plain nbgrader, a notebook) they are always the same. Draw whole
numbers only (`randint`, `randrange`, `choice`, `sample`, `shuffle`): these agree on every machine.

Imports: nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random

_SEED: ContextVar[str] = ContextVar("seed", default="")


@contextmanager
def drawing(seed: str) -> Iterator[None]:
    """Draw from this seed for a while."""
    before = _SEED.set(seed)
    try:
        yield
    finally:
        _SEED.reset(before)


def lots(key: str) -> Random:
    """What the class draws under this key; from the beginning each time."""
    return Random(f"{_SEED.get()}/{key}")
