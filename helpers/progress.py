"""What was right in this folder, and which hints were opened: a small file that outlives the kernel.

`progress.json` lies where results would: in the notebook's folder, on Colab in Google Drive once it is there.
It names no person, and nobody's marks depend on it. A file that cannot be read counts as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from helpers import platforms, writing

FILE = "progress.json"
FORMAT = "iteration-budget-progress/v1"
MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Remembered:
    """What is known of an exercise: the digest of the definition that was right ("" where none is), the idea
    that its check named last, the idea that a hint was about, and how many hints were opened."""

    right: str = ""
    idea: str = ""
    told: str = ""
    hints: int = 0

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Remembered:
        """From the file; TypeError for what was not written by us."""
        made = cls(**{one.name: data[one.name] for one in fields(cls) if one.name in data})
        if not all(isinstance(text, str) for text in (made.right, made.idea, made.told)):
            raise TypeError("right, idea and told must be text")
        if type(made.hints) is not int or not 0 <= made.hints < 1_000_000:
            raise TypeError(f"hints must be a small whole number, got {made.hints!r}")
        return made

    def to_dict(self) -> dict[str, Any]:
        """As the file holds it: what says nothing is left out."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name))}


@dataclass(frozen=True)
class Progress:
    """What a folder's file knows, by lesson and exercise; `is_damaged` where it could not be read."""

    path: Path
    known: Mapping[tuple[str, str], Remembered] = field(default_factory=dict)
    is_damaged: bool = False

    def of(self, lesson: str, exercise: str) -> Remembered:
        """What is known of one exercise."""
        return self.known.get((lesson, exercise), Remembered())

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons of which something is known."""
        return tuple(dict.fromkeys(lesson for lesson, _ in self.known))

    def to_dict(self) -> dict[str, Any]:
        """The file's content."""
        found: dict[str, dict[str, Any]] = {}
        for (lesson, exercise), one in self.known.items():
            found.setdefault(lesson, {})[exercise] = one.to_dict()
        return {"format": FORMAT, "lessons": found}


def read(folder: Path | None = None) -> Progress:
    """What is known in this folder, or in the one that stays on this platform."""
    path = (folder or platforms.detect().folder) / FILE
    try:
        if path.stat().st_size > MAX_BYTES:
            return Progress(path, is_damaged=True)
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            return Progress(path, is_damaged=True)
        entries = ((a, b, one) for a, group in data["lessons"].items() for b, one in group.items())
        return Progress(path, {(a, b): Remembered.of(one) for a, b, one in entries})
    except FileNotFoundError:
        return Progress(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Progress(path, is_damaged=True)


def keep(lesson: str, exercise: str, folder: Path | None = None, **changes: Any) -> Remembered:
    """Change what is known of one exercise, and write it down; where that cannot be, nothing changes."""
    before = read(folder)
    one = replace(before.of(lesson, exercise), **changes)
    if one != before.of(lesson, exercise) or before.is_damaged:
        after = replace(before, known={**before.known, (lesson, exercise): one})
        text = json.dumps(after.to_dict(), ensure_ascii=False, indent=1, sort_keys=True)
        try:
            writing.replace(before.path, f"{text}\n".encode())
        except OSError:  # a lesson goes on without its memory
            return before.of(lesson, exercise)
    return one
