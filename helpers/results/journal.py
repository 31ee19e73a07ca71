"""The journal of a run under way: one JSON line for each finished shape."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from helpers.results.fields import ResultError
from helpers.results.files import parse
from helpers.text import say


class Journal:
    """The finished shapes of a run, one JSON line each, safe against a kill at any moment."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def read(self) -> list[dict[str, Any]]:
        """Every whole line; a last line that was cut off is no line. A damaged one before it is refused."""
        return [entry for _, entry in self.numbered()]

    def numbered(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every whole line with its number."""
        try:
            whole, _, _cut = self.path.read_bytes().rpartition(b"\n")
        except FileNotFoundError:
            return
        for number, line in enumerate(whole.split(b"\n") if whole else [], start=1):
            yield number, self._parsed(number, line)

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        """One line; what cannot be read is refused with its number and the way out."""
        where = f"{self.path.name}:{number}"
        try:
            return parse(line.decode(), where)
        except UnicodeDecodeError:
            reason = say("result.not_utf8", path=where)
        except ResultError as error:
            reason = str(error)
        raise ResultError("experiment.journal", path=self.path, line=number, reason=reason)

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add one line and wait until it is on the disk; a cut-off line before it is removed first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(entry, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        with open(self.path, "ab+") as file:
            self._drop_cut_line(file)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    @staticmethod
    def _drop_cut_line(file: Any) -> None:
        file.seek(0)
        content = file.read()
        if content and not content.endswith(b"\n"):
            file.truncate(content.rfind(b"\n") + 1)
        file.seek(0, os.SEEK_END)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the run label for this process; a second run of the same label is refused."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path.with_suffix(".lock"), "a") as lock:
            if not _lock(lock):
                raise ResultError("result.in_use", path=self.path)
            yield


def _lock(file: Any) -> bool:
    """Lock an open file without waiting; True as well where the platform has no such lock."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
