"""Zip archives: their regular files, bounded in number, depth and size; nothing is ever unpacked to the
disk."""

from __future__ import annotations

import io
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from course.collecting.received import DEPTH, FILES, TOTAL_BYTES, NotCollected, ReceivedFile, is_skipped
from course.submission.files import FILE_BYTES

UTF8_FLAG, ENCRYPTED_FLAG = 0x800, 1
BAD_ZIP = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OverflowError, ValueError,
    NotImplementedError, RuntimeError, EOFError, OSError,
)  # fmt: skip


def files_in(stream: io.IOBase) -> Iterator[ReceivedFile]:
    """The files in a zip; one that cannot be read is not collected."""
    try:
        with stream, zipfile.ZipFile(stream) as archive:
            yield from _bounded(archive)
    except NotCollected:
        raise
    except BAD_ZIP as problem:
        raise NotCollected("intake.bad_zip", type(problem).__name__) from None


def _bounded(archive: zipfile.ZipFile) -> Iterator[ReceivedFile]:
    total = 0
    entries = archive.infolist()
    if len(entries) > FILES:
        raise NotCollected("intake.too_many")
    for entry in entries:
        path = _path(entry)
        if entry.is_dir() or path is None or is_skipped(path):
            continue
        found = _read(archive, entry, path)
        total += len(found.data)
        if total > TOTAL_BYTES:
            raise NotCollected("intake.too_many")
        yield found


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
    return None if unsafe or not path.parts else path


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: PurePosixPath) -> ReceivedFile:
    mode = entry.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        return ReceivedFile(path, b"", "link")
    if entry.flag_bits & ENCRYPTED_FLAG:
        return ReceivedFile(path, b"", "encrypted")
    with archive.open(entry) as stream:
        data = stream.read(FILE_BYTES + 1)
    return ReceivedFile(path, b"", "too_large") if len(data) > FILE_BYTES else ReceivedFile(path, data)
