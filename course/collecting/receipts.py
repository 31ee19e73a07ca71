"""Receipts: what became of each student's work, kept beside it and shown to whoever collects."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from course.submission.files import RECEIPT, STAMP, json_object
from course.submission.notes import Note, in_words
from course.text import say, say_in
from helpers import writing


@dataclass
class Receipt:
    """What became of one student's work."""

    student: str
    source: str = ""
    notes: list[Note] = field(default_factory=list)
    language: str = "zh"
    taken: bool = False
    changed: bool = False


def keep(receipt: Receipt, folder: Path, data: bytes) -> None:
    """Write the receipt beside the work, with our own time; the same file that comes again keeps its time."""
    digest = hashlib.sha256(data).hexdigest()
    time = _time(json_object(folder / RECEIPT), digest)
    record = {
        "student": receipt.student,
        "file": receipt.source,
        "sha256": digest,
        "time": time,
        "language": receipt.language,
        "taken": receipt.taken,
        "notes": [{"key": note.key, "cell": note.cell} for note in receipt.notes],
        "in_words": in_words(receipt.notes, partial(say_in, receipt.language)),
    }
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    writing.replace(folder / RECEIPT, text.encode("utf-8", "replace"))
    if receipt.taken:
        writing.replace(folder / STAMP, f"{time}\n".encode())


def show(lesson: str, receipts: list[Receipt]) -> None:
    """Print, for each student, what was taken and what was put right, and the whole in one line."""
    for receipt in receipts:
        key = "intake.taken" if receipt.taken else "intake.refused"
        print(_printable(say(key, student=receipt.student, file=receipt.source)))
        for sentence in in_words(receipt.notes, say):
            print(_printable(say("intake.note", note=sentence)))
    taken = sum(receipt.taken for receipt in receipts)
    changed = sum(receipt.changed for receipt in receipts)
    print(say("intake.summary", lesson=lesson, taken=taken, refused=len(receipts) - taken, changed=changed))


def _time(before: dict, digest: str) -> str:
    known = before.get("time") if before.get("sha256") == digest else None
    return known if isinstance(known, str) else datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def _printable(text: str) -> str:
    """Text that every terminal takes: names in a foreign encoding hold half characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
