"""A master's cell: whose it is, what it holds, and what a student gets of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from course.lesson import cells, names, regions
from course.lesson.cells import Owner
from helpers.names import words


@dataclass(frozen=True)
class MasterCell:
    """One cell of a master, with its secrets."""

    name: str
    kind: str
    owner: Owner
    source: str
    released: str
    metadata: Mapping
    graded: bool = False
    manual: bool = False
    points: float = 0.0

    @classmethod
    def of(cls, cell: Mapping, released: Mapping | None) -> MasterCell:
        """From a cell of the master's notebook and its counterpart in the release, if there is one."""
        source = cells.source(cell)
        given = regions.given if cells.is_solution(cell) else regions.visible
        return cls(
            name=cells.name(cell),
            kind=cell["cell_type"],
            owner=cells.owner(cell),
            source=source,
            released=cells.source(released) if released is not None else "\n".join(given(source)),
            metadata=_metadata(cell, released),
            graded=cells.is_grade(cell),
            manual=cells.is_manual(cell),
            points=cells.points(cell),
        )

    @property
    def is_task(self) -> bool:
        """True for a task: a text that a person gives points for."""
        return cells.is_task({"metadata": self.metadata})

    @property
    def is_stopped(self) -> bool:
        """True for a test that is not run, since the reference itself fails it; a person gives the points."""
        return self.graded and self.manual and self.kind == "code" and self.owner != "solution"

    @cached_property
    def defines(self) -> frozenset[str]:
        """The names that the full cell binds at its top level."""
        return names.bound_in(self.source)

    @cached_property
    def asked_for(self) -> frozenset[str]:
        """The names by which an answer to this cell is known."""
        return self.defines.intersection(names.asked_for(self.source, self.name)) or self.defines

    @cached_property
    def unseen(self) -> str:
        """What runs of the cell where nobody sees what it shows."""
        return names.without_look(self.released)

    @cached_property
    def mentions_unseen(self) -> frozenset[str]:
        """Every word in that."""
        return words(self.unseen)

    @cached_property
    def mentions(self) -> frozenset[str]:
        """Every word in what a student gets of the cell."""
        return words(self.released)


def _metadata(cell: Mapping, released: Mapping | None) -> dict:
    """What a student's copy of the cell bears: without the translator's mark, with the release's checksum."""
    metadata = {key: value for key, value in cell.get("metadata", {}).items() if key != "translates"}
    grader = cells.grader(cell)
    if released is not None and grader:
        metadata["nbgrader"] = cells.grader(released) or grader
    return metadata
