"""A file that a student handed in: bytes in, the cells of a notebook out, with notes on what was put right.

Nothing in the bytes is trusted: size, depth, encoding and the type of every part are checked before they
are used.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from course.submission.files import FILE_BYTES
from course.submission.foreign_json import parsed
from course.submission.notes import Note
from course.submission.submitted_cells import CELLS

SPEAKS = re.compile(r"speak\((?:\\?[\"'])(\w\w)")
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
FOREIGN_STARTS = (
    (b"%PDF", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"\xd0\xcf\x11\xe0", "office"),
    (b"\x89PNG", "picture"),
)


@dataclass(frozen=True)
class ReadNotebook:
    """The notebook as plain dictionaries, or none and a note that says why."""

    notebook: dict
    notes: tuple[Note, ...] = ()

    @property
    def readable(self) -> bool:
        """False when the file was no notebook at all."""
        return not any(note.key.startswith("unreadable.") for note in self.notes)


def read(data: bytes) -> ReadNotebook:
    """The notebook in these bytes, whatever an editor made of its encoding, or an older nbformat of its
    cells."""
    notes: list[Note] = []
    try:
        notebook = _parsed(_decoded(data, notes))
        return ReadNotebook({**notebook, "cells": _cells(notebook, notes)}, tuple(notes))
    except _Unreadable as problem:
        return ReadNotebook(_nothing(data), (Note(f"unreadable.{problem}"),))


def _nothing(data: bytes) -> dict:
    """A notebook with nothing in it but the language that the broken file still shows."""
    spoken = SPEAKS.search(data[:FILE_BYTES].decode("utf-8", "replace"))
    metadata = {"iteration_budget": {"language": spoken.group(1)}} if spoken else {}
    return {"cells": [], "metadata": metadata}


class _Unreadable(Exception):
    pass


def _decoded(data: bytes, notes: list[Note]) -> str:
    if not data.strip(b"\0 \t\r\n"):
        raise _Unreadable("empty")
    if len(data) > FILE_BYTES:
        raise _Unreadable("too_large")
    for start, kind in FOREIGN_STARTS:
        if data.startswith(start):
            raise _Unreadable(kind)
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "utf-8":
            notes.append(Note("repaired.encoding", encoding.upper().replace("-SIG", " (BOM)")))
        return text
    raise _Unreadable("not_json")


def _encodings(data: bytes) -> Iterator[str]:
    marked = [encoding for mark, encoding in MARKS if data.startswith(mark)]
    if marked:
        return iter(marked[:1])
    if data[1:2] == b"\0":
        return iter(["utf-16-le"])
    return iter(["utf-16-be"] if data[:1] == b"\0" else ["utf-8", "gb18030"])


def _parsed(text: str) -> dict:
    try:
        found = parsed(text.lstrip("\ufeff \t\r\n"))
    except ValueError:
        raise _Unreadable("not_json") from None
    if not isinstance(found, dict) or not {"cells", "worksheets", "nbformat"} & set(found):
        raise _Unreadable("not_notebook")
    return found


def _cells(notebook: dict, notes: list[Note]) -> list[Any]:
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        cells = list(_of_worksheets(notebook.get("worksheets")))
        notes.append(Note("repaired.nbformat"))
    if (cells or "worksheets" in notebook or notebook.get("cells") is None) and not any(
        isinstance(cell, dict) for cell in cells
    ):
        raise _Unreadable("not_notebook")
    if len(cells) > CELLS:
        notes.append(Note("repaired.too_many_cells", str(CELLS)))
    return cells


def _of_worksheets(worksheets: object) -> Iterator[Any]:
    """The cells of nbformat 3, whose code cells call their source `input`."""
    for sheet in worksheets if isinstance(worksheets, list) else []:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        yield from cells if isinstance(cells, list) else []
