"""Sources: everything under a folder, in a zip or in one file, read without following a link."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from course.collecting.archives import files_in
from course.collecting.owners import in_archive
from course.collecting.received import DEPTH, FILES, TOTAL_BYTES, NotCollected, ReceivedFile, is_skipped
from course.submission.files import NotRegular, borrowed, read_plain


def received(source: Path, lesson: str) -> Iterator[ReceivedFile]:
    """Every file of a source, each with its owner where its place already says so."""
    status = source.lstat()
    if stat.S_ISDIR(status.st_mode):
        yield from _expanded(_of_folder(source), lesson)
    elif stat.S_ISREG(status.st_mode) and source.suffix.lower() == ".zip":
        yield from files_in(source.open("rb"))
    elif stat.S_ISREG(status.st_mode):
        yield _read(source, PurePosixPath(source.name))
    else:
        raise NotCollected("intake.link", str(source))


def _expanded(files: Iterable[ReceivedFile], lesson: str) -> Iterator[ReceivedFile]:
    """Files, with a student's own zip opened once."""
    for file in files:
        if file.is_archive and file.data:
            try:
                yield from in_archive(file.path, list(files_in(io.BytesIO(file.data))), lesson)
            except NotCollected as problem:
                yield ReceivedFile(file.path, b"", problem.key.removeprefix("intake."))
        else:
            yield file


def _of_folder(top: Path) -> Iterator[ReceivedFile]:
    count = total = 0
    links = borrowed(top)
    for folder, folders, names in os.walk(top, followlinks=False):
        where = PurePosixPath(*Path(folder).relative_to(top).parts)
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        yield from (ReceivedFile(where / name, b"", "link") for name in linked)
        folders[:] = sorted(set(folders) - set(linked)) if len(where.parts) < DEPTH else []
        for shown in sorted(where / name for name in names):
            if is_skipped(shown):
                continue
            count += 1
            if count > FILES or total > TOTAL_BYTES:
                raise NotCollected("intake.too_many", str(top))
            path = Path(folder, shown.name)
            found = ReceivedFile(shown, b"", "link") if path in links else _read(path, shown)
            total += len(found.data)
            yield found


def _read(path: Path, shown: PurePosixPath) -> ReceivedFile:
    try:
        return ReceivedFile(shown, read_plain(path)[0])
    except NotRegular as problem:
        return ReceivedFile(shown, b"", "unreadable_file" if str(problem) == "missing" else str(problem))
