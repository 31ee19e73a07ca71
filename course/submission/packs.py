"""Packs: the one file that a notebook's last cell makes (docs/handin.md), unfolded into what a grader needs.

Nothing in it decides a grade, and nothing is believed: the table of contents must fit the files, and the
answers are sources that run like any other student's code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from course.lesson.assignment import Assignment
from course.submission.foreign_json import parsed
from helpers.handin import FORMAT

MANIFEST = "manifest.json"
NOTEBOOK = "notebook.ipynb"
ANSWERS = PurePosixPath("answers")
MANIFEST_BYTES = 1_000_000
MANIFEST_CONTAINERS = 1_000


@dataclass(frozen=True)
class HandInPack:
    """A pack of one lesson: the folder that it was unfolded to, its table of contents, its files by name."""

    folder: PurePosixPath
    manifest: Mapping
    files: Mapping[str, bytes]

    @property
    def listed(self) -> dict[str, str]:
        """The files that the table of contents names, with their digests."""
        listed = self.manifest.get("files")
        pairs = listed.items() if isinstance(listed, dict) else ()
        return {name: digest if isinstance(digest, str) else "" for name, digest in pairs}

    @property
    def sound(self) -> bool:
        """True when every file that the table of contents names is there as it was packed."""
        there = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        return bool(there) and there == self.listed

    @property
    def student(self) -> str:
        """The id that the student typed; may be empty."""
        typed = self.manifest.get("student")
        return typed if isinstance(typed, str) else ""

    @property
    def paths(self) -> set[PurePosixPath]:
        """Where its files stand, the table of contents included."""
        return {self.folder / name for name in (*self.files, MANIFEST)}

    @property
    def notebook(self) -> bytes | None:
        """The notebook in it, unless the session had run newer answers."""
        return None if self.manifest.get("notebook_is_older") else self.files.get(NOTEBOOK)

    @property
    def answers(self) -> dict[str, str]:
        """The source of each exercise, by the name of its cell."""
        names = {name: PurePosixPath(name) for name in self.files}
        return {
            path.stem: self.files[name].decode("utf-8", "replace")
            for name, path in names.items()
            if path.parent == ANSWERS and path.suffix == ".py"
        }


def found_in(files: Mapping[PurePosixPath, bytes]) -> list[HandInPack]:
    """The packs among files, each in the folder where its table of contents stands."""
    packs = []
    for path in files:
        contents = manifest(files[path]) if path.name == MANIFEST else None
        if contents is not None:
            empty = HandInPack(path.parent, contents, {})
            there = {name: files[path.parent / name] for name in empty.listed if path.parent / name in files}
            packs.append(replace(empty, files=there))
    return packs


def manifest(data: bytes) -> dict | None:
    """A pack's table of contents; none where the bytes are another file's."""
    if len(data) > MANIFEST_BYTES:
        return None
    try:
        found = parsed(data.decode("utf-8-sig"), MANIFEST_CONTAINERS)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None


def notebook_of(pack: HandInPack, assignment: Assignment) -> bytes:
    """The released notebook with the pack's answers in it, for a session whose notebook was not in reach."""
    language = pack.manifest.get("language")
    master = assignment.masters[
        language if language in list(assignment.masters) else next(iter(assignment.masters))
    ]
    answers = pack.answers
    cells = []
    for cell in master.cells:
        made = {"cell_type": cell.kind, "id": cell.name, "metadata": dict(cell.metadata)}
        source = answers.get(cell.name, cell.released) if cell.owner == "solution" else cell.released
        made["source"] = source.rstrip("\n")
        if cell.kind == "code":
            made |= {"outputs": [], "execution_count": None}
        cells.append(made)
    notebook = {"cells": cells, "metadata": dict(master.metadata), "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, sort_keys=True).encode("utf-8")
