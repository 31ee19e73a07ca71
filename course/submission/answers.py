"""Answers: what a student wrote for each solution cell, wherever in the submission it stood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from course.lesson.master_cell import MasterCell
from course.submission.claims import Claims, is_masters
from course.submission.notes import Note
from course.submission.submitted_cells import SubmittedCell
from course.submission.untouched import is_untouched


@dataclass
class Answers:
    """For each solution cell what was written for it, in the student's order; the last has the last word."""

    by_name: dict[str, list[SubmittedCell]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def find_answers(claims: Claims) -> Answers:
    """The answers among a submission's cells."""
    solutions = [cell for cell in claims.master.cells if cell.owner == "solution"]
    answers = Answers()
    for solution in solutions:
        answers.by_name[solution.name] = _written(claims, solution, answers.notes)
    seen: set[int] = set()
    for name, found in answers.by_name.items():  # a cell that answers two questions stands at the first
        answers.by_name[name] = [cell for cell in found if cell.number not in seen]
        seen |= {cell.number for cell in found}
    return answers


def is_answered(written: Iterable[SubmittedCell], solution: MasterCell) -> bool:
    """True when something that the solution defines is defined in one of these cells."""
    return not solution.defines or any(solution.defines & cell.defines for cell in written)


def _written(claims: Claims, solution: MasterCell, notes: list[Note]) -> list[SubmittedCell]:
    official = claims.of(solution.name)
    written = _distinct(cell for cell in official if not is_untouched(cell.source, solution))
    if len(official) > 1:
        notes.append(Note("repaired.copied", solution.name))
    if not written or (solution.kind == "code" and not is_answered(written, solution)):
        strays = list(_strays(claims, solution, written))[-1:]
        notes += [Note(_kind(claims, stray), solution.name) for stray in strays]
        written = [*strays, *written]  # the official cell has the last word
    if not official and not written:
        notes.append(Note("repaired.missing", solution.name))
    if any(cell.kind != solution.kind for cell in written):
        notes.append(Note("repaired.cell_type", solution.name))
    return written or official[-1:]


def _kind(claims: Claims, stray: SubmittedCell) -> str:
    """What became of an answer that stands elsewhere: merged into another answer's cell, or renamed."""
    other = claims.master_of(stray)
    merged = other is not None and other.owner == "solution" and other.asked_for & stray.defines
    return "repaired.merged" if merged else "repaired.recognised"


def _strays(claims: Claims, solution: MasterCell, known: list[SubmittedCell]) -> Iterator[SubmittedCell]:
    """Cells elsewhere that define what this solution cell asks for and are not somebody else's stub."""
    if solution.kind != "code":
        return
    for cell in claims.given:
        other = claims.master_of(cell)
        if cell in known or not (solution.asked_for & cell.defines):
            continue
        if other is None or not (is_untouched(cell.source, other) or is_masters(cell, other)):
            yield cell


def _distinct(cells: Iterable[SubmittedCell]) -> list[SubmittedCell]:
    kept: dict[str, SubmittedCell] = {}
    for cell in cells:
        kept.setdefault(cell.squeezed, cell)
    return list(kept.values())
