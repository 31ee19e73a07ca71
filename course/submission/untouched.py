"""Untouched: whether anything but the stub stands where an answer should be."""

from __future__ import annotations

from collections.abc import Iterable

from course.lesson.master_cell import MasterCell
from course.lesson.regions import visible


def is_untouched(source: str, cell: MasterCell) -> bool:
    """True when nothing but the stub stands where the answer should be."""
    return only_given(source, [*cell.released.split("\n"), *visible(cell.source)])


def only_given(source: str, given: Iterable[str]) -> bool:
    """True when the source holds nothing but these lines, blank ones and the stub's own, spacing aside."""
    known = {squeezed(line) for line in given}
    return all(squeezed(line) in known or _is_stub(line) for line in source.split("\n"))


def squeezed(text: str) -> str:
    """The text without its white space."""
    return "".join(text.split())


def _is_stub(line: str) -> bool:
    return not line.strip() or "NotImplementedError" in line or line.lstrip().startswith("# TODO")
