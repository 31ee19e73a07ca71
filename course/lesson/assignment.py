"""An assignment as the pure step of grading needs it: plain data that travels to any worker, and no path in
it.

An assignment holds secrets (answers, hidden tests). It stays in trusted processes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from course.lesson import cells
from course.lesson.hidden_tests import HiddenTest, hidden_test
from course.lesson.master_cell import MasterCell
from course.lesson.secrets import LessonSecrets
from course.lesson.sitting import Sitting
from helpers.names import words


@dataclass(frozen=True)
class Master:
    """The master in one language, with what the lesson knows of wrong ideas."""

    language: str
    metadata: Mapping
    cells: tuple[MasterCell, ...]
    secrets: LessonSecrets = field(default_factory=LessonSecrets)
    sitting: Sitting = field(default_factory=Sitting)

    @classmethod
    def of(
        cls, language: str, notebook: Mapping, release: Mapping, secrets: LessonSecrets | None = None
    ) -> Master:
        """From the master's notebook and its release."""
        released = {cells.name(cell): cell for cell in release["cells"]}
        made = (MasterCell.of(cell, released.get(cells.name(cell))) for cell in notebook["cells"])
        return cls(language, notebook.get("metadata", {}), tuple(made), secrets or LessonSecrets())

    def with_stopped(self, tests: Collection[str]) -> Master:
        """The same master, with these tests left to a person."""
        made = (replace(cell, manual=True) if cell.name in tests else cell for cell in self.cells)
        return replace(self, cells=tuple(made))

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The position of each cell."""
        return {cell.name: position for position, cell in enumerate(self.cells)}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the lesson, its hidden tests' too."""
        return frozenset().union(*(words(cell.source) for cell in self.cells))

    @cached_property
    def tests(self) -> dict[str, HiddenTest]:
        """Every cell that the examiner scores by itself."""
        return {
            cell.name: hidden_test(self.cells, position)
            for position, cell in enumerate(self.cells)
            if cell.graded and not cell.manual
        }

    @cached_property
    def exercise_of(self) -> dict[str, str]:
        """For each graded cell the solution cell that it tests: the one before it."""
        exercises, current = {}, ""
        for cell in self.cells:
            current = cell.name if cell.owner == "solution" or cell.is_task else current
            if cell.graded:
                exercises[cell.name] = current
        return exercises

    @cached_property
    def worked_out(self) -> dict[str, Any]:
        """What others work out from this master, to be kept for the next submission."""
        return {}

    def __getstate__(self) -> dict:
        return {key: self.__dict__[key] for key in ("language", "metadata", "cells", "secrets", "sitting")}


@dataclass(frozen=True)
class Assignment:
    """One assignment in every language it has."""

    lesson: str
    masters: Mapping[str, Master]
    files: Mapping[str, bytes] = field(default_factory=dict)  # beside the master, by their place there

    @cached_property
    def digest(self) -> str:
        """What the assignment holds, in short: a submission is graded anew when it changes."""
        sittings = [m.sitting for m in self.masters.values()]
        parts = [
            (m.language, c.name, c.owner, c.source, c.released, c.points)
            for m in self.masters.values()
            for c in m.cells
        ]
        parts += [(m.language, c.name) for m in self.masters.values() for c in m.cells if c.is_stopped]
        known = [m.secrets for m in self.masters.values()]
        return hashlib.sha256(repr([parts, sittings, known, sorted(self.files.items())]).encode()).hexdigest()

    def at(self, sitting: Sitting) -> Assignment:
        """The assignment as this class sits it."""
        masters = {language: replace(master, sitting=sitting) for language, master in self.masters.items()}
        return replace(self, masters=masters)

    @property
    def sitting(self) -> Sitting:
        """The class's turn at it."""
        return next(iter(self.masters.values())).sitting

    def with_stopped(self, tests: Collection[str]) -> Assignment:
        """The same assignment, with these tests left to a person."""
        return replace(self, masters={key: m.with_stopped(tests) for key, m in self.masters.items()})

    @property
    def max_points(self) -> float:
        """The points that the lesson carries."""
        return sum(cell.points for cell in next(iter(self.masters.values())).cells if cell.graded)

    @classmethod
    def read(
        cls,
        lesson: str,
        sources: Mapping[str, Path],
        releases: Mapping[str, Path],
        secrets: LessonSecrets | None = None,
    ) -> Assignment:
        """From the masters' files; a release that does not exist yet is worked out from its master."""
        files = {language: path for language, path in releases.items() if path.is_file()}
        return cls.of(lesson, _loaded(sources), _loaded(files), secrets)

    @classmethod
    def of(
        cls,
        lesson: str,
        sources: Mapping[str, Mapping],
        releases: Mapping[str, Mapping],
        secrets: LessonSecrets | None = None,
    ) -> Assignment:
        """From notebooks; without secrets nothing is diagnosed."""
        nothing: Mapping = {"cells": []}
        masters = {
            key: Master.of(key, found, releases.get(key, nothing), secrets) for key, found in sources.items()
        }
        return cls(lesson, masters)


def _loaded(paths: Mapping[str, Path]) -> dict[str, Mapping]:
    found = {language: json.loads(path.read_text("utf-8")) for language, path in paths.items()}
    for notebook in found.values():
        cells.named(notebook)
    return found
