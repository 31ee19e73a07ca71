"""One student's work: the files that came in, each read when it is asked for, all within one limit.

What nobody asks for, a video or a data set, is never read; nothing of one student counts for another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from course.collecting.received import NotCollected, ReceivedFile
from course.submission.notes import Note

FILES = 20_000
READ_BYTES = 100_000_000
NAMED = 20


class TooMuch(Exception):
    """More than one student may hand in; the note says of what."""

    def __init__(self, key: str, limit: int) -> None:
        super().__init__(key)
        self.note = Note(key, f"{limit:,}")


class Work:
    """A student's files in the order in which they came; `notes` says what kept one from being read."""

    def __init__(self, files: Sequence[ReceivedFile]) -> None:
        if len(files) > FILES:
            raise TooMuch("intake.many_files", FILES)
        self.files = [file for file in files if not file.problem]
        kept_out = [file for file in files if file.problem]
        self.refused = [(file, Note(f"intake.{file.problem}", str(file.path))) for file in kept_out]
        self.notes = [note for _, note in self.refused[:NAMED]]
        self.unread: set[ReceivedFile] = set()
        self._data: dict[ReceivedFile, bytes] = {}
        self._read_bytes = 0

    def data(self, file: ReceivedFile) -> bytes:
        """The bytes of a file; none, and a note, where it turns out that it cannot be read."""
        if file not in self._data:
            self._data[file] = self._read(file)
        return self._data[file]

    def _read(self, file: ReceivedFile) -> bytes:
        if self._read_bytes + file.size > READ_BYTES:
            raise TooMuch("intake.many_bytes", READ_BYTES // 10**6)
        try:
            data = file.read()
        except NotCollected as problem:
            note = Note(problem.key, str(file.path))
            self.notes.append(note)
            self.refused.append((file, note))
            self.unread.add(file)
            return b""
        self._read_bytes += len(data)
        return data


class FilesByPath(Mapping[PurePosixPath, bytes]):
    """A student's files by their path, read when one is asked for."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._files = {file.path: file for file in work.files}

    def __getitem__(self, path: PurePosixPath) -> bytes:
        return self._work.data(self._files[path])

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
