"""Refusals: what a disk or a database refused a command, as one sentence with the way out.

Told by their kind, for every command at once; the database's classes are known by name, since a command that
opens none has not loaded them.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator

from course.text import say

OF_THE_DISK = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EFBIG: "disk_full",
    errno.EROFS: "read_only",
    errno.EACCES: "no_permission",
    errno.EPERM: "no_permission",
}
# What SQLite says; PostgreSQL's codes stand in its manual, "PostgreSQL Error Codes".
OF_SQLITE = {
    "is locked": "book_locked",
    "readonly database": "book_read_only",
    "disk is full": "disk_full",
    "disk i/o error": "disk_failed",
    "unable to open": "book_unopened",
    "not a database": "book_damaged",
    "malformed": "book_damaged",
}
OF_POSTGRESQL = {
    "53100": "disk_full",
    "55P03": "book_locked",
    "40P01": "book_locked",
    "25006": "book_read_only",
    "42501": "book_read_only",
    "58030": "disk_failed",
    "XX001": "book_damaged",
}
MISSING = {"NoResultFound", "NoSuchTableError", "MissingEntry"}


def refusal(problem: BaseException) -> str | None:
    """Why the disk or the gradebook did not let the command go on; None for any other problem."""
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(problem).__mro__}
    names = {kind.rpartition(".")[2] for kind in kinds}
    if names & MISSING or (kinds & {"sqlalchemy.InvalidRequestError"} and "reflect" in str(problem)):
        return say("refusal.book_incomplete")
    if kinds & {"sqlalchemy.DBAPIError", "sqlite3.Error", "psycopg.Error"}:
        return _of_database(problem)
    return _of_system(problem) if isinstance(problem, OSError) else None


def _of_system(problem: OSError) -> str | None:
    """A full or protected disk, a path that is not what it should be, a connection that is none."""
    if problem.errno in OF_THE_DISK or problem.filename is not None:
        kind = OF_THE_DISK.get(problem.errno, "other")
        return say(f"refusal.{kind}", path=problem.filename or "–", reason=problem.strerror)
    connects = isinstance(problem, (ConnectionError, TimeoutError)) or "connect" in str(problem)
    return say("refusal.unreachable", reason=str(problem).rstrip(".")) if connects else None


def _of_database(problem: BaseException) -> str:
    said = getattr(problem, "orig", None) or problem
    reason = " ".join(str(said).split())
    return say(f"refusal.{next(_kinds(said, reason), 'book_other')}", reason=reason.rstrip("."))


def _kinds(said: BaseException, reason: str) -> Iterator[str]:
    """How the database names it: PostgreSQL by a code, SQLite in words."""
    code = getattr(said, "sqlstate", None)
    if code in OF_POSTGRESQL:
        yield OF_POSTGRESQL[code]
    if type(said).__module__.startswith("psycopg") and code is None:
        yield "book_unreachable"
    yield from (kind for words, kind in OF_SQLITE.items() if words in reason.lower())
