"""Received files: what came in, file by file, before anybody knows what it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

DEPTH = 8
NAME_CHARACTERS = 255  # what a disk bears; an archive may hold a name of 65,535
SKIPPED = re.compile(r"(^|/)(\.ipynb_checkpoints|__MACOSX|\.[^/]*)(/|$)|(^|/)(Thumbs\.db|desktop\.ini)$")


class NotCollected(Exception):
    """Something that is not taken in: a key of the catalog, and what it is about."""

    def __init__(self, key: str, about: str = "") -> None:
        super().__init__(key)
        self.key, self.about = key, about


@dataclass(frozen=True, eq=False)
class ReceivedFile:
    """One regular file of what was handed in: where it stood, its size, and how its bytes are read."""

    path: PurePosixPath
    read: Callable[[], bytes] = bytes
    size: int = 0
    problem: str = ""
    owner: str = ""

    @property
    def is_notebook(self) -> bool:
        """True for a file whose name says that it is a notebook."""
        return self.path.suffix.lower() == ".ipynb" or self.path.name.lower().endswith(
            (".ipynb.txt", ".ipynb.json")
        )

    @property
    def is_archive(self) -> bool:
        """True for a file whose name says that it is a zip."""
        return self.path.suffix.lower() == ".zip"


def is_skipped(path: PurePosixPath) -> bool:
    """True for what editors and systems leave beside a student's files."""
    return bool(SKIPPED.search(str(path)))


def shortened(name: str) -> str:
    """The name, its middle cut out where no disk would bear it; its ending still says what it is."""
    half = NAME_CHARACTERS // 2
    return name if len(name) <= NAME_CHARACTERS else name[:half] + name[-half:]
