"""Files that a student could have put there: regular ones only, bounded, and no link that leads elsewhere."""

from __future__ import annotations

import json
import os
import stat
from datetime import datetime, timezone
from pathlib import Path

FILE_BYTES = 32_000_000
RECEIPT, STAMP = "receipt.json", "timestamp.txt"


class NotRegular(Exception):
    """A path that is not a plain file of the course; the message is a key of the catalog."""


def read_regular(path: Path, root: Path) -> tuple[bytes, datetime]:
    """The bytes of a regular file below `root` that no link leads to, and when it was changed."""
    for folder in (path.parent, *path.parent.parents):
        if folder == root:
            break
        if folder.is_symlink():
            raise NotRegular("link")
    data, status = read_plain(path)
    if status.st_nlink > 1 and path in borrowed(path.parents[2]):
        raise NotRegular("link")
    return data, datetime.fromtimestamp(status.st_mtime, timezone.utc)


def read_plain(path: Path) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, and its state.

    What is checked is what was opened, so nothing can be swapped in between; a pipe does not hold us.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        raise NotRegular("link" if path.is_symlink() else "missing") from None
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular("link")
        if status.st_size > FILE_BYTES:
            raise NotRegular("too_large")
        return stream.read(FILE_BYTES), status


def borrowed(top: Path) -> set[Path]:
    """Files that are another one's by a hard link: all but the one whose folder has it longest."""
    groups: dict[tuple[int, int], list[tuple[int, Path]]] = {}
    for folder, _, names in os.walk(top, followlinks=False):
        since = Path(folder).lstat().st_ctime_ns
        for name in names:
            status = Path(folder, name).lstat()
            if status.st_nlink > 1 and stat.S_ISREG(status.st_mode):
                groups.setdefault((status.st_dev, status.st_ino), []).append((since, Path(folder, name)))
    return {path for group in groups.values() for _, path in sorted(group)[1:]}


def json_object(path: Path) -> dict:
    """The JSON object in a file that the course wrote; empty when there is none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
