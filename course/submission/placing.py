"""Placing: where everything that a student wrote stands among the master's cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course.submission.claims import Claims, is_masters
from course.submission.submitted_cells import SubmittedCell
from course.submission.untouched import is_untouched
from helpers.names import defined


@dataclass
class Placement:
    """What was written into each of the master's cells, by name, and what stands before each, by position."""

    into: dict[str, list[SubmittedCell]]
    before: dict[int, list[SubmittedCell]] = field(default_factory=dict)

    def put(self, cells: list[SubmittedCell], position: int) -> None:
        """Let these cells stand before the master's cell at this position."""
        if cells:
            self.before.setdefault(position, []).extend(cells)


def place(claims: Claims, answers: Mapping[str, list[SubmittedCell]]) -> Placement:
    """The answers, added cells, and what a student wrote into cells that are not his or hers.

    Added cells stay behind the cell that they followed, but before the one that they stood before.
    """
    answered = {cell.number for cells in answers.values() for cell in cells}
    placement = Placement(dict(answers))
    after, waiting = -1, []
    for cell in claims.given:
        position = claims.position_of(cell)
        if position is None:
            if cell.number not in answered and cell.source.strip():
                waiting.append(cell)
            continue
        placement.put(waiting, min(after + 1, position))
        waiting, after = [], position
        if cell.number not in answered:
            _place_changed(placement, claims, cell, position)
    placement.put(waiting, after + 1)
    return placement


def _place_changed(placement: Placement, claims: Claims, cell: SubmittedCell, position: int) -> None:
    """A cell of the instructor's that the student changed: what it adds runs too, before the original."""
    master = claims.master.cells[position]
    is_own = master.owner == "text" or (master.owner == "open" and cell.kind == "code")
    adds = cell.kind == "code" and master.owner == "instructor" and defined(cell.source) - master.defines
    if is_own and not is_masters(cell, master):
        placement.into.setdefault(master.name, []).append(cell)
    elif adds or (master.owner == "solution" and not is_untouched(cell.source, master)):
        placement.put([cell], position)
