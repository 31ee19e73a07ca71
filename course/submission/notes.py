"""Notes: what was put right on the way, as data; a sentence is made of it for whoever reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """One thing that was put right: a key of the catalog, and the cell it is about."""

    key: str
    cell: str = ""

    @property
    def unreadable(self) -> bool:
        """True when the file was no notebook at all."""
        return self.key.startswith("unreadable.")


def in_words(notes: Iterable[Note], say: Callable[..., str]) -> list[str]:
    """The notes as sentences, one for each kind."""
    cells: dict[str, list[str]] = {}
    for note in notes:
        cells.setdefault(note.key, []).append(note.cell)
    return [say(key, cell=", ".join(named)) for key, named in cells.items()]
