"""Choosing: which of a student's files is the notebook. Two different ones are reported, not guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from course.collecting.owners import bare
from course.collecting.received import ReceivedFile
from course.collecting.work import FilesByPath, TooMuch, Work
from course.lesson.assignment import Assignment
from course.submission import packs
from course.submission.hand_in import HandIn
from course.submission.notes import Note
from course.submission.packs import HandInPack

NOTEBOOKS = 20
PACKS = 20


@dataclass(frozen=True)
class Candidate:
    """A file that may be the student's notebook, and what it came to."""

    file: ReceivedFile
    hand_in: HandIn


def choose(work: Work, assignment: Assignment, notes: list[Note]) -> Candidate | None:
    """The one notebook of the lesson in this work, if there is one; `notes` gets what is to be said."""
    choice = _Choice(work, assignment, notes)
    choice.use_packs()
    return choice.one()


@dataclass
class _Choice:
    """The files that are left to choose from. What a student handed in is rebuilt once, whatever its
    name, and only so many different ones are."""

    work: Work
    assignment: Assignment
    notes: list[Note]
    files: list[ReceivedFile] = field(init=False)
    known: dict[bytes, HandIn] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files = list(self.work.files)

    def use_packs(self) -> None:
        """Put its notebook in the place of each pack of the lesson; one handed in beside it comes first."""
        found = packs.found_in(FilesByPath(self.work))
        if len(found) > PACKS:
            raise TooMuch("intake.many_packs", PACKS)
        for pack in found:
            if pack.manifest.get("lesson") == self.assignment.lesson:
                self._use(pack)

    def one(self) -> Candidate | None:
        """The notebook that counts; none where there is none, or where two of them differ."""
        candidates, lesson = list(self._candidates()), self.assignment.lesson
        if not candidates:
            self.notes.append(Note("intake.no_notebook", lesson))
            return None
        different = {one.hand_in.data: one for one in reversed(candidates)}
        answered = [one for one in different.values() if one.hand_in.is_answered]
        left = answered or list(different.values())
        if len(left) > 1:
            names = ", ".join(sorted(str(one.file.path) for one in left))
            self.notes.append(Note("intake.two_notebooks", names))
            return None
        if left[0].file.path.name != f"{lesson}.ipynb":
            self.notes.append(Note("intake.renamed", left[0].file.path.name))
        return left[0]

    def _use(self, pack: HandInPack) -> None:
        self.files = [file for file in self.files if file.path not in pack.paths]
        if not pack.sound:
            self.notes.append(Note("intake.bad_pack", str(pack.folder / packs.MANIFEST)))
        elif not any(one.hand_in.is_answered for one in self._candidates()):
            if pack.notebook is None:
                self.notes.append(Note("intake.from_answers", str(pack.folder / packs.ANSWERS)))
            data = pack.notebook or packs.notebook_of(pack, self.assignment)
            path = pack.folder / f"{self.assignment.lesson}.ipynb"
            self.files.append(ReceivedFile(path, partial(bytes, data)))

    def _candidates(self) -> Iterator[Candidate]:
        """Files that hold cells of this lesson, and files that claim to be its notebook."""
        for file in self.files:
            data = self.work.data(file) if file.is_notebook else b""
            if data:
                hand_in = self._handed_in(data)
                if hand_in.is_lessons or bare(file.path.name) == self.assignment.lesson:
                    yield Candidate(file, hand_in)

    def _handed_in(self, data: bytes) -> HandIn:
        if data not in self.known:
            if len(self.known) == NOTEBOOKS:
                raise TooMuch("intake.many_notebooks", NOTEBOOKS)
            self.known[data] = HandIn.of(data, self.assignment)
        return self.known[data]
