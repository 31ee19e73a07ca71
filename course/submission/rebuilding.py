"""Rebuild: the instructor's notebook with the student's own code in it, whatever the submission did to the
rest.

Every cell of the master stands once, in the master's order, with the master's text and metadata. A solution
cell holds what the student wrote for it, wherever in the submission that was; added cells stay behind the
cell that they followed. Nothing here parses a student's code: definitions are found line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course.lesson.assignment import Assignment
from course.lesson.cells import VALID_ID
from course.lesson.master_cell import MasterCell
from course.submission.answers import find_answers, is_answered
from course.submission.claims import Claims, changes, claim
from course.submission.language import language_of
from course.submission.placing import Placement, place
from course.submission.rebuilt import Rebuilt, RebuiltCell
from course.submission.submitted_cells import SubmittedCell, submitted_cells
from course.submission.untouched import is_untouched

ADDED_TEXTS = 100


def rebuild(notebook: Mapping, assignment: Assignment) -> Rebuilt:
    """The notebook to grade, from any submission whatever its `cells` are."""
    given = list(submitted_cells(notebook))
    master = assignment.masters[language_of(notebook, given, assignment)]
    claims = claim(master, given)
    answers = find_answers(claims)
    pieces = tuple(_Pieces(claims, place(claims, answers.by_name)).all())
    notes = dict.fromkeys((*claims.notes, *answers.notes, *changes(claims)))
    return Rebuilt(master.language, master, pieces, tuple(notes))


@dataclass(frozen=True)
class _Pieces:
    """The cells of the rebuilt notebook, made of what was placed."""

    claims: Claims
    placement: Placement

    def all(self) -> Iterator[RebuiltCell]:
        texts = 0
        for position, cell in enumerate([*self.claims.master.cells, None]):
            for added in self.placement.before.get(position, []):
                texts += added.kind != "code"
                if added.kind == "code" or texts <= ADDED_TEXTS:
                    runs = added.source if added.kind == "code" else None
                    yield RebuiltCell(self._own_name(added), added.kind, added.source, runs)
            if cell is not None:
                yield from self._masters(cell)

    def _masters(self, cell: MasterCell) -> Iterator[RebuiltCell]:
        """The master's cell, with what the student wrote into it where that counts."""
        written = self.placement.into.get(cell.name, [])
        if cell.owner == "solution":
            yield from self._solution(cell, written)
        elif cell.owner == "text" and written:
            yield RebuiltCell(cell.name, cell.kind, written[-1].source, None, cell)
        elif cell.owner == "open" and written:
            own = written[-1]
            if cell.defines - own.defines:
                yield RebuiltCell(f"{cell.name}-original", cell.kind, cell.released, cell.released)
            yield RebuiltCell(cell.name, cell.kind, own.source, own.source, cell)
        else:
            runs = cell.released if cell.kind == "code" else None
            yield RebuiltCell(cell.name, cell.kind, cell.source, runs, cell)

    def _solution(self, cell: MasterCell, written: list[SubmittedCell]) -> Iterator[RebuiltCell]:
        """A solution cell with the student's last word in it; a stub never hides an answer given
        elsewhere."""
        for earlier in written[:-1]:
            yield RebuiltCell(self._own_name(earlier), cell.kind, earlier.source, earlier.source)
        source = written[-1].source if written else ""
        others = (found for name, found in self.placement.into.items() if name != cell.name)
        elsewhere = any(is_answered(found, cell) for found in others)
        untouched = not written or is_untouched(source, cell)
        runs = source if cell.kind == "code" and not (untouched and elsewhere and cell.defines) else None
        yield RebuiltCell(cell.name, cell.kind, source, runs, cell, untouched)

    def _own_name(self, cell: SubmittedCell) -> str:
        """The id that the student's editor gave the cell, if nothing else bears it."""
        others = [label for given in self.claims.given if given is not cell for label in given.labels]
        own = (label for label in cell.labels if VALID_ID.fullmatch(label))
        free = (label for label in own if label not in self.claims.master.by_name and label not in others)
        return next(free, f"added-{cell.number}")
