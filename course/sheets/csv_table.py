"""A CSV file of which single cells are replaced; all its other bytes stay as they are."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cached_property

SEPARATORS = (",", ";", "\t")
LOOKED_AT = 40
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
NAMED_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
FORMULA_TEXT = re.compile(r'="(.*)"')
SHORTENED = re.compile(r"\d(?:[.,]\d+)?E\+?\d+", re.IGNORECASE)  # what a spreadsheet made of a long number


class UnknownEncoding(Exception):
    """Bytes that are no text in any encoding that is tried."""


@dataclass(frozen=True)
class _Field:
    """One cell as it stands in the file, quotes included, and what ends it: a separator or the line's end."""

    raw: str
    end: str

    @property
    def text(self) -> str:
        """What the cell says; `="00123"`, which keeps a spreadsheet from computing, says 00123."""
        raw = self.raw.strip()
        if raw[:1] == '"':
            raw = raw[1:].rpartition('"')[0].replace('""', '"')
        formula = FORMULA_TEXT.fullmatch(raw.strip())
        return (formula[1] if formula else raw).strip()


@dataclass
class CsvTable:
    """The rows of a CSV file; `set` replaces a cell, `data` is the file with the cells replaced."""

    content: bytes
    name: str = ""
    _set: dict[int, dict[int, str]] = field(default_factory=dict)

    @cached_property
    def rows(self) -> list[list[str]]:
        """The text of every cell, without quotes and without space around it."""
        return [[cell.text for cell in row] for row in self._rows]

    def set(self, row: int, column: int, value: float) -> None:
        """Put a number into a cell, both counted from 0, with the file's own decimal sign."""
        text = number(value)
        text = text.replace(".", ",") if self._decimal_comma else text
        self._set.setdefault(row, {})[column] = text

    def rounded(self, row: int, column: int) -> bool:
        """True where a spreadsheet has written a long number like 2.02E+11, so that its digits are gone."""
        return bool(SHORTENED.fullmatch(self.rows[row][column]))

    def computed(self, row: int, column: int) -> bool:
        """True for a formula: CSV has none."""
        return False

    @property
    def lost(self) -> tuple[str, ...]:
        """What writing drops: nothing."""
        return ()

    def data(self) -> bytes:
        """The file's bytes with the cells that were set."""
        changed = [self._line(number, row) for number, row in enumerate(self._rows)]
        return self._mark + (self._head + "".join(changed)).encode(self._encoding)

    def _line(self, number: int, row: list[_Field]) -> str:
        wanted, fields = self._set.get(number, {}), list(row)
        while wanted and max(wanted) >= len(fields):
            fields[-1], last = _Field(fields[-1].raw, self._separator), fields[-1].end
            fields.append(_Field("", last))
        for column, text in wanted.items():
            fields[column] = _Field(self._written(text, fields[column].raw), fields[column].end)
        return "".join(one.raw + one.end for one in fields)

    def _written(self, text: str, before: str) -> str:
        return f'"{text}"' if before.lstrip()[:1] == '"' or self._separator in text else text

    @cached_property
    def _mark(self) -> bytes:
        return next((mark for mark in MARKS if self.content.startswith(mark)), b"")

    @cached_property
    def _encoding(self) -> str:
        return MARKS[self._mark] if self._mark else encoding_of(self.content)

    @cached_property
    def _text(self) -> str:
        content = self.content[len(self._mark) :]
        try:
            text = content.decode(self._encoding)
        except UnicodeError:
            raise UnknownEncoding from None
        if text.encode(self._encoding) != content:
            raise UnknownEncoding
        return text

    @cached_property
    def _head(self) -> str:
        """A first line that only names the separator."""
        named = NAMED_SEPARATOR.match(self._text)
        return named[0] if named else ""

    @cached_property
    def _separator(self) -> str:
        if self._head:
            return self._head[4]
        counts = {
            one: sum(len(row) - 1 for row in _parsed(self._text, one)[:LOOKED_AT]) for one in SEPARATORS
        }
        return max(SEPARATORS, key=counts.__getitem__)

    @cached_property
    def _rows(self) -> list[list[_Field]]:
        return _parsed(self._text[len(self._head) :], self._separator)

    @cached_property
    def _decimal_comma(self) -> bool:
        cells = [text for row in self.rows for text in row]
        commas = sum(bool(re.fullmatch(r"-?\d+,\d{1,2}", text)) for text in cells)
        return commas > sum(bool(re.fullmatch(r"-?\d+\.\d+", text)) for text in cells)


def number(value: float) -> str:
    """A number with two decimals at most, as learning platforms write it."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def encoding_of(content: bytes) -> str:
    """The encoding of a text without a byte order mark: UTF-16 by its zeros, UTF-8, GB18030, Windows-1252.

    A Chinese character takes two bytes and more; where nearly every byte above 127 stands alone, the text is
    a western one.
    """
    start = content[:4000]
    if start.count(0) > len(start) // 4:
        return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", content)]
        return "cp1252" if sum(length == 1 for length in runs) > len(runs) // 2 else "gb18030"
    return "utf-8"


def _parsed(text: str, separator: str) -> list[list[_Field]]:
    mark = re.escape(separator)
    cell = re.compile(
        rf'( *"(?:[^"]|"")*"[^{mark}\r\n]*|[^{mark}\r\n]*)({mark}|\r\n|\n|\r|\Z)',
    )
    rows: list[list[_Field]] = [[]]
    place = 0
    while place < len(text):
        found = cell.match(text, place)
        rows[-1].append(_Field(found[1], found[2]))
        place = found.end()
        if found[2] != separator:
            rows.append([])
    if text.endswith(separator):
        rows[-1].append(_Field("", ""))
    return [row for row in rows if row]
