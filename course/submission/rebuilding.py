"""Rebuild: the instructor's notebook with the student's own code in it, whatever the submission did to the
rest.

Every cell of the master stands once, in the master's order, with the master's text and metadata. A solution
cell holds what the student wrote for it, wherever in the submission that was; added cells stay behind the
cell that they followed. Nothing here parses a student's code: definitions are found line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from course.lesson.assignment import Assignment, Master
from course.lesson.master_cell import MasterCell
from course.submission.notes import Note
from course.submission.rebuilt import Rebuilt, RebuiltCell
from course.submission.untouched import is_untouched, squeezed
from helpers.names import defined

SPEAKS = re.compile(r"^[ \t]*(?:text\.)?speak\(['\"](\w{2})['\"]\)", re.MULTILINE)
VALID_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
CELLS = 1_000
SOURCE_CHARACTERS = 200_000
SOURCES_CHARACTERS = 4_000_000
ADDED_TEXTS = 100


@dataclass(frozen=True)
class SubmittedCell:
    """One cell as the student handed it in."""

    number: int
    kind: str
    source: str
    labels: tuple[str, ...] = ()

    @cached_property
    def squeezed(self) -> str:
        return squeezed(self.source)

    @cached_property
    def defines(self) -> set[str]:
        return defined(self.source)


def rebuild(submission: Mapping, assignment: Assignment) -> Rebuilt:
    """The notebook to grade, from any submission whose `cells` are a list."""
    given = list(_given(submission.get("cells", [])))
    master = assignment.masters[language_of(submission, given, assignment)]
    return _Rebuild(master, given).result()


def language_of(submission: Mapping, given: Iterable[SubmittedCell], assignment: Assignment) -> str:
    """What the notebook speaks, else what its metadata says, else whose text it has most of."""
    for cell in given:
        spoken = SPEAKS.search(cell.source) if cell.kind == "code" else None
        if spoken and spoken.group(1) in assignment.masters:
            return spoken.group(1)
    stated = submission.get("metadata")
    stated = stated.get("iteration_budget") if isinstance(stated, Mapping) else None
    stated = stated.get("language") if isinstance(stated, Mapping) else None
    if isinstance(stated, str) and stated in assignment.masters:
        return stated
    own = {cell.squeezed for cell in given if cell.kind != "code"}
    return max(assignment.masters, key=lambda language: _shared(assignment.masters[language], own))


@dataclass
class _Rebuild:
    master: Master
    given: list[SubmittedCell]
    notes: list[Note] = field(default_factory=list)
    claims: dict[int, str] = field(default_factory=dict)
    answers: dict[str, list[SubmittedCell]] = field(default_factory=dict)
    before: dict[int, list[SubmittedCell]] = field(default_factory=dict)

    def result(self) -> Rebuilt:
        self._claim()
        self._join_split_cells()
        self._find_answers()
        self._place_the_rest()
        pieces = tuple(self._pieces())
        return Rebuilt(self.master.language, self.master, pieces, tuple(dict.fromkeys(self.notes)))

    def _claim(self) -> None:
        """Say of each cell which of the master's it is: by its label, else by its text."""
        labelled = {cell.number: self._label(cell) for cell in self.given}
        free: dict[str, list[str]] = {}
        for cell in self.master.cells:
            if cell.name not in labelled.values() and cell.released.strip():
                free.setdefault(squeezed(cell.released), []).append(cell.name)
        for cell in self.given:
            name = labelled[cell.number] or next(iter(free.get(cell.squeezed, [])), "")
            if name:
                self.claims[cell.number] = name
            if name and not labelled[cell.number] and len(free[cell.squeezed]) > 1:
                free[cell.squeezed].remove(name)

    def _label(self, cell: SubmittedCell) -> str:
        return next((label for label in cell.labels if label in self.master.by_name), "")

    def _join_split_cells(self) -> None:
        """A function cut in two by the editor: its second half starts indented, right behind the solution
        cell."""
        joined: list[SubmittedCell] = []
        for cell in self.given:
            last = joined[-1] if joined else None
            if last is not None and self._continues(last, cell):
                joined[-1] = replace(last, source=f"{last.source}\n{cell.source}")
                self.notes.append(Note("repaired.split", self.claims[last.number]))
                self.claims.pop(cell.number, None)
            else:
                joined.append(cell)
        self.given = joined

    def _continues(self, last: SubmittedCell, cell: SubmittedCell) -> bool:
        solution = self._master_of(last)
        if solution is None or solution.owner != "solution" or cell.kind != "code" or last.kind != "code":
            return False
        if self.claims.get(cell.number, solution.name) != solution.name:
            return False
        first = next((line for line in cell.source.split("\n") if line.strip()), "")
        return first[:1] in (" ", "\t") and bool(last.source.strip())

    def _find_answers(self) -> None:
        """For each solution cell what the student wrote for it, in the student's order, wherever it stood."""
        solutions = [cell for cell in self.master.cells if cell.owner == "solution"]
        for solution in solutions:
            official = [cell for cell in self.given if self.claims.get(cell.number) == solution.name]
            written = _distinct(cell for cell in official if not is_untouched(cell.source, solution))
            if len(official) > 1:
                self.notes.append(Note("repaired.copied", solution.name))
            if not written or (solution.kind == "code" and not self._answered(written, solution)):
                written = [*self._strays(solution, written), *written]  # the official cell has the last word
            self.answers[solution.name] = written or official[-1:]
            if not official and not written:
                self.notes.append(Note("repaired.missing", solution.name))
            if any(cell.kind != solution.kind for cell in written):
                self.notes.append(Note("repaired.cell_type", solution.name))
        self._settle(solutions)

    def _answered(self, written: list[SubmittedCell], solution: MasterCell) -> bool:
        return not solution.defines or any(solution.defines & cell.defines for cell in written)

    def _strays(self, solution: MasterCell, known: list[SubmittedCell]) -> list[SubmittedCell]:
        """Cells elsewhere that define what this solution cell asks for and are not somebody else's stub."""
        if solution.kind != "code":
            return []
        found = []
        for cell in self.given:
            other = self._master_of(cell)
            if cell in known or not (solution.asked_for & cell.defines):
                continue
            if other is None or not (is_untouched(cell.source, other) or self._is_masters(cell, other)):
                found.append(cell)
        if found:
            self.notes.append(Note("repaired.recognised", solution.name))
        return found[-1:]

    def _settle(self, solutions: list[MasterCell]) -> None:
        """A cell that answers two questions stands at the first of them."""
        seen: set[int] = set()
        for solution in solutions:
            self.answers[solution.name] = [c for c in self.answers[solution.name] if c.number not in seen]
            seen |= {cell.number for cell in self.answers[solution.name]}

    def _place_the_rest(self) -> None:
        """Added cells, and what a student wrote into cells that are not his or hers."""
        placed = {cell.number for cells in self.answers.values() for cell in cells}
        after, waiting = -1, []
        for cell in self.given:
            position = self.master.by_name.get(self.claims.get(cell.number, ""), None)
            if position is None:
                if cell.number not in placed and cell.source.strip():
                    waiting.append(cell)
                continue
            self._put(waiting, min(after + 1, position))
            waiting = []
            after = position
            if cell.number not in placed:
                self._put_changed(cell, position)
        self._put(waiting, after + 1)
        self._note_checks()

    def _put(self, cells: list[SubmittedCell], position: int) -> None:
        if cells:
            self.before.setdefault(position, []).extend(cells)

    def _put_changed(self, cell: SubmittedCell, position: int) -> None:
        """A cell of the instructor's that the student changed: what it adds runs too, before the original."""
        master = self.master.cells[position]
        is_own = master.owner == "text" or (master.owner == "open" and cell.kind == "code")
        if is_own and not self._is_masters(cell, master):
            self.answers.setdefault(master.name, []).append(cell)
        elif (
            cell.kind == "code" and master.owner == "instructor" and defined(cell.source) - master.defines
        ) or (master.owner == "solution" and not is_untouched(cell.source, master)):
            self._put([cell], position)

    def _note_checks(self) -> None:
        for cell in self.master.cells:
            if cell.owner == "open" and cell.defines and cell.name not in self.claims.values():
                self.notes.append(Note("repaired.missing", cell.name))
            if cell.owner != "instructor":
                continue
            own = [given for given in self.given if self.claims.get(given.number) == cell.name]
            if not own:
                self.notes.append(Note("repaired.deleted", cell.name))
            elif len(own) > 1:
                self.notes.append(Note("repaired.copied_check", cell.name))
            elif not self._is_masters(own[0], cell) and not SPEAKS.search(cell.source):
                self.notes.append(Note("repaired.changed_check", cell.name))

    def _pieces(self) -> Iterator[RebuiltCell]:
        texts = 0
        for position, cell in enumerate([*self.master.cells, None]):
            for given in self.before.get(position, []):
                texts += given.kind != "code"
                if given.kind == "code" or texts <= ADDED_TEXTS:
                    yield RebuiltCell(self._own_name(given), given.kind, given.source, _runs(given))
            if cell is not None:
                yield from self._masters_piece(cell)

    def _masters_piece(self, cell: MasterCell) -> Iterator[RebuiltCell]:
        answers = self.answers.get(cell.name, [])
        if cell.owner == "solution":
            yield from self._solution_piece(cell, answers)
        elif cell.owner == "text" and answers:
            yield RebuiltCell(cell.name, cell.kind, answers[-1].source, None, cell)
        elif cell.owner == "open" and answers:
            own = answers[-1]
            if cell.defines - defined(own.source):
                yield RebuiltCell(f"{cell.name}-original", cell.kind, cell.released, cell.released)
            yield RebuiltCell(cell.name, cell.kind, own.source, own.source, cell)
        else:
            yield RebuiltCell(
                cell.name, cell.kind, cell.source, cell.released if cell.kind == "code" else None, cell
            )

    def _solution_piece(self, cell: MasterCell, answers: list[SubmittedCell]) -> Iterator[RebuiltCell]:
        for earlier in answers[:-1]:
            yield RebuiltCell(self._own_name(earlier), cell.kind, earlier.source, earlier.source)
        source = answers[-1].source if answers else ""
        elsewhere = any(
            self._answered(found, cell) for name, found in self.answers.items() if name != cell.name
        )
        untouched = not answers or is_untouched(source, cell)
        runs = source if cell.kind == "code" and not (untouched and elsewhere and cell.defines) else None
        yield RebuiltCell(cell.name, cell.kind, source, runs, cell, untouched)

    def _own_name(self, cell: SubmittedCell) -> str:
        """The id that the student's editor gave the cell, if nothing else bears it."""
        others = [label for given in self.given if given is not cell for label in given.labels]
        own = (label for label in cell.labels if VALID_ID.fullmatch(label))
        free = (label for label in own if label not in self.master.by_name and label not in others)
        return next(free, f"added-{cell.number}")

    def _master_of(self, cell: SubmittedCell) -> MasterCell | None:
        name = self.claims.get(cell.number)
        return None if name is None else self.master.cells[self.master.by_name[name]]

    def _is_masters(self, cell: SubmittedCell, master: MasterCell) -> bool:
        return cell.squeezed in (squeezed(master.released), squeezed(master.source))


