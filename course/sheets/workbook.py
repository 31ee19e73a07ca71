"""Sheets of an XLSX workbook of which single cells are filled in; all else stays."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

MOST_ROWS, MOST_COLUMNS = 20_000, 500
SAFE_NUMBER = 10**15  # a spreadsheet keeps 15 digits of a number
DROPPED = re.compile(r"xl/(?:media|drawings|charts|ctrlProps|activeX|slicers)/[^/]+")


class DamagedWorkbook(Exception):
    """Bytes that are no workbook, or one that is too large."""


@dataclass
class WorkbookFile:
    """A workbook, loaded twice: as it is written back, and with the values that its formulas last had.

    Never in openpyxl's read-only mode, which believes the dimension that a sheet declares: some universities'
    sheets declare A1 and hold 146 rows.
    """

    content: bytes

    def tables(self) -> list[SheetTable]:
        """Its visible sheets."""
        names = [sheet.title for sheet in self.kept.worksheets if sheet.sheet_state == "visible"]
        return [SheetTable(self, name) for name in names]

    @cached_property
    def kept(self) -> Workbook:
        """What is written back."""
        return self._load(rich_text=True, keep_vba="xl/vbaProject.bin" in self.parts)

    @cached_property
    def valued(self) -> Workbook:
        """What is read."""
        return self._load(data_only=True)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names of the files that the workbook is made of."""
        try:
            return frozenset(zipfile.ZipFile(io.BytesIO(self.content)).namelist())
        except zipfile.BadZipFile as problem:
            raise DamagedWorkbook(type(problem).__name__) from None

    def data(self) -> bytes:
        """The workbook's bytes with the cells that were set."""
        written = io.BytesIO()
        self.kept.save(written)
        return written.getvalue()

    def _load(self, **how: bool) -> Workbook:
        import warnings

        import openpyxl

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return openpyxl.load_workbook(io.BytesIO(self.content), **how)
            except Exception as problem:  # openpyxl raises whatever its parsers meet
                raise DamagedWorkbook(type(problem).__name__) from None


@dataclass
class SheetTable:
    """One sheet as a table; `set` fills in a cell, `data` is the whole workbook."""

    file: WorkbookFile
    name: str

    @cached_property
    def rows(self) -> list[list[str]]:
        """The text of every cell, as the sheet shows it; one merged across columns says the same in each."""
        sheet = self.file.valued[self.name]
        if sheet.max_row > MOST_ROWS or sheet.max_column > MOST_COLUMNS:
            raise DamagedWorkbook(f"{sheet.max_row} × {sheet.max_column}")
        rows = [[_shown(cell.value, cell.number_format) for cell in row] for row in sheet.iter_rows()]
        for area in sheet.merged_cells.ranges:
            for row, column in ((area.min_row, place) for place in range(area.min_col, area.max_col + 1)):
                rows[row - 1][column - 1] = rows[row - 1][area.min_col - 1]
        return rows

    def set(self, row: int, column: int, value: float) -> None:
        """Put a number into a cell, both counted from 0."""
        rounded = round(value, 2)
        self._sheet.cell(row + 1, column + 1).value = int(rounded) if rounded == int(rounded) else rounded

    def rounded(self, row: int, column: int) -> bool:
        """True for a number with more digits than a spreadsheet keeps."""
        value = self.file.valued[self.name].cell(row + 1, column + 1).value
        return isinstance(value, (int, float)) and abs(value) >= SAFE_NUMBER

    def computed(self, row: int, column: int) -> bool:
        """True for a formula and for the inner part of a merged cell: neither is to be written over."""
        cell = self._sheet.cell(row + 1, column + 1)
        return type(cell).__name__ == "MergedCell" or cell.data_type == "f"

    @property
    def lost(self) -> tuple[str, ...]:
        """The parts of the workbook, such as pictures, that writing drops."""
        before = {name for name in self.file.parts if DROPPED.fullmatch(name)}
        after = zipfile.ZipFile(io.BytesIO(self.data())).namelist() if before else []
        return tuple(sorted(before - set(after)))

    def data(self) -> bytes:
        """The workbook's bytes with the cells that were set."""
        return self.file.data()

    @cached_property
    def _sheet(self) -> Worksheet:
        return self.file.kept[self.name]


def _shown(value: Any, pattern: str) -> str:
    """A value as a person sees it: whole numbers without a point, and with the zeros that a format adds."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value)
    if isinstance(value, float) and value == int(value):
        value = int(value)
    if isinstance(value, int):
        return f"{value:0{len(pattern)}d}" if re.fullmatch("0+", pattern or "") else str(value)
    return str(value).strip()
