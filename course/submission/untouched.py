"""Untouched: whether anything but the stub stands where an answer should be."""

from __future__ import annotations

import re
from collections.abc import Iterable

from course.lesson.master_cell import MasterCell
from course.lesson.regions import given

# Colab shows such a line in place of the cell; older releases have none.
TITLE_ABOVE = re.compile(r"\A#[ \t]*@title\b[^\n]*\n(?=\s*\S)")
STUBS = ("# TODO", "# YOUR CODE HERE", "YOUR ANSWER HERE")  # ours, and nbgrader's own


def is_untouched(source: str, cell: MasterCell) -> bool:
    """True when nothing but the stub stands where the answer should be."""
    return only_given(source, [*cell.released.split("\n"), *given(cell.source)])


def only_given(source: str, lines: Iterable[str]) -> bool:
    """True when the source holds nothing but these lines, blank ones and the stub's own, spacing aside."""
    known = {squeezed(line) for line in lines}
    return all(squeezed(line) in known or _is_stub(line) for line in source.split("\n"))


def squeezed(text: str) -> str:
    """The text without its white space and without a title above it; a title alone is a comment."""
    return "".join(TITLE_ABOVE.sub("", text).split()).replace("#@title", "#")


def _is_stub(line: str) -> bool:
    return not line.strip() or "NotImplementedError" in line or line.lstrip().startswith(STUBS)
