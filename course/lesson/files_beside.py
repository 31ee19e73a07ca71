"""Files beside a master: pictures and data that its text and cells name; they go where the notebook goes."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from course.text import Problem
from helpers import writing

MOST_BYTES = 16_000_000  # each process of a student's gets its own copy


def of(master: Path) -> dict[Path, Path]:
    """Each file below the master's folder but notebooks and what is hidden, by its path in that folder."""
    root = master.parent
    found = {path.relative_to(root): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {place: path for place, path in found.items() if _belongs(place)}


def read(master: Path) -> dict[str, bytes]:
    """The same as data; Problem where they are more than every student's process can be given."""
    found = of(master)
    held_bytes = sum(path.stat().st_size for path in found.values())
    if held_bytes > MOST_BYTES:
        raise Problem(
            "lesson.files_too_large", path=master.parent, got=held_bytes / 1e6, most=MOST_BYTES / 1e6
        )
    return {place.as_posix(): path.read_bytes() for place, path in found.items()}


def copy(master: Path, folders: Iterable[Path]) -> None:
    """Put them into each of these folders: beside graded notebooks, where formgrader shows them."""
    found = of(master)
    for folder in folders if found else ():
        for place, path in found.items():
            writing.write_if_changed(folder / place, path.read_bytes())


@contextlib.contextmanager
def at_hand(files: Mapping[str, bytes]) -> Iterator[None]:
    """Work in a folder that holds these files and nothing else; here, where there are none."""
    if not files:
        yield
        return
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="beside-") as space:
        writing.lay(files, Path(space))
        os.chdir(space)
        try:
            yield
        finally:
            os.chdir(before)


def _belongs(place: Path) -> bool:
    return place.suffix != ".ipynb" and not any(part.startswith((".", "__")) for part in place.parts)
