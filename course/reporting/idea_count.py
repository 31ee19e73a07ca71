"""IdeaCount: a wrong idea, who had it, and where to read about it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from course.reporting.marks import Marks


@dataclass(frozen=True)
class IdeaCount:
    """One wrong idea, and for each student who had it the first exercise in which it was found."""

    name: str
    found_in: Mapping[str, str]

    @property
    def students(self) -> tuple[str, ...]:
        """Who had it."""
        return tuple(self.found_in)

    def links(self, pages: Mapping[str, Path], report: Path) -> list[tuple[str, str]]:
        """Each student, and the way from the report to the exercise on the feedback page, if there is one."""
        return [
            (student, _link(pages[student], report, exercise) if student in pages else "")
            for student, exercise in self.found_in.items()
        ]


def of(graded: Sequence[Marks]) -> tuple[IdeaCount, ...]:
    """The wrong ideas of a class, the one that most students had first."""
    found: dict[str, dict[str, str]] = {}
    for one in graded:
        for mark in one.concepts:
            if mark.idea:
                found.setdefault(mark.idea, {}).setdefault(one.student, mark.exercise)
    ordered = sorted(found, key=lambda name: (-len(found[name]), name))
    return tuple(IdeaCount(name, found[name]) for name in ordered)


def _link(page: Path, report: Path, exercise: str) -> str:
    way = os.path.relpath(page.resolve(), report.resolve().parent)
    return f"{quote(Path(way).as_posix())}#{quote(exercise)}"
