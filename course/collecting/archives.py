"""Zip archives: their regular files, bounded in number, depth and size; nothing is ever unpacked to the
disk, and nothing is unpacked that nobody asks for."""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath

from course.collecting.received import DEPTH, NotCollected, ReceivedFile, is_skipped, shortened
from course.collecting.work import FILES
from course.submission.files import FILE_BYTES

UTF8_FLAG, ENCRYPTED_FLAG = 0x800, 1
ENTRY = b"PK\x01\x02"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others take memory that the archive chooses
BAD_ZIP = (
    zipfile.BadZipFile, zlib.error, struct.error, OverflowError, ValueError, NotImplementedError,
    RuntimeError, EOFError, OSError,
)  # fmt: skip

OpenArchive = Callable[[], zipfile.ZipFile]


def opened(data: bytes) -> zipfile.ZipFile:
    """A student's archive. Each entry of its table begins with the same four bytes, so that they can be
    counted before a table of any length is read."""
    if data.count(ENTRY) > FILES:
        raise NotCollected("intake.too_many")
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except BAD_ZIP as problem:
        raise NotCollected("intake.bad_zip", type(problem).__name__) from None


def files_in(archive: OpenArchive) -> Iterator[ReceivedFile]:
    """The files in a zip, none of them read yet; one that cannot be read is not collected."""
    try:
        entries = archive().infolist()
    except BAD_ZIP as problem:
        raise NotCollected("intake.bad_zip", type(problem).__name__) from None
    for entry in entries:
        path = _path(entry)
        if not (entry.is_dir() or path is None or is_skipped(path)):
            yield ReceivedFile(path, partial(_read, archive, entry), entry.file_size, _problem(entry))


def _path(entry: zipfile.ZipInfo) -> PurePosixPath | None:
    """Where the entry would stand; none for one that points out of its archive. Old Windows zips hold GBK
    names."""
    name = entry.filename
    if not entry.flag_bits & UTF8_FLAG:
        try:
            name = name.encode("cp437").decode("gb18030")
        except UnicodeError:
            name = entry.filename
    path = PurePosixPath(name.replace("\\", "/"))
    unsafe = (
        path.is_absolute() or ".." in path.parts or len(path.parts) > DEPTH or re.match(r"^[A-Za-z]:", name)
    )
    return None if unsafe or not path.parts else PurePosixPath(*map(shortened, path.parts))


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


def _read(archive: OpenArchive, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry, never more of them than its table says."""
    try:
        with archive().open(entry) as stream:
            return stream.read(FILE_BYTES)
    except BAD_ZIP as problem:
        raise NotCollected("intake.bad_zip", type(problem).__name__) from None
