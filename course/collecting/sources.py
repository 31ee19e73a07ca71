"""Sources: everything under a folder, in a zip or in one file, found without following a link.

Archives are opened by what they are: a class's download where it stands, at most two in one another, and a
student's own once it is known whose it is, within what one student may hand in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path, PurePosixPath

from course.collecting.archives import CLASS_FILES, OpenArchives, listed, on_disk
from course.collecting.branching import Branch, Placed, Settling, manifest_of
from course.collecting.conventions import owner
from course.collecting.known_students import KnownStudents
from course.collecting.moments import moment
from course.collecting.owners import Owner, student_id
from course.collecting.received import DEPTH, ZIP_START, NotCollected, ReceivedFile
from course.collecting.work import FILES, READ_BYTES
from course.submission import packs
from course.submission.files import FILE_BYTES, NotRegular, borrowed, read_plain
from course.submission.notes import Note

LEVELS = 2


@dataclass
class Download:
    """What came in: each file with its owner, and what is to be said of the whole."""

    placed: list[Placed] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def received(
    source: Path, lesson: str, student: str | None, known: KnownStudents, archives: OpenArchives
) -> Download:
    """Every file of a source with its owner; all are `student`'s where one is named."""
    download = Download()
    files = list(_of_source(source))
    if student is not None:
        told = known.settled(Owner(student_id(student), student, "told"))
        owners = [None if file.is_systems else told for file in files]
        download.placed = [
            Placed(file, one, PurePosixPath()) for file, one in zip(files, owners, strict=True)
        ]
        return download
    top = _Looking(download, archives).branch(files)
    if source.is_file() and (broken := top.children[source.name].file).is_archive and broken.problem:
        raise NotCollected(f"intake.{broken.problem}", str(source))
    download.placed = list(Settling(lesson, known).settle(top))
    return download


def unpacked(placed: Iterable[Placed], archives: OpenArchives) -> Iterator[Placed]:
    """What one student handed in, with the archives in it opened, and no more than anybody may hand in."""
    room = _Room(archives)
    for one in placed:
        if one.file.problem or not one.file.is_archive:
            yield one
        else:
            yield from (replace(one, file=file) for file in room.inside(one.file, LEVELS))


@dataclass
class _Room:
    """What one student's archives may still hold."""

    archives: OpenArchives
    files: int = FILES
    read_bytes: int = READ_BYTES

    def inside(self, file: ReceivedFile, levels: int) -> Iterator[ReceivedFile]:
        """The files of an archive; of one that cannot be read, the archive and why."""
        self.read_bytes -= file.size
        try:
            if self.files < 0 or self.read_bytes < 0:
                raise NotCollected("intake.too_many")
            inside, _ = listed(partial(self.archives.of, file), file.path)
            if len(inside) > FILES:
                raise NotCollected("intake.too_many")
        except NotCollected as problem:
            yield replace(file, problem=problem.key.removeprefix("intake."), part_of=file.came)
            return
        self.files -= len(inside)
        for one in inside:
            own = replace(one, part_of=file.came, moment=file.moment)
            if own.is_systems:
                continue
            if not own.is_archive or own.problem:
                yield own
            elif levels > 1:
                yield from self.inside(own, levels - 1)
            else:
                yield replace(own, problem="too_deep")


@dataclass
class _Looking:
    """A first look into archives that no platform has named, to see who is in them; so much and no more."""

    download: Download
    archives: OpenArchives
    left: int = CLASS_FILES

    def branch(self, files: Iterable[ReceivedFile]) -> Branch:
        """The files as a tree, archives among them opened."""
        top = Branch(PurePosixPath())
        self._grow(top, files, LEVELS)
        return top

    def _grow(self, top: Branch, files: Iterable[ReceivedFile], levels: int) -> None:
        for file in files:
            if file.is_systems:
                top.systems.append(file)
                continue
            inside = file.path.relative_to(top.path)
            named = any(owner(part, {}) for part in inside.parts)
            found = top.add(file, inside)
            if not named and levels and file.is_archive and not file.problem and found.file is file:
                self._open(found, file, levels)
        for branch in _all(top):
            self._sniff(branch)

    def _open(self, branch: Branch, file: ReceivedFile, levels: int) -> None:
        try:
            inside, page = listed(partial(self.archives.of, file), branch.path)
        except NotCollected as problem:
            branch.file = replace(file, problem=problem.key.removeprefix("intake."))
            return
        if len(inside) > self.left:
            return
        self.left -= len(inside)
        branch.looked_into = True
        if page not in ("", "utf-8"):
            self.download.notes.append(Note("intake.code_page", f"{file.path} ({page})"))
        self._grow(branch, (replace(one, moment=one.moment or file.moment) for one in inside), levels - 1)

    @staticmethod
    def _sniff(branch: Branch) -> None:
        """Say of a branch that it is a pack, where its table of contents is one."""
        file = manifest_of(branch)
        if file is not None and branch.typed is None and not file.problem:
            try:
                found = packs.manifest(file.read()) if file.size <= packs.MANIFEST_BYTES else None
            except NotCollected:
                found = None
            if found is not None:
                typed = found.get("student")
                branch.typed = typed if isinstance(typed, str) else ""


def _all(top: Branch) -> Iterator[Branch]:
    yield top
    for child in top.children.values():
        yield from _all(child)


# --- what lies on the disk -------------------------------------------------------------------------------


def _of_source(source: Path) -> Iterator[ReceivedFile]:
    status = source.lstat()
    if stat.S_ISDIR(status.st_mode):
        yield from _of_folder(source)
    elif stat.S_ISREG(status.st_mode):
        yield _found(source, PurePosixPath(source.name))
    else:
        raise NotCollected("intake.link", str(source))


def _of_folder(top: Path) -> Iterator[ReceivedFile]:
    links = borrowed(top)
    for folder, folders, names in os.walk(top, followlinks=False):
        where = PurePosixPath(*Path(folder).relative_to(top).parts)
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        yield from (ReceivedFile(where / name, problem="link") for name in linked)
        deep = len(where.parts) >= DEPTH
        folders[:] = sorted(set(folders) - set(linked))
        if deep:
            yield from (ReceivedFile(where / name, problem="too_deep") for name in folders)
            folders[:] = []
        for shown in sorted(where / name for name in names):
            path = Path(folder, shown.name)
            yield ReceivedFile(shown, problem="link") if path in links else _found(path, shown)


def _found(path: Path, shown: PurePosixPath) -> ReceivedFile:
    """A file on the disk, not read yet; a pipe, a device or a link is none."""
    try:
        status = path.lstat()
    except OSError:
        return ReceivedFile(shown, problem="unreadable_file")
    if not stat.S_ISREG(status.st_mode):
        return ReceivedFile(shown, problem="link")
    time = moment(datetime.fromtimestamp(status.st_mtime, timezone.utc), "file")
    file = ReceivedFile(shown, partial(_read, path), partial(_head, path), status.st_size, moment=time)
    if file.is_archive:
        return replace(file, stream=partial(on_disk, path))
    return replace(file, problem="too_large" if status.st_size > FILE_BYTES else "")


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(len(ZIP_START))
    except OSError:
        return b""


def _read(path: Path) -> bytes:
    try:
        return read_plain(path)[0]
    except NotRegular as problem:
        key = "unreadable_file" if str(problem) == "missing" else str(problem)
        raise NotCollected(f"intake.{key}") from None
