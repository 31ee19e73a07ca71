"""Choosing: which of the files that a student handed in at once is the notebook. Two different ones of which
nobody says which is newer are reported, not guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from course.collecting.owners import bare
from course.collecting.received import NO_NOTEBOOKS, ReceivedFile
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

    @property
    def rank(self) -> tuple[int, float]:
        """By which of two that came at once the newer is known: a platform's number, else its time."""
        moment = self.file.moment
        return self.file.order, moment.time.timestamp() if moment is not None and moment.is_told else 0.0


@dataclass
class Choice:
    """The notebook of the lesson in a hand-in, if there is one; what was passed over for it, what is broken,
    and what is to be said."""

    work: Work
    assignment: Assignment
    is_anothers: Callable[[str], bool]
    notes: list[Note] = field(default_factory=list)
    broken: dict[ReceivedFile, Note] = field(default_factory=dict)
    older: list[Candidate] = field(default_factory=list)
    equal: list[Candidate] = field(default_factory=list)
    differ: list[Candidate] = field(default_factory=list)
    used: list[ReceivedFile] = field(default_factory=list)
    files: list[ReceivedFile] = field(init=False)
    known: dict[bytes, HandIn] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files = list(self.work.files)

    def make(self) -> Candidate | None:
        """Choose; none where there is nothing to choose, or where two of them differ."""
        self._use_packs()
        candidates, lesson = list(self._candidates()), self.assignment.lesson
        if not candidates:
            for file in self.files:
                if NO_NOTEBOOKS.search(file.path.name):
                    self.broken[file] = Note("intake.other_kind", str(file.path))
            self.notes += [note for note in self.broken.values() if note not in self.notes]
            if not self.notes:
                self.notes.append(Note("intake.no_notebook", lesson))
            return None
        chosen = self._newest(candidates)
        if chosen is not None and chosen.file.path.name != f"{lesson}.ipynb":
            self.notes.append(Note("intake.renamed", chosen.file.path.name))
        return chosen

    def _newest(self, candidates: list[Candidate]) -> Candidate | None:
        """The newest of those with answers; what equals it counts once."""
        answered = [one for one in candidates if one.hand_in.is_answered]
        different = {one.hand_in.work: one for one in reversed(answered or candidates)}
        left = sorted(different.values(), key=lambda one: one.rank, reverse=True)
        if len(left) > 1 and left[0].rank == left[1].rank:
            names = ", ".join(sorted(str(one.file.path) for one in left))
            self.notes.append(Note("intake.two_notebooks", names))
            self.differ = candidates
            return None
        for one in candidates:
            if one is not left[0]:
                same = one.hand_in.work == left[0].hand_in.work
                (self.equal if same else self.older).append(one)
        return left[0]

    def _use_packs(self) -> None:
        """Put its notebook in the place of each pack of the lesson; one handed in beside it comes first."""
        found = packs.found_in(FilesByPath(self.work))
        if len(found) > PACKS:
            raise TooMuch("intake.many_packs", PACKS)
        own = [pack for pack in found if pack.manifest.get("lesson") == self.assignment.lesson]
        bare = bool(own) and any(one.hand_in.is_answered for one in self._candidates(own))
        for pack in own:
            self._use(pack, bare)

    def _use(self, pack: HandInPack, beside_answers: bool) -> None:
        own = [file for file in self.files if file.path in pack.paths]
        self.files = [file for file in self.files if file.path not in pack.paths]
        contents = pack.folder / packs.MANIFEST
        if not pack.sound:
            self._refuse(own, Note("intake.bad_pack", str(contents)))
        elif self.is_anothers(pack.student):
            self._refuse(own, Note("intake.clash", f"{contents} ({pack.student})"))
        elif not beside_answers:
            if pack.notebook is None:
                self.notes.append(Note("intake.from_answers", str(pack.folder / packs.ANSWERS)))
            data = pack.notebook or packs.notebook_of(pack, self.assignment)
            path = pack.folder / f"{self.assignment.lesson}.ipynb"
            first = next(file for file in own if file.path == contents)
            made = ReceivedFile(
                path, partial(bytes, data), moment=first.moment, part_of=first.part_of, order=first.order
            )
            self.files.append(made)
            self.used += own

    def _refuse(self, files: list[ReceivedFile], note: Note) -> None:
        self.notes.append(note)
        self.broken.update(dict.fromkeys(files, note))

    def _candidates(self, but: Sequence[HandInPack] = ()) -> Iterator[Candidate]:
        """Files that hold cells of this lesson, and notebooks that bear its name, but those in packs; what
        cannot be read is none."""
        packed = set().union(*(pack.paths for pack in but))
        for file in [file for file in self.files if file.path not in packed]:
            data = self.work.data(file) if file.is_notebook else b""
            hand_in = self._handed_in(data) if file.is_notebook and file not in self.work.unread else None
            if hand_in is None:
                continue
            if hand_in.is_lessons or (hand_in.readable and bare(file.path.name) == self.assignment.lesson):
                yield Candidate(file, hand_in)
            elif not hand_in.readable:
                key = next(note.key for note in hand_in.notes if note.unreadable)
                self.broken[file] = Note(f"intake.{key}", str(file.path))

    def _handed_in(self, data: bytes) -> HandIn:
        if data not in self.known:
            if len(self.known) == NOTEBOOKS:
                raise TooMuch("intake.many_notebooks", NOTEBOOKS)
            self.known[data] = HandIn.of(data, self.assignment)
        return self.known[data]
