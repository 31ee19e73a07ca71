"""A submission's cells as plain data, of bounded number and size, whatever the file held in their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from course.submission.untouched import squeezed
from helpers.names import defined

CELLS = 1_000
SOURCE_CHARACTERS = 200_000
SOURCES_CHARACTERS = 4_000_000
LABEL_CHARACTERS = 200


@dataclass(frozen=True)
class SubmittedCell:
    """One cell as the student handed it in."""

    number: int
    kind: str
    source: str
    labels: tuple[str, ...] = ()

    @cached_property
    def squeezed(self) -> str:
        """Its text without white space."""
        return squeezed(self.source)

    @cached_property
    def defines(self) -> set[str]:
        """The names that it binds."""
        return defined(self.source)


def submitted_cells(notebook: Mapping) -> Iterator[SubmittedCell]:
    """The cells of a notebook; what is no cell is passed over."""
    cells = notebook.get("cells", [])
    room = SOURCES_CHARACTERS
    for number, cell in enumerate(cells[:CELLS] if isinstance(cells, list) else []):
        if isinstance(cell, Mapping):
            kind = cell.get("cell_type")
            source = _clean(_joined(cell.get("source", cell.get("input", ""))))[: max(room, 0)]
            room -= len(source)
            yield SubmittedCell(
                number, kind if kind in ("code", "markdown", "raw") else "code", source, _labels(cell)
            )


def _joined(source: object) -> str:
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def _labels(cell: Mapping) -> tuple[str, ...]:
    metadata = cell.get("metadata")
    grader = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    labels = (grader.get("grade_id") if isinstance(grader, Mapping) else None, cell.get("id"))
    return tuple(label[:LABEL_CHARACTERS] for label in labels if isinstance(label, str))


def _clean(text: str) -> str:
    """Text that a file can hold: half characters replaced, one kind of line end, bounded."""
    text = text[:SOURCE_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
