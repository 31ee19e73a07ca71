"""Files written whole or not at all, and output that nobody reads any more.

A reader, or a run that is cut off at any moment, sees the old file or the new one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

DISK_REFUSES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})  # whatever is to be written


@contextlib.contextmanager
def part(path: Path, data: bytes, *, durable: bool = True) -> Iterator[Path]:
    """A finished file beside `path`, for the caller to give a name to; gone afterwards if it got none.

    `durable` waits until the data is on the disk, so that a power cut leaves no empty file either. Raises
    OSError where the folder cannot be written or the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.part")
    made.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(made, flags, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        yield made
    finally:
        made.unlink(missing_ok=True)


def replace(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write `data` to `path`, in place of what may stand there; a link there is replaced, never followed."""
    with part(path, data, durable=durable) as made:
        os.replace(made, path)


def lay(files: Mapping[str, bytes], folder: Path) -> None:
    """Write these files below `folder`, which is ours and new, readable by everybody."""
    folder.chmod(0o755)
    for place, data in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_if_changed(path: Path, data: bytes) -> bool:
    """Write `data` to `path` unless it stands there already, in a file and not behind a link; True when the
    file changed."""
    return bool(write_all({path: data}))


def write_all(files: Mapping[Path, bytes]) -> list[Path]:
    """Write each file whose bytes change, all of them or none: none gets its name before the last one is on
    the disk. Returns those that changed."""
    changed = {path: data for path, data in files.items() if not _stands(path, data)}
    with contextlib.ExitStack() as parts:
        made = [(parts.enter_context(part(path, data)), path) for path, data in changed.items()]
        for one, path in made:
            os.replace(one, path)
    return list(changed)


def _stands(path: Path, data: bytes) -> bool:
    return path.is_file() and not path.is_symlink() and path.read_bytes() == data


def nobody_reads() -> None:
    """After a BrokenPipeError (`… | head`): let what is still buffered go nowhere, without a traceback.

    The way that Python's documentation of `signal` gives, "Note on SIGPIPE".
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
