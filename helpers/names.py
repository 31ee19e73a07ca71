"""Names: which ones a source defines, and which it could use, told from its text alone.

Nothing here parses. The source may be anybody's: broken, or made to crash or to hold a parser. Lines are
matched one by one, in time that grows with the length, so nothing in a source can do harm. What only the
course's own, trusted sources are asked stands in `course.lesson.names`.
"""

from __future__ import annotations

import re

DEFINITION = re.compile(
    r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)"
    r"|^(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?::[^=\n]*)?=(?!=)"
    r"|^(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(.+)$",
    re.MULTILINE,
)
FUNCTION = re.compile(r"^(?:async +)?def +(\w+)", re.MULTILINE)
MOST_IMPORTED = 50


def defined(source: str) -> set[str]:
    """The names that a source binds at the left margin."""
    names: set[str] = set()
    for defines, variables, imported in DEFINITION.findall(source):
        names |= {defines, *re.findall(r"\w+", variables)}
        for part in imported.split(",")[:MOST_IMPORTED]:
            spoken = part.strip("() \t").split()
            names |= {spoken[-1].split(".")[0]} if spoken else set()
    return names - {""}


def functions(source: str) -> set[str]:
    """The functions that a source defines at the left margin."""
    return set(FUNCTION.findall(source))


def words(source: str) -> frozenset[str]:
    """Every word of a source: all names that it could possibly use."""
    return frozenset(re.findall(r"\w+", source))
