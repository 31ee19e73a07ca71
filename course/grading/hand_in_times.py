"""Times of hand-ins, as the receipts beside the works say them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from course.grading.graded_log import LOG
from course.lesson.folder import CourseFolder
from course.submission.files import RECEIPT, json_object


def received(folder: Path, sha256: str) -> datetime | None:
    """When the work with this digest came in (UTC); a time that anybody else wrote there counts for
    nothing."""
    receipt = json_object(folder / RECEIPT)
    if receipt.get("sha256") != sha256:
        return None
    with contextlib.suppress(KeyError, ValueError, TypeError):
        return datetime.strptime(receipt["time"], "%Y-%m-%d %H:%M:%S UTC")
    return None


def graded(folder: CourseFolder, lesson: str, students: Iterable[str]) -> Iterator[tuple[str, datetime]]:
    """The time of each student's graded work; a newer work that waits to be graded says nothing of it."""
    for student in students:
        log = json_object(folder.autograded(student, lesson).with_name(LOG))
        time = received(folder.submitted(student, lesson).parent, str(log.get("submission_sha256")))
        if time is not None:
            yield student, time
