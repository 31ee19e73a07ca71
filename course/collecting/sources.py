"""Sources: everything under a folder, in a zip or in one file, found without following a link."""

from __future__ import annotations

import os
import stat
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path, PurePosixPath

from course.collecting import archives
from course.collecting.owners import in_archive, owner
from course.collecting.received import DEPTH, NotCollected, ReceivedFile, is_skipped
from course.collecting.work import FILES, READ_BYTES, TooMuch
from course.submission.files import FILE_BYTES, NotRegular, borrowed, read_plain


def received(source: Path, lesson: str) -> Iterator[ReceivedFile]:
    """Every file of a source, each with its owner where its place already says so."""
    status = source.lstat()
    if stat.S_ISDIR(status.st_mode):
        yield from _expanded(_of_folder(source), lesson)
    elif stat.S_ISREG(status.st_mode) and source.suffix.lower() == ".zip":
        yield from archives.files_in(cache(partial(zipfile.ZipFile, source)))
    elif stat.S_ISREG(status.st_mode):
        yield _found(source, PurePosixPath(source.name))
    else:
        raise NotCollected("intake.link", str(source))


def _expanded(files: Iterable[ReceivedFile], lesson: str) -> Iterator[ReceivedFile]:
    """Files, with a student's own zip opened once, and no more of one student's than anybody may hand in."""

    @lru_cache(maxsize=1)
    def opened(file: ReceivedFile) -> zipfile.ZipFile:
        return archives.opened(file.read())

    held, sizes = Counter(), Counter()
    for file in files:
        whose = owner(file.path, lesson)[0]
        if not file.is_archive or file.problem:
            yield file
            continue
        sizes[whose] += file.size
        if held[whose] > FILES or sizes[whose] > READ_BYTES:
            yield ReceivedFile(file.path, problem="too_many")
            continue
        inside = list(_inside(file, partial(opened, file), lesson))
        held[whose] += len(inside)
        yield from inside


def _inside(file: ReceivedFile, archive: archives.OpenArchive, lesson: str) -> list[ReceivedFile]:
    """The files of a student's zip; of one that cannot be read, the zip and why."""
    try:
        return in_archive(file.path, list(archives.files_in(archive)), lesson)
    except NotCollected as problem:
        return [ReceivedFile(file.path, problem=problem.key.removeprefix("intake."))]
    except TooMuch:
        return [ReceivedFile(file.path, problem="too_many")]


def _of_folder(top: Path) -> Iterator[ReceivedFile]:
    links = borrowed(top)
    for folder, folders, names in os.walk(top, followlinks=False):
        where = PurePosixPath(*Path(folder).relative_to(top).parts)
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        yield from (ReceivedFile(where / name, problem="link") for name in linked)
        folders[:] = sorted(set(folders) - set(linked)) if len(where.parts) < DEPTH else []
        for shown in sorted(where / name for name in names):
            path = Path(folder, shown.name)
            if not is_skipped(shown):
                yield ReceivedFile(shown, problem="link") if path in links else _found(path, shown)


def _found(path: Path, shown: PurePosixPath) -> ReceivedFile:
    """A file on the disk, not read yet; a pipe, a device or a link is none."""
    try:
        status = path.lstat()
    except OSError:
        return ReceivedFile(shown, problem="unreadable_file")
    if not stat.S_ISREG(status.st_mode):
        return ReceivedFile(shown, problem="link")
    problem = "too_large" if status.st_size > FILE_BYTES else ""
    return ReceivedFile(shown, partial(_read, path), status.st_size, problem)


def _read(path: Path) -> bytes:
    try:
        return read_plain(path)[0]
    except NotRegular as problem:
        key = "unreadable_file" if str(problem) == "missing" else str(problem)
        raise NotCollected(f"intake.{key}") from None
