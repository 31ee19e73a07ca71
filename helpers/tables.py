"""Small tables that read well in a notebook (HTML) and in a terminal (plain text)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from helpers.text import say

Cell = object
SHORT_CHARACTERS = 24  # what is no longer stays in one line; what is longer wraps
TABLE_STYLE = "table-layout:auto;width:auto;margin-left:0"


@dataclass(frozen=True)
class Table:
    """Rows under headings; numbers stand right, text left."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]

    def __repr__(self) -> str:
        widths = [max(map(_width, column)) for column in zip(self.headings, *self.rows, strict=True)]
        lines = [self._line(row, widths) for row in (self.headings, *self.rows)]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.headings)
        body = "".join(f"<tr>{self._html_cells(row)}</tr>" for row in self.rows)
        rows = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        whole = f'<table style="{TABLE_STYLE}">{rows}</table>'
        # wider than a phone, it is moved by finger or, with the focus in it, by arrow keys
        return f'<div style="overflow-x:auto" tabindex="0">{whole}</div>'

    def _html_cells(self, row: Sequence[str]) -> str:
        aligned = ("right" if right else "left" for right in self.numeric)
        cells = zip(row, aligned, strict=True)
        return "".join(
            f'<td style="text-align:{side};{_wrapping(text)}">{escape(text)}</td>' for text, side in cells
        )

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        cells = zip(row, widths, self.numeric, strict=True)
        return "  ".join(_padded(text, width, right) for text, width, right in cells)


def table(rows: Sequence[Mapping[str, Cell]]) -> Table:
    """A table from mappings with the same keys; a key `x` takes its heading from the phrase `column.x`.

    >>> table([{"batch": 1, "iteration_ms": 4.0939}])
    """
    if not rows:
        raise ValueError("rows must hold at least one row, got none")
    keys = list(rows[0])
    cells = tuple(tuple(shown(row[key]) for key in keys) for row in rows)
    numeric = tuple(all(_is_figure(row[key]) for row in rows) for key in keys)
    return Table(tuple(map(_heading, keys)), cells, numeric)


def shown(value: Cell) -> str:
    """A figure with four significant digits and thousands separated; None as a dash; lists joined."""
    if value is None:
        return "–"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(map(str, value)) or "–"
    if isinstance(value, float):
        return _float_shown(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _float_shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _heading(key: str) -> str:
    return say(f"column.{key}")


def _is_figure(value: Cell) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _wrapping(text: str) -> str:
    """A short cell is not broken; a long one wraps at a width that can be read."""
    is_short = _width(text) <= SHORT_CHARACTERS
    return "white-space:nowrap" if is_short else "min-width:14em;overflow-wrap:anywhere"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _padded(text: str, width: int, right: bool) -> str:
    gap = " " * (width - _width(text))
    return gap + text if right else text + gap
