"""Receipts: what became of each student's work, kept beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from course.collecting.moments import Moment
from course.collecting.owners import Owner
from course.collecting.versions import Version, Versions
from course.submission.files import RECEIPT, STAMP, json_object
from course.submission.notes import Note, in_words
from course.text import say_in
from helpers import writing


@dataclass
class Receipt:
    """What became of one student's work: of what came in last, where several works came in.

    `outcome` says what became of it; `version` which of the student's works it is, `replaced` which one it
    took the place of.
    """

    student: str
    source: str = ""
    notes: list[Note] = field(default_factory=list)
    language: str = "zh"
    outcome: str = "refused"
    changed: bool = False
    owner: Owner | None = None
    version: int | None = None
    replaced: int | None = None
    moment: Moment | None = None

    @property
    def taken(self) -> bool:
        """True when there was a work that can be graded, new or known."""
        return self.outcome in ("taken", "equal", "older")


def keep_new(receipt: Receipt, versions: Versions, new: Version, data: bytes) -> None:
    """Put a work in its place: what it replaces goes to the other versions first, so that nothing is ever
    only in memory; the receipt comes last."""
    before = versions.current
    if before is not None and not versions.place(before).is_file():
        writing.replace(versions.place(before), versions.path.read_bytes())
    versions.kept = [version for version in versions.kept if version.number != new.number] + [new]
    receipt.changed = writing.write_if_changed(versions.path, data)
    versions.current = new
    _write(receipt, versions)


def keep_beside(versions: Versions, old: Version, data: bytes) -> None:
    """Keep a work that is not the one to grade, and say so in the receipt; nothing else in it changes."""
    if any(version.number == old.number for version in versions.kept):
        return
    writing.replace(versions.place(old), data)
    versions.kept.append(old)
    _update(versions)


def keep_time(versions: Versions, known: Version) -> None:
    """Put the current work's time right, and the stamp that nbgrader reads."""
    if known != versions.current:
        versions.kept = [version for version in versions.kept if version.number != known.number] + [known]
        versions.current = known
        _update(versions)
    writing.write_if_changed(versions.folder / STAMP, f"{known.moment.text}\n".encode())


def keep_refused(receipt: Receipt, path: Path) -> None:
    """Where nothing lies that could be graded, write down why: the report names the student by it."""
    _put(path, _record(receipt))


def _write(receipt: Receipt, versions: Versions) -> None:
    _save(versions, _record(receipt))


def _record(receipt: Receipt) -> dict:
    return {
        "student": receipt.student,
        "language": receipt.language,
        "taken": receipt.taken,
        "notes": [{"key": note.key, "cell": note.cell} for note in receipt.notes],
        "in_words": in_words(receipt.notes, partial(say_in, receipt.language)),
    }


def _update(versions: Versions) -> None:
    _save(versions, json_object(versions.folder / RECEIPT) or {"student": versions.student, "taken": True})


def _save(versions: Versions, record: dict) -> None:
    kept = sorted(versions.kept, key=lambda version: version.number)
    record |= versions.current.as_record() | {"versions": [version.as_record() for version in kept]}
    _put(versions.folder / RECEIPT, record)
    writing.replace(versions.folder / STAMP, f"{versions.current.moment.text}\n".encode())


def _put(path: Path, record: dict) -> None:
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    writing.write_if_changed(path, text.encode("utf-8", "replace"))
