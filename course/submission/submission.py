"""A submission as a notebook: read from bytes, rebuilt around a master's cells, and what it answers.

`course.handin` does the reading and `course.rebuild` the rebuilding, on plain dictionaries; here they meet
nbformat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nbformat import NotebookNode, from_dict

from course.lesson.assignment import Assignment
from course.lesson.regions import visible
from course.submission import reading
from course.submission.notes import Note, in_words
from course.submission.rebuilding import rebuild as rebuild_cells
from course.submission.untouched import only_given

__all__ = ["Note", "Submission", "in_words", "is_untouched", "read", "rebuild"]


@dataclass
class Submission:
    """What a student handed in; an unreadable file is a submission with no cells and a note that says why."""

    notebook: NotebookNode
    notes: list[Note] = field(default_factory=list)

    @property
    def readable(self) -> bool:
        """False when the file was no notebook at all."""
        return not any(note.unreadable for note in self.notes)


def read(data: bytes) -> Submission:
    """The notebook in these bytes, whatever an editor made of its encoding and line ends."""
    found = reading.read(data)
    return Submission(from_dict(found.notebook), list(found.notes))


def rebuild(submission: Submission, masters: Mapping[str, NotebookNode]) -> Submission:
    """The master's notebook with the student's own code in it, in the language of the student's notebook."""
    rebuilt = rebuild_cells(submission.notebook, Assignment.of("", masters, {}))
    notes = [*submission.notes, *rebuilt.notes] if submission.readable else submission.notes
    return Submission(from_dict(rebuilt.notebook()), notes)


def is_untouched(source: str, master_cell: NotebookNode) -> bool:
    """True when nothing but the stub stands where the answer should be."""
    return only_given(source, visible(master_cell.source))
