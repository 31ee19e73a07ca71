"""A submission in words: what was put right in it, and what it answers.

Reading its bytes is `course.handin`'s work, putting it into the master's frame `course.rebuild`'s.
"""

from __future__ import annotations

import re

from nbformat import NotebookNode

from course import notebooks
from course.rebuild import Note, in_words

__all__ = ["Note", "asked_for", "defines", "in_words", "is_untouched"]

DEFINITION = re.compile(r"^(?:async +)?(?:def|class) +(\w+)|^(\w+)(?: *:[^=\n]+)? *=(?!=)", re.MULTILINE)


def defines(source: str) -> set[str]:
    """The names that a cell defines at its top level, whether or not it parses."""
    return {name for pair in DEFINITION.findall(source) for name in pair if name}


def asked_for(solution: NotebookNode) -> set[str]:
    """The functions that an answer must define, or the one value that it is named after."""
    return set(re.findall(r"^def +(\w+)", solution.source, re.MULTILINE)) or {notebooks.name(solution)}


def is_untouched(source: str, master_cell: NotebookNode) -> bool:
    """True when nothing but the stub stands where the answer should be."""
    given = {_squeezed(line) for place, line in notebooks.regions(master_cell.source) if place == "visible"}
    return all(_squeezed(line) in given or _is_stub(line) for line in source.split("\n"))


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _is_stub(line: str) -> bool:
    return not line.strip() or "NotImplementedError" in line or line.lstrip().startswith("# TODO")
