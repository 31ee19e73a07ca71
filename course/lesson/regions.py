"""Regions of a cell's source: which lines a student sees, and which stand between nbgrader's markers."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKER = re.compile(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS)")


def regions(source: str) -> Iterator[tuple[str, str]]:
    """Each line of a source with where it stands: "visible", "solution", "hidden tests" or "marker"."""
    place = "visible"
    for line in source.split("\n"):
        marker = MARKER.search(line)
        if marker:
            place = marker.group(2).lower() if marker.group(1) == "BEGIN" else "visible"
        yield ("marker" if marker else place), line


def visible(source: str) -> list[str]:
    """The lines that stand in no region."""
    return [line for place, line in regions(source) if place == "visible"]


def given(source: str) -> list[str]:
    """The lines of an answer's cell that a student is given: those outside of its regions, and none of a
    cell that is an answer as a whole."""
    return visible(source) if MARKER.search(source) else []


def without(source: str, *places: str) -> str:
    """The source without the lines that stand in one of these places."""
    return "\n".join(line for place, line in regions(source) if place not in places)
