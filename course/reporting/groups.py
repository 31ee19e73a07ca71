"""Groups: who handed in together, as the receipts say; what they share is no look-alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from course.lesson.folder import CourseFolder
from course.submission.files import RECEIPT, json_object

TOGETHER = "intake.group"

Groups = Mapping[str, frozenset[str]]


def of(folder: CourseFolder, lesson: str, students: Iterable[str]) -> Groups:
    """For each of these who belongs to a group everybody in it."""
    found = {}
    for student in students:
        receipt = json_object(folder.submitted(student, lesson).with_name(RECEIPT))
        others = [note["cell"] for note in receipt.get("notes", []) if note.get("key") == TOGETHER]
        if others:
            found[student] = frozenset({student, *", ".join(others).split(", ")})
    return found


def are_one(students: Collection[str], groups: Groups) -> bool:
    """True when all of these handed in together."""
    return any(set(students) <= group for group in groups.values())
