"""Reading: a file of any kind that universities export, as its tables; what it is, its content says."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from course.sheets.csv_table import CsvTable, UnknownEncoding
from course.sheets.workbook import DamagedWorkbook, WorkbookFile
from course.text import Problem

FILE_BYTES = 50_000_000
OLD_OFFICE, ZIP = b"\xd0\xcf\x11\xe0", b"PK"


class StudentTable(Protocol):
    """What a roster and an export need of a table; rows and columns count from 0."""

    name: str

    @property
    def rows(self) -> list[list[str]]:
        """The text of every cell."""

    @property
    def lost(self) -> tuple[str, ...]:
        """What writing drops."""

    def set(self, row: int, column: int, value: float) -> None:
        """Put a number into a cell."""

    def rounded(self, row: int, column: int) -> bool:
        """True where a spreadsheet has lost digits of a long number."""

    def computed(self, row: int, column: int) -> bool:
        """True for a cell that must not be written over."""

    def data(self) -> bytes:
        """The whole file with the cells that were set."""


def read(path: Path, sheet: str | None = None) -> list[StudentTable]:
    """The tables of a file, or the one named `sheet`; a Problem says what it is instead."""
    content = _content(path)
    try:
        tables = _tables(path, content)
        for table in tables:
            table.rows  # noqa: B018 what is wrong with a file is said here
    except DamagedWorkbook as problem:
        raise Problem("sheets.damaged", path=path, reason=problem) from None
    except UnknownEncoding:
        raise Problem("sheets.encoding", path=path) from None
    if sheet is None:
        return tables
    chosen = [table for table in tables if table.name == sheet]
    if not chosen:
        names = ", ".join(table.name for table in tables if table.name)
        raise Problem("sheets.no_sheet", path=path, got=sheet, known=names or "-")
    return chosen


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > FILE_BYTES:
            raise Problem("sheets.large", path=path, most=FILE_BYTES // 10**6)
        content = path.read_bytes()
    except FileNotFoundError:
        raise Problem("sheets.missing", path=path) from None
    except OSError as problem:
        raise Problem("sheets.unreadable", path=path, reason=problem.strerror) from None
    if not content.strip():
        raise Problem("sheets.empty", path=path)
    return content


def _tables(path: Path, content: bytes) -> list[StudentTable]:
    if content.startswith(ZIP):
        return list(WorkbookFile(content).tables())
    start = content[:2000].lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    if content.startswith(OLD_OFFICE) or start.startswith(
        (b"<html", b"<!doctype", b"<table", b"<?xml", b"%pdf")
    ):
        raise Problem("sheets.old", path=path)
    return [CsvTable(content)]
