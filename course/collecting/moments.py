"""Moments: when something was handed in, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Literal

from course.text import Problem

Source = Literal["option", "lms", "zip", "file", "collected"]

FORMAT = "%Y-%m-%d %H:%M:%S UTC"
FIRST = datetime(1990, 1, 1, tzinfo=timezone.utc)  # a zip without times says 1980
AHEAD = timedelta(days=1)  # more than any two clocks and time zones differ by mistake


@dataclass(frozen=True)
class Moment:
    """A time in UTC, and its source: the option, the learning platform, a zip's entry, the file on the disk,
    or nothing but that it was collected then."""

    time: datetime
    source: Source

    @property
    def is_told(self) -> bool:
        """True when somebody says when it was handed in; a file on the disk only shows an order."""
        return self.source in ("option", "lms", "zip")

    @property
    def text(self) -> str:
        """The time as receipts hold it."""
        return self.time.strftime(FORMAT)


def moment(time: datetime, source: Source, now: datetime | None = None) -> Moment | None:
    """The moment, to the second; none where the time cannot be one. Without a zone it is this machine's."""
    try:
        utc = time.astimezone(timezone.utc).replace(microsecond=0)
    except (OverflowError, OSError, ValueError):
        return None
    latest = (now or datetime.now(timezone.utc)) + AHEAD
    return Moment(utc, source) if FIRST < utc < latest else None


def written(text: object, source: Source) -> Moment | None:
    """A moment as a receipt holds it."""
    try:
        return Moment(datetime.strptime(str(text), FORMAT).replace(tzinfo=timezone.utc), source)
    except ValueError:
        return None


def told(text: str | None) -> Moment | None:
    """The moment that the instructor names, in ISO 8601. Raises Problem where it is none."""
    if text is None:
        return None
    try:
        found = moment(datetime.fromisoformat(text.replace("Z", "+00:00")), "option")
    except ValueError:
        found = None
    if found is None:
        raise Problem("intake.no_time", got=text)
    return found
