"""Claims: which of the master's cells each cell of a submission is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from course.lesson.assignment import Master
from course.lesson.master_cell import MasterCell
from course.submission.language import SPEAKS
from course.submission.notes import Note
from course.submission.submitted_cells import SubmittedCell
from course.submission.untouched import squeezed


@dataclass(frozen=True)
class Claims:
    """A submission's cells, and the name of the master's cell that each is, by its number, if it is one."""

    master: Master
    given: tuple[SubmittedCell, ...]
    names: Mapping[int, str]
    notes: tuple[Note, ...] = ()

    def of(self, name: str) -> list[SubmittedCell]:
        """The cells that are the master's cell of this name; more than one where it was copied."""
        return [cell for cell in self.given if self.names.get(cell.number) == name]

    def master_of(self, cell: SubmittedCell) -> MasterCell | None:
        """The master's cell that this one is."""
        position = self.position_of(cell)
        return None if position is None else self.master.cells[position]

    def position_of(self, cell: SubmittedCell) -> int | None:
        """Where the master's cell that this one is stands."""
        name = self.names.get(cell.number)
        return None if name is None else self.master.by_name[name]


def claim(master: Master, given: Iterable[SubmittedCell]) -> Claims:
    """Say of each cell which of the master's it is, and put a function that was cut in two together."""
    given = tuple(given)
    return _joined(Claims(master, given, _names(master, given)))


def changes(claims: Claims) -> Iterator[Note]:
    """What became of the cells that are not a student's to write."""
    for cell in claims.master.cells:
        own = claims.of(cell.name)
        if cell.owner == "open" and cell.defines and not own:
            yield Note("repaired.missing", cell.name)
        if cell.owner != "instructor":
            continue
        if not own:
            yield Note("repaired.deleted", cell.name)
        elif len(own) > 1:
            yield Note("repaired.copied_check", cell.name)
        elif not is_masters(own[0], cell) and not SPEAKS.search(cell.source):
            yield Note("repaired.changed_check", cell.name)


def is_masters(cell: SubmittedCell, master: MasterCell) -> bool:
    """True for a cell that holds the master's own text, spacing aside."""
    return cell.squeezed in (squeezed(master.released), squeezed(master.source))


def _names(master: Master, given: Iterable[SubmittedCell]) -> dict[int, str]:
    """By its label, else by its text."""
    labelled = {cell.number: _label(cell, master) for cell in given}
    free: dict[str, list[str]] = {}
    for cell in master.cells:
        if cell.name not in labelled.values() and cell.released.strip():
            free.setdefault(squeezed(cell.released), []).append(cell.name)
    names: dict[int, str] = {}
    for cell in given:
        name = labelled[cell.number] or next(iter(free.get(cell.squeezed, [])), "")
        if name:
            names[cell.number] = name
        if name and not labelled[cell.number] and len(free[cell.squeezed]) > 1:
            free[cell.squeezed].remove(name)
    return names


def _label(cell: SubmittedCell, master: Master) -> str:
    return next((label for label in cell.labels if label in master.by_name), "")


def _joined(claims: Claims) -> Claims:
    """A function cut in two by the editor: its second half starts indented, right behind the solution cell
    or behind a text between them."""
    joined: list[SubmittedCell] = []
    notes, names = [], dict(claims.names)
    for cell in claims.given:
        place = next((at for at in reversed(range(len(joined))) if joined[at].kind == "code"), None)
        last = None if place is None else joined[place]
        if last is not None and _continues(claims, last, cell):
            joined[place] = replace(last, source=f"{last.source}\n{cell.source}")
            notes.append(Note("repaired.split", names[last.number]))
            names.pop(cell.number, None)
        else:
            joined.append(cell)
    return replace(claims, given=tuple(joined), names=names, notes=tuple(notes))


def _continues(claims: Claims, last: SubmittedCell, cell: SubmittedCell) -> bool:
    solution = claims.master_of(last)
    if solution is None or solution.owner != "solution" or cell.kind != "code" or last.kind != "code":
        return False
    if claims.names.get(cell.number, solution.name) != solution.name:
        return False
    first = next((line for line in cell.source.split("\n") if line.strip()), "")
    return first[:1] in (" ", "\t") and bool(last.source.strip())
