"""Zip archives: their regular files, bounded in number, depth and size; nothing is ever unpacked to the
disk, and nothing is unpacked that nobody asks for."""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from course.collecting.moments import Moment, moment
from course.collecting.received import DEPTH, ZIP_START, NotCollected, OpenArchive, ReceivedFile, shortened
from course.collecting.work import FILES
from course.collecting.zip_names import code_page, name_of
from course.submission.files import FILE_BYTES

CLASS_FILES = 10 * FILES  # of an archive that is nobody's own
ENCRYPTED_FLAG = 1
ENTRY = b"PK\x01\x02"
TIMESTAMP = 0x5455  # the extra field of Info-ZIP that holds UTC
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others take memory that the archive chooses
CHUNK_BYTES = 1 << 20
BAD_ZIP = (
    zipfile.BadZipFile, zlib.error, struct.error, OverflowError, ValueError, NotImplementedError,
    RuntimeError, EOFError, OSError,
)  # fmt: skip


@dataclass
class OpenArchives:
    """A few archives that are held open, the others closed and opened again when they are asked for; a
    context manager."""

    most: int = 6
    _held: OrderedDict[ReceivedFile, zipfile.ZipFile] = field(default_factory=OrderedDict)

    def __enter__(self) -> OpenArchives:
        return self

    def __exit__(self, *_: object) -> None:
        while self._held:
            self._close()

    def of(self, file: ReceivedFile) -> zipfile.ZipFile:
        """The archive that this file is. Raises NotCollected where it is none."""
        if file not in self._held:
            self._held[file] = _zip(file.stream() if file.stream is not None else io.BytesIO(file.read()))
            if len(self._held) > self.most:
                self._close()
        self._held.move_to_end(file)
        return self._held[file]

    def _close(self) -> None:
        _, oldest = self._held.popitem(last=False)
        stream = oldest.fp
        oldest.close()
        stream.close()


def on_disk(path: Path) -> BinaryIO:
    """An archive of any size that lies in a plain file; no more of it is read than is asked for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.fdopen(os.open(path, flags), "rb")
    except OSError:
        raise NotCollected("intake.unreadable_file") from None


def listed(archive: OpenArchive, top: PurePosixPath) -> tuple[list[ReceivedFile], str]:
    """The files in a zip, none of them read yet, each below `top`, and the code page of its names.

    Raises NotCollected for one that cannot be read, and for one that holds nothing.
    """
    entries = [entry for entry in archive().infolist() if not entry.is_dir()]
    if not entries:
        raise NotCollected("intake.empty_zip")
    page = code_page(entries)
    return [_received(archive, entry, top, page) for entry in entries], page


def _zip(stream: BinaryIO) -> zipfile.ZipFile:
    """The archive in a stream. Each entry of its table begins with the same four bytes, so that they can be
    counted before a table of any length is read."""
    try:
        if not stream.seek(0, os.SEEK_END):
            raise NotCollected("intake.empty_file")
        if _entries(stream) > CLASS_FILES:
            raise NotCollected("intake.too_many")
        return zipfile.ZipFile(stream)
    except BAD_ZIP:
        stream.close()
        raise NotCollected("intake.bad_zip") from None
    except NotCollected:
        stream.close()
        raise


def _entries(stream: BinaryIO) -> int:
    """At least as many as the archive's table has entries."""
    stream.seek(0)
    found, tail = 0, b""
    while chunk := stream.read(CHUNK_BYTES):
        found += (tail + chunk).count(ENTRY)
        tail = chunk[1 - len(ENTRY) :]
    return found


def _received(archive: OpenArchive, entry: zipfile.ZipInfo, top: PurePosixPath, page: str) -> ReceivedFile:
    inside = _path(name_of(entry, page))
    problem = _problem(entry) or ("too_deep" if len(inside.parts) > DEPTH else "")
    read, head = (partial(_read, archive, entry, most) for most in (FILE_BYTES, len(ZIP_START)))
    return ReceivedFile(top / inside, read, partial(_start, head), entry.file_size, problem, _moment(entry))


def _path(name: str) -> PurePosixPath:
    """Where the entry stands in its archive, and never outside: what leads up or to a drive is left out.

    A backslash divides folders where nothing else does; elsewhere it belongs to a name (`domain\\user`).
    """
    name = re.sub(r"^[A-Za-z]:(?=[/\\])", "", name)
    parts = (name if "/" in name else name.replace("\\", "/")).split("/")
    kept = [shortened(part) for part in parts if part not in ("", ".", "..")]
    return PurePosixPath(*kept[: DEPTH + 1]) if kept else PurePosixPath("?")


def _problem(entry: zipfile.ZipInfo) -> str:
    """Why an entry is not read, where its table says so already."""
    mode = entry.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        return "link"
    if entry.flag_bits & ENCRYPTED_FLAG:
        return "encrypted"
    if entry.compress_type not in METHODS:
        return "method"
    return "too_large" if entry.file_size > FILE_BYTES else ""


def _moment(entry: zipfile.ZipInfo) -> Moment | None:
    """The entry's time: UTC where the archive holds it, else by this machine's clock; none where it holds
    none."""
    extra = entry.extra
    while len(extra) >= 9:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == TIMESTAMP and size >= 5 and extra[4] & 1:
            seconds = struct.unpack_from("<i", extra, 5)[0]
            return moment(datetime.fromtimestamp(max(0, seconds), timezone.utc), "zip")
        extra = extra[4 + size :]
    try:
        return moment(datetime(*entry.date_time), "zip")
    except ValueError:
        return None


def _start(head: Callable[[], bytes]) -> bytes:
    try:
        return head()
    except NotCollected:
        return b""


def _read(archive: OpenArchive, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The bytes of an entry, never more of them than its table says."""
    try:
        with archive().open(entry) as stream:
            return stream.read(most)
    except BAD_ZIP:
        raise NotCollected("intake.bad_zip") from None
