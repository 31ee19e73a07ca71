"""Account: what became of every file that came in, each in exactly one line; printed, and as a table."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from course.collecting.owners import Owner
from course.collecting.receipts import Receipt
from course.collecting.versions import Version
from course.submission.notes import Note, in_words
from course.text import say
from helpers import writing

FOLDER = "collected"
NO_HAND_IN = "account.no_hand_in"
COLUMNS = (
    "file", "became", "student", "owner_by", "on_roster", "version", "replaced", "time", "time_source", "key",
    "why",
)  # fmt: skip

# taken: it is the work, or belongs to it; aside: the student's, but nothing that the lesson needs
Became = Literal["taken", "equal", "older", "refused", "nobody", "aside", "system"]
ORDER: tuple[Became, ...] = ("taken", "equal", "older", "refused", "nobody", "aside", "system")
SHOWN = ("equal", "older", "refused", "nobody")


@dataclass(frozen=True)
class AccountLine:
    """What became of one file: whose it is and who says so, which version it is, which one it replaced,
    and why it was not taken."""

    file: str
    became: Became
    owner: Owner | None = None
    note: Note | None = None
    version: Version | None = None
    replaced: int | None = None
    is_work: bool = False

    @property
    def student(self) -> str:
        """Whose it is, by id; empty where it is nobody's."""
        return self.owner.id if self.owner is not None else ""

    @property
    def why(self) -> str:
        """Why it was not taken, and what to do, in the language spoken."""
        return in_words([self.note], say)[0] if self.note is not None else ""

    def as_row(self) -> dict[str, object]:
        """The line as the table has it."""
        owner, version = self.owner, self.version
        return {
            "file": _printable(self.file),
            "became": self.became,
            "student": self.student,
            "owner_by": owner.certainty if owner else "",
            "on_roster": ("yes" if owner.on_roster else "no") if owner else "",
            "version": version.number if version else "",
            "replaced": self.replaced or "",
            "time": version.moment.text if version else "",
            "time_source": version.moment.source if version else "",
            "key": self.note.key if self.note else "",
            "why": _printable(self.why),
        }


@dataclass
class Account:
    """What came of collecting: a receipt a student, and a line a file."""

    lesson: str
    receipts: list[Receipt] = field(default_factory=list)
    lines: list[AccountLine] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    table: Path | None = None

    def __iter__(self) -> Iterator[Receipt]:
        return iter(self.receipts)

    def __len__(self) -> int:
        return len(self.receipts)

    @property
    def counts(self) -> Counter[str]:
        """How many files became what."""
        return Counter(line.became for line in self.lines)

    @property
    def is_clean(self) -> bool:
        """True when everybody's work could be taken and nobody's file was left over."""
        left_over = (line for line in self.lines if line.became in ("refused", "nobody"))
        open_ends = any(line.note is None or line.note.key != NO_HAND_IN for line in left_over)
        return bool(self.receipts) and not open_ends and all(receipt.taken for receipt in self.receipts)

    def write(self, folder: Path) -> None:
        """Write the table of this run into a folder, beside those of earlier ones."""
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H-%M-%SZ")
        names = (f"{now}{f'-{number}' if number else ''}.csv" for number in range(10_000))
        self.table = next(folder / name for name in names if not (folder / name).exists())
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, COLUMNS)
        table.writeheader()
        table.writerows({key: _inert(value) for key, value in line.as_row().items()} for line in self.lines)
        writing.replace(self.table, b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "replace"))


def show(account: Account) -> None:
    """Print who handed in what, every other file that is not as it should be, and the sums."""
    said = {receipt.student: receipt.notes for receipt in account.receipts}
    for receipt in account.receipts:
        for text in _of_receipt(receipt):
            print(_printable(text))
    for line in account.lines:
        if line.became in SHOWN and not line.is_work and line.note not in said.get(line.student, []):
            print(_printable(_of_line(line)))
    for sentence in in_words(account.notes, say):
        print(_printable(sentence))
    counts = account.counts
    parts = [say(f"account.count.{became}", count=counts[became]) for became in ORDER if counts[became]]
    print(say("account.sum", count=len(account.lines), parts=say("account.comma").join(parts) or "0"))
    print(_summary(account))
    if account.table is not None:
        print(say("account.table", path=account.table))


def _of_receipt(receipt: Receipt) -> Iterator[str]:
    """A student's line, and what is to be said of the work."""
    values = {"student": receipt.student, "file": receipt.source or "-"}
    yield say(f"intake.{receipt.outcome}", **values)
    if receipt.outcome == "taken" and receipt.replaced:
        yield say(
            "intake.note", note=say("intake.replaced", version=receipt.version, replaced=receipt.replaced)
        )
    if receipt.outcome == "taken" and receipt.moment is not None:
        time = receipt.moment.time.astimezone()
        said = f"{time:%Y-%m-%d %H:%M:%S} (UTC{time:%z})"
        yield say("intake.note", note=say(f"intake.time.{receipt.moment.source}", time=said))
    owner = receipt.owner
    if owner is not None and owner.is_guess:
        yield say("intake.note", note=say(f"intake.{owner.certainty}", name=owner.name))
    if owner is not None and not owner.on_roster:
        yield say("intake.note", note=say("intake.not_on_roster", name=owner.name))
    yield from (say("intake.note", note=sentence) for sentence in in_words(receipt.notes, say))


def _of_line(line: AccountLine) -> str:
    values = {"file": line.file, "student": line.student or "-"}
    return say(f"account.{line.became}", **values, why=line.why or "-")


def _summary(account: Account) -> str:
    taken = sum(receipt.taken for receipt in account.receipts)
    refused, changed = len(account.receipts) - taken, sum(receipt.changed for receipt in account.receipts)
    return say("intake.summary", lesson=account.lesson, taken=taken, refused=refused, changed=changed)


def _inert(value: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def _printable(text: str) -> str:
    """Text that every terminal takes: names in a foreign encoding hold half characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
