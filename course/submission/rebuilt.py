"""The rebuilt notebook as data: which cell is whose, what runs, and the file that it makes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from course.lesson.assignment import Master
from course.lesson.master_cell import MasterCell
from course.submission import inert
from course.submission.notes import Note
from helpers.names import defined, words

METADATA = "iteration_budget"
ID_CHARACTERS = 64


@dataclass(frozen=True)
class RebuiltCell:
    """One cell of the rebuilt notebook: a master's cell, a student's, or a student's text in a master's
    cell."""

    name: str
    kind: str
    source: str
    runs: str | None
    master: MasterCell | None = None
    untouched: bool = False

    @property
    def is_test(self) -> bool:
        """True for a cell that the examiner scores."""
        return self.master is not None and self.master.graded and not self.master.manual

    @property
    def is_graded_check(self) -> bool:
        """True for a graded cell that holds no answer: only trusted outputs stand under it."""
        return self.master is not None and (self.is_test or self.master.is_stopped)

    @property
    def is_answer(self) -> bool:
        """True for a cell that a student was to fill in."""
        return self.master is not None and self.master.owner == "solution"

    @property
    def is_visible_check(self) -> bool:
        """True for the instructor's check that students see."""
        return self.master is not None and self.master.owner == "instructor" and not self.master.graded

    @property
    def is_setting(self) -> bool:
        """True for the cell that sets the language."""
        return self.is_visible_check and "speak" in self.master.mentions

    @property
    def is_students(self) -> bool:
        """True when the cell is the student's to write, or was changed."""
        if self.master is None or self.master.owner == "solution":
            return True
        return self.runs not in (self.master.released, self.master.source)

    @property
    def is_own_work(self) -> bool:
        """True for what the student wrote: an answer, an added cell, a changed one."""
        if self.master is None or self.is_answer:
            return not self.untouched
        return self.source not in (self.master.released, self.master.source)

    @property
    def unseen(self) -> str:
        """What runs of it where nobody sees what it shows: all that a student wrote, of others no look."""
        return (self.runs or "") if self.is_students or self.runs is None else self.master.unseen

    @property
    def mentions_unseen(self) -> frozenset[str]:
        """The names that this may use."""
        return self.mentions if self.is_students else self.master.mentions_unseen

    @property
    def shown(self) -> str:
        """What a notebook shows of it: code as it is, since it is shown as text, a student's words inert."""
        instructors = self.master is not None and self.source in (self.master.released, self.master.source)
        return self.source if self.kind == "code" or instructors else inert.markdown(self.source)

    @property
    def defines(self) -> frozenset[str]:
        """The names that the cell may bind."""
        return self.master.defines if self.master is not None else frozenset(defined(self.source))

    @property
    def mentions(self) -> frozenset[str]:
        """The names that the cell may use."""
        return words(self.runs or "") if self.is_students else self.master.mentions


@dataclass(frozen=True)
class Rebuilt:
    """What is graded, and what was put right on the way."""

    language: str
    master: Master
    pieces: tuple[RebuiltCell, ...]
    notes: tuple[Note, ...] = ()
    results: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """By which the same answers are known again."""
        sources = "\0".join(piece.source for piece in self.pieces)
        return hashlib.sha256(sources.encode("utf-8", "replace")).hexdigest()

    def notebook(
        self,
        outputs: Mapping[str, list[dict]] | None = None,
        failed: Mapping[str, dict] | None = None,
        diagnoses: Mapping[str, dict] | None = None,
    ) -> dict:
        """The notebook as a file holds it: outputs by cell; in its metadata what failed tests found, and
        by exercise what is behind that."""
        notes = [{"key": note.key, "cell": note.cell} for note in self.notes]
        about = {**self.master.metadata.get(METADATA, {}), "language": self.language, "notes": notes}
        about |= {"failed": dict(failed)} if failed is not None else {}
        about |= {"diagnoses": dict(diagnoses)} if diagnoses else {}
        return {
            "cells": [_cell(piece, (outputs or {}).get(piece.name, [])) for piece in self.pieces],
            "metadata": {**self.master.metadata, METADATA: about},
            "nbformat": 4,
            "nbformat_minor": 5,
        }


def _cell(piece: RebuiltCell, outputs: list[dict]) -> dict:
    metadata = dict(piece.master.metadata) if piece.master is not None else {}
    cell: dict[str, Any] = {
        "cell_type": piece.kind,
        "id": piece.name[:ID_CHARACTERS],
        "metadata": metadata,
        "source": piece.shown,
    }
    if piece.kind == "code":
        cell |= {"execution_count": None, "outputs": outputs}
    return cell
