"""Versions: every different work of a student in a lesson, kept; the newest that can be read is the one that
is graded.

The current one lies in `submitted/`, where nbgrader looks; the others in `versions/` beside that folder. The
receipt says of each when it was handed in and who says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from course.collecting.moments import Moment, Source, moment, written
from course.collecting.received import NotCollected
from course.lesson.assignment import Assignment
from course.submission.files import FILE_BYTES, RECEIPT, NotRegular, json_object, read_plain
from course.submission.hand_in import HandIn

FOLDER = "versions"

Outcome = Literal["taken", "equal", "older", "untouched"]


@dataclass(frozen=True)
class Version:
    """One work of a student: its bytes and its answers by their digests, when it was handed in, and which
    file it was. `seen` shows an order where nobody tells a time; `order` is a platform's number."""

    number: int
    sha256: str
    work: str
    moment: Moment
    file: str = ""
    seen: Moment | None = None
    order: int = 0

    @property
    def when(self) -> datetime:
        """By which two versions are put in order."""
        return self.seen.time if self.seen is not None and not self.moment.is_told else self.moment.time

    def is_before(self, other: Version) -> bool:
        """True when this one was handed in before the other, as far as anybody says."""
        if self.order and other.order:
            return self.order < other.order
        return self.when < other.when

    def as_record(self) -> dict:
        """What a receipt holds of it."""
        seen = {"seen": self.seen.text} if self.seen is not None else {}
        order = {"order": self.order} if self.order else {}
        about = {"version": self.number, "file": self.file, "sha256": self.sha256, "work": self.work}
        return about | {"time": self.moment.text, "time_source": self.moment.source} | seen | order


@dataclass
class Versions:
    """What is kept of one student's work in one lesson."""

    submitted: Path
    student: str
    assignment: Assignment
    kept: list[Version] = field(default_factory=list)
    current: Version | None = None
    data: bytes = b""

    @classmethod
    def read(cls, submitted: Path, student: str, assignment: Assignment) -> Versions:
        """From the receipt, as far as it fits the file that lies there: what is graded is the file."""
        found = cls(submitted, student, assignment)
        _require_real(found.folder)
        _require_real(found.beside)
        receipt = json_object(found.folder / RECEIPT)
        found.kept = sorted(_versions(receipt), key=lambda version: version.number)
        data, changed = found._data()
        if data is not None:
            found.data = data
            found.current = found._of(data, receipt, changed)
        return found

    @cached_property
    def hand_in(self) -> HandIn:
        """The current work, read again: what it came to may have changed with the lesson."""
        return HandIn.of(self.data, self.assignment)

    @property
    def folder(self) -> Path:
        """Where nbgrader looks for the work."""
        return self.submitted / self.student / self.assignment.lesson

    @property
    def path(self) -> Path:
        """The work that is graded."""
        return self.folder / f"{self.assignment.lesson}.ipynb"

    @property
    def beside(self) -> Path:
        """Where the other versions lie."""
        return self.submitted.parent / FOLDER / self.student / self.assignment.lesson

    @property
    def next_number(self) -> int:
        """The number of a version that is new."""
        return max((version.number for version in self.kept), default=0) + 1

    def place(self, version: Version) -> Path:
        """Where a version lies that is not the current one."""
        return self.beside / f"{version.number:03d}.ipynb"

    def judge(self, new: Version, hand_in: HandIn) -> tuple[Outcome, Version]:
        """What becomes of a work that can be read, and the version that it is."""
        if self.current is None:
            return "taken", new
        if new.sha256 == self.current.sha256 or new.work == self.hand_in.work:
            return "equal", self._earliest(new)
        known = next((version for version in self.kept if new.sha256 == version.sha256), None)
        known = known or next((version for version in self.kept if new.work == version.work), None)
        new = replace(new, number=known.number) if known is not None else new
        if not self.hand_in.readable or self.hand_in.is_answered < hand_in.is_answered:
            return "taken", new
        if self.hand_in.is_answered > hand_in.is_answered:
            return "untouched", new
        back = known is not None and not new.moment.is_told
        return ("older" if back or new.is_before(self.current) else "taken"), new

    def _earliest(self, new: Version) -> Version:
        """The current version, with the time of this one where that is better: told by the instructor, or
        told and earlier, or told at all."""
        known, told = self.current.moment, new.moment
        better = told.is_told and (not known.is_told or told.time < known.time)
        if told.source == "option" or better:
            return replace(self.current, moment=told)
        return self.current

    def _data(self) -> tuple[bytes | None, datetime]:
        try:
            data, status = read_plain(self.path)
        except NotRegular:
            return None, datetime.now(timezone.utc)
        return data[:FILE_BYTES], datetime.fromtimestamp(status.st_mtime, timezone.utc)

    def _of(self, data: bytes, receipt: Mapping, changed: datetime) -> Version:
        """The version that the file is; one that no receipt knows was put there by hand."""
        digest = hashlib.sha256(data).hexdigest()
        known = next((version for version in self.kept if version.sha256 == digest), None)
        if known is not None:
            return known
        here = moment(changed, "file") or Moment(
            datetime.now(timezone.utc).replace(microsecond=0), "collected"
        )
        when = (receipt.get("sha256") == digest and written(receipt.get("time"), "collected")) or here
        version = Version(self.next_number, digest, self.hand_in.work, when, seen=here)
        self.kept.append(version)
        return version


def _versions(receipt: Mapping) -> Iterable[Version]:
    """The versions that a receipt names; one written before there were versions names none."""
    records = receipt.get("versions")
    for record in records if isinstance(records, list) else []:
        source: Source = record.get("time_source") if isinstance(record, dict) else None
        told = written(record.get("time"), source) if source in get_args(Source) else None
        if told is None or not isinstance(record.get("version"), int):
            continue
        seen = written(record["seen"], "file") if "seen" in record else None
        names = (str(record.get(name, "")) for name in ("sha256", "work"))
        order = record.get("order") if isinstance(record.get("order"), int) else 0
        yield Version(record["version"], *names, told, str(record.get("file", "")), seen, order)


def _require_real(folder: Path) -> None:
    """The student's folder is made of real folders all the way down, or is not there yet."""
    if folder.is_symlink() or folder.parent.is_symlink():
        raise NotCollected("intake.link", str(folder))
