"""Collect: whatever students hand in, a folder, a zip from Moodle or Canvas or one file, to `submitted/`.

Reads regular files only and follows no link; bounds sizes, counts and depth, each student's by
themselves; writes the bytes as they came, under the right name, with a time stamp of its own. What cannot be
taken is said in a sentence, in the student's language.
"""

from __future__ import annotations

import os
from pathlib import Path

from course.collecting.choosing import Candidate, choose
from course.collecting.owners import by_student
from course.collecting.receipts import Receipt, keep
from course.collecting.received import NotCollected, ReceivedFile
from course.collecting.sources import received
from course.collecting.work import TooMuch, Work
from course.lesson.assignment import Assignment
from course.lesson.folder import CourseFolder
from course.submission import attachments
from course.submission.notes import Note
from course.text import Problem
from helpers.platforms import RESULTS
from helpers.writing import DISK_REFUSES, write_if_changed


def collect(
    source: Path, submitted: Path, assignment: Assignment, student: str | None = None
) -> list[Receipt]:
    """Take in everything under `source` for one lesson; one receipt a student, in order of their ids."""
    receipts = []
    found = by_student(received(source, assignment.lesson), assignment.lesson, student)
    for name, files in sorted(found.items()):
        try:
            receipts.append(_take(name, files, submitted, assignment))
        except NotCollected:
            raise
        except Exception as problem:  # one student's file, whatever is wrong with it, stops nobody else
            if getattr(problem, "errno", None) in DISK_REFUSES:
                raise
            receipts.append(Receipt(name, notes=[Note("intake.failed", type(problem).__name__)]))
    return receipts


def collect_into(
    folder: CourseFolder, lesson: str, source: Path, student: str | None = None
) -> list[Receipt]:
    """Take in for a course folder; what cannot be taken in at all is a Problem."""
    if not os.path.lexists(source):
        raise Problem("intake.missing", path=source)
    try:
        return collect(source, folder.root / "submitted", folder.assignment(lesson), student)
    except NotCollected as problem:
        raise Problem(problem.key, cell=problem.about or source) from None


def _take(student: str, files: list[ReceivedFile], submitted: Path, assignment: Assignment) -> Receipt:
    """Put the student's notebook in its place, if there is one, and a receipt beside it."""
    receipt = Receipt(student)
    folder = submitted / student / assignment.lesson
    try:
        chosen = _chosen(files, assignment, receipt)
    except TooMuch as problem:
        receipt.notes, chosen = [problem.note], None
    _make_folder(folder)
    if chosen is None:
        keep(receipt, folder, b"")
        return receipt
    chosen, data = chosen
    receipt.source, receipt.language, receipt.taken = str(chosen.file.path), chosen.hand_in.language, True
    receipt.notes += [note for note in chosen.hand_in.notes if note not in receipt.notes]
    receipt.changed = write_if_changed(folder / f"{assignment.lesson}.ipynb", data)
    keep(receipt, folder, data)
    return receipt


def _chosen(
    files: list[ReceivedFile], assignment: Assignment, receipt: Receipt
) -> tuple[Candidate, bytes] | None:
    """The student's notebook, if there is one, and its bytes with the result files that came with it."""
    work = Work(files)
    said: list[Note] = []
    chosen = choose(work, assignment, said)
    data = _with_results(chosen.hand_in.data, work, said) if chosen is not None else b""
    receipt.notes = [*work.notes, *said]
    return None if chosen is None else (chosen, data)


def _with_results(notebook: bytes, work: Work, notes: list[Note]) -> bytes:
    """The notebook with the result files that came with it."""
    small = [file for file in work.files if attachments.may_be_result(file.path, file.size)]
    small.sort(key=lambda file: RESULTS not in file.path.parts)  # those in a folder of results come first
    results = attachments.results_in((file.path, work.data(file)) for file in small)
    if not results:
        return notebook
    notes.append(Note("intake.results", ", ".join(sorted(results))))
    return attachments.attach(notebook, results)


def _make_folder(folder: Path) -> None:
    """The student's folder under `submitted/`, made of real folders all the way down."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink() or folder.parent.is_symlink():
        raise NotCollected("intake.link", str(folder))
