"""A hand-in: the bytes that a student sent, and what reading and rebuilding them came to.

It is made once and goes along: to collecting, which chooses among a student's files, and to grading.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from course.lesson.assignment import Assignment
from course.submission.attachments import attach, attach_guesses, attached
from course.submission.notes import Note
from course.submission.reading import read
from course.submission.rebuilding import rebuild
from course.submission.rebuilt import Rebuilt
from helpers.guessing import Guess


@dataclass(frozen=True)
class HandIn:
    """What a student handed in; of a file that is no notebook, an empty one and the one note that says so."""

    data: bytes
    rebuilt: Rebuilt

    @classmethod
    def of(cls, data: bytes, assignment: Assignment) -> HandIn:
        """Read and rebuild these bytes."""
        found = read(data)
        rebuilt = rebuild(found.notebook, assignment)
        notes = (*found.notes, *rebuilt.notes) if found.readable else found.notes
        return cls(data, replace(rebuilt, notes=notes, results=attached(found.notebook)))

    def with_results(self, results: Mapping[str, str]) -> HandIn:
        """The same with the result files that came beside it."""
        data = attach(self.data, results)
        return self if data == self.data else HandIn(data, replace(self.rebuilt, results=dict(results)))

    def with_guesses(self, guesses: Mapping[str, Guess]) -> HandIn:
        """The same with the guesses that came beside it."""
        return replace(self, data=attach_guesses(self.data, guesses)) if guesses else self

    @cached_property
    def digest(self) -> str:
        """By which the same bytes are known again."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def work(self) -> str:
        """By which the same answers and result files are known again, whatever the outputs."""
        own = [(piece.kind, piece.source.rstrip()) for piece in self.rebuilt.pieces if piece.is_own_work]
        whole = [self.language, own, sorted(self.rebuilt.results.items())]
        return hashlib.sha256(json.dumps(whole).encode()).hexdigest()

    @property
    def language(self) -> str:
        """The language that the student works in."""
        return self.rebuilt.language

    @property
    def notes(self) -> tuple[Note, ...]:
        """All that was put right, in the file and in its cells."""
        return self.rebuilt.notes

    @property
    def readable(self) -> bool:
        """False when the file was no notebook at all."""
        return not any(note.unreadable for note in self.notes)

    @property
    def is_answered(self) -> bool:
        """True when something but the stub stands in one of the exercises."""
        return any(piece.is_answer and not piece.untouched for piece in self.rebuilt.pieces)

    @property
    def is_lessons(self) -> bool:
        """True when it holds something of the lesson: more than half of its checks, or an answer."""
        checks = [cell.name for cell in self.rebuilt.master.cells if cell.owner == "instructor"]
        gone = {note.cell for note in self.notes if note.key == "repaired.deleted"}
        return self.readable and (len(gone) < len(checks) / 2 or self.is_answered)