def _given(cells: object) -> Iterator[SubmittedCell]:
    room = SOURCES_CHARACTERS
    for number, cell in enumerate(cells[:CELLS] if isinstance(cells, list) else []):
        if isinstance(cell, Mapping):
            kind = cell.get("cell_type")
            source = _clean(_joined(cell.get("source", cell.get("input", ""))))[: max(room, 0)]
            room -= len(source)
            yield SubmittedCell(
                number, kind if kind in ("code", "markdown", "raw") else "code", source, _labels(cell)
            )


def _joined(source: object) -> str:
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def _labels(cell: Mapping) -> tuple[str, ...]:
    metadata = cell.get("metadata")
    grader = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    labels = (grader.get("grade_id") if isinstance(grader, Mapping) else None, cell.get("id"))
    return tuple(label[:200] for label in labels if isinstance(label, str))


def _clean(text: str) -> str:
    """Text that a file can hold: half characters replaced, one kind of line end, bounded."""
    text = text[:SOURCE_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _runs(cell: SubmittedCell) -> str | None:
    return cell.source if cell.kind == "code" else None


def _shared(master: Master, own: set[str]) -> int:
    return sum(squeezed(cell.released) in own for cell in master.cells if cell.kind != "code")


def _distinct(cells: Iterable[SubmittedCell]) -> list[SubmittedCell]:
    kept: dict[str, SubmittedCell] = {}
    for cell in cells:
        kept.setdefault(cell.squeezed, cell)
    return list(kept.values())
