"""A finding: one thing that keeps a lesson from being given out, said with the file and the cell."""

from __future__ import annotations

from dataclasses import dataclass

from course.text import say


@dataclass(frozen=True)
class ReleaseFinding:
    """One thing that keeps a release from going out, or a committed one from being current."""

    kind: str
    values: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, kind: str, /, **values: object) -> ReleaseFinding:
        return cls(kind, tuple(values.items()))

    def __str__(self) -> str:
        return say(f"release.{self.kind}", **dict(self.values))
