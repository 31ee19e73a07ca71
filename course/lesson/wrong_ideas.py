"""Wrong ideas: what a lesson knows of them, as edits of its reference solutions.

`mutants.toml` in the lesson's secret half holds them. An idea's home is the concept that it costs, unless
told otherwise the first that it fails; what to read again is the heading above its exercise, or another cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from course.lesson.toml import load_toml

Edit = tuple[str, str]
FILE = "mutants.toml"


@dataclass(frozen=True)
class Mutant:
    """A wrong idea: its lesson and solution cell, and edits whose old text occurs exactly once.

    An idea that shows in several ways has several mutants.
    """

    idea: str
    lesson: str
    exercise: str
    edits: tuple[Edit, ...]
    home: str | None = None
    read: str | None = None

    def applied(self, source: str) -> str:
        """The reference with this wrong idea in it; an edit that does not fit raises ValueError."""
        for old, new in self.edits:
            if source.count(old) != 1:
                raise ValueError(
                    f"{self.idea}: {old!r} must occur once in {self.exercise}, got {source.count(old)}"
                )
            source = source.replace(old, new)
        return source


@dataclass(frozen=True)
class WrongIdeas:
    """A lesson's wrong ideas: those that a mutant shows, and those that none can show."""

    mutants: tuple[Mutant, ...] = ()
    without_mutant: frozenset[str] = frozenset()

    @classmethod
    def read(cls, folder: Path, lesson: str) -> WrongIdeas:
        """From the lesson's secret half; a lesson without the file has none."""
        path = folder / FILE
        data = load_toml(path) if path.is_file() else {}
        found = (_mutant(it, lesson) for it in data.get("mutant", ()))
        return cls(tuple(found), frozenset(data.get("without_mutant", ())))

    def of_exercise(self, exercise: str) -> tuple[Mutant, ...]:
        """The mutants of one exercise."""
        return tuple(mutant for mutant in self.mutants if mutant.exercise == exercise)

    def pairs(self, exercise: str, reference: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Any two ideas whose edits fit together, and the reference with both in it."""
        for one, other in combinations(self.of_exercise(exercise), 2):
            source = _both(one, other, reference) if one.idea != other.idea else None
            if source is not None:
                yield (one.idea, other.idea), source

    def home(self, idea: str) -> str | None:
        """The concept that the idea costs, where the lesson says so."""
        return next((it.home for it in self.mutants if it.idea == idea and it.home), None)

    def to_read(self, idea: str) -> str | None:
        """The cell to read again, where the lesson says so."""
        return next((it.read for it in self.mutants if it.idea == idea and it.read), None)


def _mutant(table: dict, lesson: str) -> Mutant:
    edits = tuple((edit["old"], edit["new"]) for edit in table["edit"])
    return Mutant(table["idea"], lesson, table["exercise"], edits, table.get("home"), table.get("read"))


def _both(one: Mutant, other: Mutant, reference: str) -> str | None:
    """The reference with both in it, whichever goes first; None where neither order fits."""
    for first, second in ((one, other), (other, one)):
        try:
            return second.applied(first.applied(reference))
        except ValueError:
            continue
    return None
