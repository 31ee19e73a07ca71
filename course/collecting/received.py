"""Received files: what came in, file by file, before anybody knows what it is."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import BinaryIO

from course.collecting.moments import Moment

DEPTH = 8
NAME_CHARACTERS = 255  # what a disk bears; an archive may hold a name of 65,535
SYSTEM_FOLDERS = {
    ".ipynb_checkpoints", "__MACOSX", "__pycache__", ".git", ".svn", ".idea", ".vscode", ".cache", ".config",
    ".local", ".virtual_documents", ".Trash", ".Trashes", ".Spotlight-V100", ".fseventsd", "$RECYCLE.BIN",
    "System Volume Information", "@eaDir",
}  # fmt: skip
SYSTEM_FILES = {"thumbs.db", "desktop.ini", "icon\r"}
NOTEBOOKS = (".ipynb", ".ipynb.txt", ".ipynb.json")
NO_NOTEBOOKS = re.compile(
    r"\.(?:pdf|docx?|odt|pages|py|html?|rar|7z|tar|gz|tgz|png|jpe?g)$", re.IGNORECASE
)  # what is handed in instead
ZIP_START = b"PK\x03\x04"
ARCHIVES = (".zip", ".zip.txt", ".zip.download")

OpenArchive = Callable[[], zipfile.ZipFile]


class NotCollected(Exception):
    """Something that is not taken in: a key of the catalog, and what it is about."""

    def __init__(self, key: str, about: str = "") -> None:
        super().__init__(key)
        self.key, self.about = key, about


@dataclass(frozen=True, eq=False)
class ReceivedFile:
    """One regular file of what was handed in.

    `path` is where it stood, the archives above it written like folders; `part_of` is the file that came in
    when this one lay inside a student's own archive. `stream` opens an archive that lies on the disk. `order`
    numbers what a system numbers as it comes.
    """

    path: PurePosixPath
    read: Callable[[], bytes] = bytes
    head: Callable[[], bytes] = bytes
    size: int = 0
    problem: str = ""
    moment: Moment | None = None
    part_of: ReceivedFile | None = None
    stream: Callable[[], BinaryIO] | None = None
    order: int = 0

    @property
    def came(self) -> ReceivedFile:
        """The file that came in: this one, or the archive that a student packed it into."""
        return self.part_of or self

    @property
    def is_notebook(self) -> bool:
        """True for a file whose name says that it is a notebook."""
        return self.path.name.lower().endswith(NOTEBOOKS)

    @cached_property
    def is_archive(self) -> bool:
        """True for a zip by its name, or by its first bytes where the name calls it a notebook or nothing."""
        if self.path.name.lower().endswith(ARCHIVES):
            return True
        return (self.is_notebook or not self.path.suffix) and not self.problem and self.head() == ZIP_START

    @property
    def is_systems(self) -> bool:
        """True for what editors and systems leave beside a student's files."""
        return is_skipped(self.path)


def is_skipped(path: PurePosixPath) -> bool:
    """True for what editors and systems leave beside a student's files; a hidden folder may be a
    person's."""
    name = path.name
    if SYSTEM_FOLDERS.intersection(path.parts[:-1]) or name.lower() in SYSTEM_FILES:
        return True
    hidden = name.startswith(".") and not name.lower().endswith((*NOTEBOOKS, *ARCHIVES))
    return hidden or name.startswith("._")


def shortened(name: str) -> str:
    """The name; where no disk would bear it, a digest stands for its middle, and its ending still says what
    it is."""
    if len(name) <= NAME_CHARACTERS:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    half = NAME_CHARACTERS // 2 - len(digest)
    return f"{name[:half]}~{digest}~{name[-half:]}"
