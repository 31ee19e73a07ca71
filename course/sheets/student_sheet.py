"""Student sheets: a table's header and the lines below it that are students."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from course.sheets import columns, reading
from course.sheets.columns import Columns, Kind
from course.sheets.reading import StudentTable
from course.text import Problem

KEYS: tuple[Kind, ...] = ("id", "login", "email", "lms")
ID_CHARACTERS, ID_BYTES = 80, 200
NO_STUDENTS = re.compile(r"\s*(?:points possible|student, test|test student)\s*", re.IGNORECASE)
PLAUSIBLE = re.compile(r"(?=.*[A-Za-z0-9])[^\s:：,，;；]+")


@dataclass(frozen=True)
class SheetLine:
    """One student's line: where it stands (row from 0), and what it says about the student."""

    row: int
    said: Mapping[Kind, str]

    @property
    def name(self) -> str:
        """The name as the sheet writes it."""
        first, last = self.said.get("first", ""), self.said.get("last", "")
        return self.said.get("name") or full_name(first, last)

    @property
    def split_name(self) -> tuple[str, str]:
        """First and last name where the sheet tells them apart, else nothing and the whole name."""
        if self.said.get("name"):
            last, comma, first = self.said["name"].partition(", ")
            return (first, last) if comma else ("", self.said["name"])
        return self.said.get("first", ""), self.said.get("last", "")


@dataclass(frozen=True)
class StudentSheet:
    """A table with a header that names students."""

    path: Path
    table: StudentTable
    columns: Columns

    @cached_property
    def lines(self) -> tuple[SheetLine, ...]:
        """The students' lines; one with a name only is among them."""
        rows = self.table.rows[self.columns.first_row :]
        found = (self._line(number, row) for number, row in enumerate(rows, self.columns.first_row))
        return tuple(line for line in found if line is not None)

    @cached_property
    def key(self) -> Kind:
        """The column that tells the students apart: the first that every line has, else the first."""
        there = [kind for kind in KEYS if any(kind in line.said for line in self.lines)]
        full = [kind for kind in there if all(kind in line.said for line in self.lines)]
        if not there:
            raise Problem("sheets.no_key", path=self.path)
        return (full or there)[0]

    def place(self, line: SheetLine, kind: Kind) -> str:
        """A cell as a person finds it, such as B7."""
        column = self.columns.of(kind)
        return f"{columns.letters(column.place) if column else ''}{line.row + 1}"

    def _line(self, number: int, row: list[str]) -> SheetLine | None:
        said: dict[Kind, str] = {}
        for column in self.columns.columns:
            text = row[column.place] if column.place < len(row) else ""
            if text and column.kind is not None:
                said.setdefault(column.kind, _identifier(text) if column.kind == "lms" else text)
        if self.columns.is_canvas and NO_STUDENTS.fullmatch(said.get("name", said.get("last", ""))):
            return None
        line = SheetLine(number, {kind: text for kind, text in said.items() if _plausible(kind, text)})
        return line if line.name or any(kind in line.said for kind in KEYS) else None


def find(path: Path, sheet: str | None = None, named: Mapping[Kind, str] | None = None) -> list[StudentSheet]:
    """The sheets of a file that name students; `named` says which titles hold what, whatever their words."""
    named = named or {}
    found = list(_found(path, sheet, named))
    if not found:
        raise Problem("sheets.no_header", path=path)
    return found


def student_id(text: str) -> str:
    """The id as a folder and nbgrader can bear it: letters of any script, digits, `.`, `_` and `-`."""
    text = unicodedata.normalize("NFC", text[:ID_CHARACTERS])
    text = re.sub(r"[^\w.-]+", "-", text).strip(".-")
    return text.encode("utf-8", "ignore")[:ID_BYTES].decode("utf-8", "ignore").strip(".-")


def full_name(first: str, last: str) -> str:
    """Both parts of a name in one: the family name first where it is Chinese."""
    return f"{last}{first}" if re.search("[\u3400-\u9fff]", last + first) else f"{first} {last}".strip()


def _found(path: Path, sheet: str | None, named: Mapping[Kind, str]) -> Iterator[StudentSheet]:
    for table in reading.read(path, sheet):
        header = columns.find(table.rows, list(named.values()))
        if header is not None:
            found = StudentSheet(path, table, _renamed(path, header, named))
            _refuse_two_lists(found)
            yield found


def _refuse_two_lists(sheet: StudentSheet) -> None:
    """Two lists side by side, each with its ids: half of the class would be passed over without a word."""
    first = sheet.columns.of("id")
    for other in sheet.columns.columns if first else ():
        same = other.kind == "id" and other.place != first.place
        if same and columns.plain(other.title) == columns.plain(first.title):
            for line in sheet.table.rows[sheet.columns.first_row :]:
                said = line[other.place] if other.place < len(line) else ""
                if said and said != line[first.place]:
                    raise Problem("sheets.two_lists", path=sheet.path, column=first.title)


def _renamed(path: Path, header: Columns, named: Mapping[Kind, str]) -> Columns:
    """The header with the columns that were named, and no other column of those kinds."""
    chosen: dict[int, Kind] = {}
    for kind, title in named.items():
        chosen[one_column(path, header, title).place] = kind
    changed = []
    for column in header.columns:
        kind = chosen.get(column.place, None if column.kind in named else column.kind)
        changed.append(columns.Column(column.place, column.title, kind))
    return Columns(header.row, header.first_row, tuple(changed))


def one_column(path: Path, header: Columns, title: str) -> columns.Column:
    """The one column with this title; a Problem where there is none, or more than one."""
    found = header.named(title)
    if len(found) != 1:
        shown = found or [column for column in header.columns if column.title]
        known = ", ".join(f"{columns.letters(one.place)} {one.title}" for one in shown)
        raise Problem(
            "sheets.which_column" if found else "sheets.no_column", path=path, got=title, known=known
        )
    return found[0]


def _plausible(kind: Kind, text: str) -> bool:
    """False for what stands in a column of ids and is no id, such as a line for a signature."""
    return kind not in KEYS or bool(PLAUSIBLE.fullmatch(text))


def _identifier(text: str) -> str:
    """The number in a learning platform's identifier, such as Participant 123 or 参与人123."""
    number = re.search(r"\d+$", text)
    return number[0] if number else text
