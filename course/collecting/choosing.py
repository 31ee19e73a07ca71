"""Choosing: which of a student's files is the notebook. Two different ones are reported, not guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from course.collecting.owners import bare
from course.collecting.received import ReceivedFile
from course.lesson.assignment import Assignment
from course.submission import packs
from course.submission.hand_in import HandIn
from course.submission.notes import Note


@dataclass(frozen=True)
class Candidate:
    """A file that may be the student's notebook, and what it came to."""

    file: ReceivedFile
    hand_in: HandIn


def choose(files: list[ReceivedFile], assignment: Assignment, notes: list[Note]) -> Candidate | None:
    """The one notebook of the lesson among these files, if there is one; `notes` gets what is to be said."""

    @cache
    def handed_in(data: bytes) -> HandIn:
        return HandIn.of(data, assignment)

    files = _without_packs(files, assignment, handed_in, notes)
    return _one(list(_candidates(files, assignment.lesson, handed_in)), assignment.lesson, notes)


def _without_packs(
    files: list[ReceivedFile],
    assignment: Assignment,
    handed_in: Callable[[bytes], HandIn],
    notes: list[Note],
) -> list[ReceivedFile]:
    """The files, each pack of the lesson replaced by its notebook; one handed in beside it comes first."""
    lesson = assignment.lesson
    for pack in packs.found_in({file.path: file.data for file in files if not file.problem}):
        if pack.manifest.get("lesson") != lesson:
            continue
        files = [file for file in files if file.path not in pack.paths]
        if not pack.sound:
            notes.append(Note("intake.bad_pack", str(pack.folder / packs.MANIFEST)))
        elif not any(one.hand_in.is_answered for one in _candidates(files, lesson, handed_in)):
            if pack.notebook is None:
                notes.append(Note("intake.from_answers", str(pack.folder / packs.ANSWERS)))
            data = pack.notebook or packs.notebook_of(pack, assignment)
            files.append(ReceivedFile(pack.folder / f"{lesson}.ipynb", data))
    return files


def _candidates(
    files: Iterable[ReceivedFile], lesson: str, handed_in: Callable[[bytes], HandIn]
) -> Iterator[Candidate]:
    """Files that hold cells of this lesson, and files that claim to be its notebook."""
    for file in files:
        if file.is_notebook and not file.problem:
            hand_in = handed_in(file.data)
            if hand_in.is_lessons or bare(file.path.name) == lesson:
                yield Candidate(file, hand_in)


def _one(candidates: list[Candidate], lesson: str, notes: list[Note]) -> Candidate | None:
    if not candidates:
        notes.append(Note("intake.no_notebook", lesson))
        return None
    different = {one.file.data: one for one in reversed(candidates)}
    answered = [one for one in different.values() if one.hand_in.is_answered]
    left = answered or list(different.values())
    if len(left) > 1:
        names = ", ".join(sorted(str(one.file.path) for one in left))
        notes.append(Note("intake.two_notebooks", names))
        return None
    if left[0].file.path.name != f"{lesson}.ipynb":
        notes.append(Note("intake.renamed", left[0].file.path.name))
    return left[0]
