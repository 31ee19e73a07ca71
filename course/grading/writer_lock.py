"""The lock of a course folder: one run at a time writes grades."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from course.lesson.folder import CourseFolder
from course.text import Problem

LOCK = ".grading.lock"


@contextlib.contextmanager
def only_writer(folder: CourseFolder) -> Iterator[None]:
    """Hold the folder's lock: a second run at the same time is refused. The system lets go of it in any
    case."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder.root / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Problem("grade.running", path=folder.root) from None
        yield
