"""Intake: whatever students hand in, a folder, a zip from Moodle or Canvas or one file, to `submitted/`.

Reads regular files only and follows no link; bounds sizes, counts and depth; writes the bytes as they came,
under the right name, with a time stamp of its own. What cannot be taken is said in a sentence, in the
student's language.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path, PurePosixPath

from course.lesson.assignment import Assignment
from course.lesson.folder import CourseFolder
from course.submission import attachments, packs
from course.submission.files import FILE_BYTES, RECEIPT, STAMP, borrowed
from course.submission.notes import Note, in_words
from course.submission.reading import read
from course.submission.rebuilding import rebuild
from course.submission.rebuilt import Rebuilt, RebuiltCell
from course.text import Problem, say, say_in
from helpers import writing

DEPTH = 8
FILES = 20_000
TOTAL_BYTES = 2_000_000_000
ID_CHARACTERS = 80
ID_BYTES = 200
BAD_ZIP = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OverflowError, ValueError,
    NotImplementedError, RuntimeError, EOFError, OSError,
)  # fmt: skip
SKIPPED = re.compile(r"(^|/)(\.ipynb_checkpoints|__MACOSX|\.[^/]*)(/|$)|(^|/)(Thumbs\.db|desktop\.ini)$")
MOODLE = re.compile(r"^(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?$")
CANVAS = re.compile(r"^(?P<name>[^\W_]+)(?:_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)$", re.IGNORECASE)
COPY = re.compile(r"(?:[\s_-]*(?:\(\d+\)|（\d+）|副本|copy\d*|-\d+))+$", re.IGNORECASE)


class NotCollected(ValueError):
    """Something that is not taken in: a key of the catalog, and what it is about."""

    def __init__(self, key: str, about: str = "") -> None:
        super().__init__(key)
        self.key, self.about = key, about


@dataclass(frozen=True)
class ReceivedFile:
    """One regular file of what was handed in: where it stood, and its bytes (none when it was too large)."""

    path: PurePosixPath
    data: bytes
    problem: str = ""
    owner: str = ""

    @property
    def is_notebook(self) -> bool:
        return self.path.suffix.lower() == ".ipynb" or self.path.name.lower().endswith(
            (".ipynb.txt", ".ipynb.json")
        )


@dataclass
class Receipt:
    """What became of one student's work."""

    student: str
    source: str = ""
    notes: list[Note] = field(default_factory=list)
    language: str = "zh"
    taken: bool = False
    changed: bool = False


def collect(
    source: Path, submitted: Path, assignment: Assignment, student: str | None = None
) -> list[Receipt]:
    """Take in everything under `source` for one lesson; one receipt a student, in order of their ids."""
    receipts = []
    found = _by_student(_files(source, assignment.lesson), assignment.lesson, student)
    for name, files in sorted(found.items()):
        try:
            receipts.append(_take(name, files, submitted, assignment))
        except NotCollected:
            raise
        except Exception as problem:  # one student's file, whatever is wrong with it, stops nobody else
            receipts.append(Receipt(name, notes=[Note("intake.failed", type(problem).__name__)]))
    return receipts


def collect_into(
    folder: CourseFolder, lesson: str, source: Path, student: str | None = None
) -> list[Receipt]:
    """Take in for a course folder; what cannot be taken in at all is a Problem."""
    if not os.path.lexists(source):
        raise Problem("intake.missing", path=source)
    try:
        return collect(source, folder.root / "submitted", folder.assignment(lesson), student)
    except NotCollected as problem:
        raise Problem(problem.key, cell=problem.about or source) from None


def show(lesson: str, receipts: list[Receipt]) -> None:
    """Print, for each student, what was taken and what was put right, and the whole in one line."""
    for receipt in receipts:
        key = "intake.taken" if receipt.taken else "intake.refused"
        print(_printable(say(key, student=receipt.student, file=receipt.source)))
        for sentence in in_words(receipt.notes, say):
            print(_printable(say("intake.note", note=sentence)))
    taken = sum(receipt.taken for receipt in receipts)
    changed = sum(receipt.changed for receipt in receipts)
    print(say("intake.summary", lesson=lesson, taken=taken, refused=len(receipts) - taken, changed=changed))


def _printable(text: str) -> str:
    """Text that every terminal takes: names in a foreign encoding hold half characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _take(student: str, files: list[ReceivedFile], submitted: Path, assignment: Assignment) -> Receipt:
    receipt = Receipt(
        student, notes=[Note(f"intake.{file.problem}", str(file.path)) for file in files if file.problem]
    )
    folder = submitted / student / assignment.lesson
    candidates = list(_candidates(_without_packs(files, assignment, receipt), assignment))
    chosen = _chosen(candidates, receipt, assignment)
    _make_folder(folder)
    if chosen is None:
        _stamp(folder, b"", receipt)
        return receipt
    file, rebuilt = chosen
    results = attachments.results_in((found.path, found.data) for found in files if not found.problem)
    if results:
        file = replace(file, data=attachments.attach(file.data, results))
        receipt.notes.append(Note("intake.results", ", ".join(sorted(results))))
    receipt.source, receipt.language, receipt.taken = str(file.path), rebuilt.language, True
    receipt.notes += [note for note in (*read(file.data).notes, *rebuilt.notes) if note not in receipt.notes]
    target = folder / f"{assignment.lesson}.ipynb"
    receipt.changed = not _is_same(target, file.data)
    if receipt.changed:
        writing.replace(target, file.data)
    _stamp(folder, file.data, receipt)
    return receipt


def _without_packs(files: list[ReceivedFile], assignment: Assignment, receipt: Receipt) -> list[ReceivedFile]:
    """The files, each pack of the lesson replaced by its notebook; one handed in beside it comes first."""
    readable = {file.path: file.data for file in files if not file.problem}
    for pack in packs.found_in(readable):
        if pack.manifest.get("lesson") != assignment.lesson:
            continue
        files = [file for file in files if file.path not in pack.paths]
        if not pack.sound:
            receipt.notes.append(Note("intake.bad_pack", str(pack.folder / packs.MANIFEST)))
        elif not any(any(map(_is_answer, rebuilt.pieces)) for _, rebuilt in _candidates(files, assignment)):
            if pack.notebook is None:
                receipt.notes.append(Note("intake.from_answers", str(pack.folder / packs.ANSWERS)))
            data = pack.notebook or packs.notebook_of(pack, assignment)
            files.append(ReceivedFile(pack.folder / f"{assignment.lesson}.ipynb", data))
    return files


def _candidates(
    files: Iterable[ReceivedFile], assignment: Assignment
) -> Iterator[tuple[ReceivedFile, Rebuilt]]:
    """Files that hold cells of this lesson, and files that claim to be its notebook."""
    for file in files:
        if file.is_notebook and not file.problem:
            found = read(file.data)
            rebuilt = rebuild(found.notebook, assignment)
            if _is_lessons(rebuilt) or _bare(file.path.name) == assignment.lesson:
                yield file, rebuilt


def _is_lessons(rebuilt: Rebuilt) -> bool:
    """True when the notebook holds something of this lesson: more than half of its checks, or an answer."""
    checks = [cell.name for cell in rebuilt.master.cells if cell.owner == "instructor"]
    gone = {note.cell for note in rebuilt.notes if note.key == "repaired.deleted"}
    return len(gone) < len(checks) / 2 or any(_is_answer(piece) for piece in rebuilt.pieces)


def _is_answer(piece: RebuiltCell) -> bool:
    return piece.master is not None and piece.master.owner == "solution" and not piece.untouched


def _chosen(
    candidates: list[tuple[ReceivedFile, Rebuilt]], receipt: Receipt, assignment: Assignment
) -> tuple[ReceivedFile, Rebuilt] | None:
    """The one notebook; two different ones are reported, not guessed."""
    if not candidates:
        receipt.notes.append(Note("intake.no_notebook", assignment.lesson))
        return None
    different = {file.data: (file, rebuilt) for file, rebuilt in reversed(candidates)}
    worked = {data: pair for data, pair in different.items() if any(map(_is_answer, pair[1].pieces))}
    left = list((worked or different).values())
    if len(left) > 1:
        names = ", ".join(sorted(str(file.path) for file, _ in left))
        receipt.notes.append(Note("intake.two_notebooks", names))
        return None
    file = left[0][0]
    if file.path.name != f"{assignment.lesson}.ipynb":
        receipt.notes.append(Note("intake.renamed", file.path.name))
    return left[0]


def _by_student(
    files: Iterable[ReceivedFile], lesson: str, student: str | None
) -> Mapping[str, list[ReceivedFile]]:
    found: dict[str, list[ReceivedFile]] = {}
    for file in files:
        name, rest = (student or file.owner, file.path)
        if not name:
            name, rest = _owner(file.path, lesson)
        if name:
            known = unicodedata.normalize("NFC", name[:ID_CHARACTERS])
            found.setdefault(known, []).append(replace(file, path=rest))
    return _with_ids(found)


def _with_ids(found: Mapping[str, list[ReceivedFile]]) -> dict[str, list[ReceivedFile]]:
    """By id; people whose names come to the same id, or to none, are told apart by a digest of the name."""
    ids = {name: student_id(name) for name in found}
    taken = Counter(ids.values())
    result = {}
    for name, files in found.items():
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        own = ids[name] if ids[name] and taken[ids[name]] == 1 else f"{ids[name] or 'student'}-{digest}"
        result.setdefault(own, []).extend(files)
    return result


def _owner(path: PurePosixPath, lesson: str) -> tuple[str, PurePosixPath]:
    """Whose file it is, by the folder it stands in, else by its own name."""
    for index, part in enumerate(path.parts[:-1]):
        moodle = MOODLE.match(part)
        if moodle:
            return f"{moodle['name']}_{moodle['number']}", PurePosixPath(*path.parts[index + 1 :])
    canvas = CANVAS.match(path.name)
    if canvas:
        return f"{canvas['name']}_{canvas['number']}", PurePosixPath(canvas["file"])
    if len(path.parts) > 1:
        return path.parts[0], PurePosixPath(*path.parts[1:])
    return _bare(path.name).replace(lesson, "").strip(" _-") or "", path


def student_id(name: str) -> str:
    """A name that a folder and nbgrader can bear: letters of any script, digits, `.`, `_` and `-`."""
    name = unicodedata.normalize("NFC", name[:ID_CHARACTERS])
    name = re.sub(r"[^\w.-]+", "-", name, flags=re.UNICODE).strip(".-")
    return name.encode("utf-8", "ignore")[:ID_BYTES].decode("utf-8", "ignore").strip(".-")


def _bare(name: str) -> str:
    """A file's name without endings and without what browsers add to a second download."""
    bare = re.sub(r"(\.ipynb|\.txt|\.json)+$", "", name, flags=re.IGNORECASE)
    return COPY.sub("", bare).strip()


def _files(source: Path, lesson: str) -> Iterator[ReceivedFile]:
    status = source.lstat()
    if stat.S_ISDIR(status.st_mode):
        yield from _expanded(_of_folder(source), lesson)
    elif stat.S_ISREG(status.st_mode) and source.suffix.lower() == ".zip":
        yield from _of_zip(source.open("rb"))
    elif stat.S_ISREG(status.st_mode):
        yield _read_file(source, PurePosixPath(source.name))
    else:
        raise NotCollected("intake.link", str(source))


def _expanded(files: Iterable[ReceivedFile], lesson: str) -> Iterator[ReceivedFile]:
    """Files, with a student's own zip opened once: whose it is says its own place, never what is in it."""
    for file in files:
        if file.path.suffix.lower() == ".zip" and file.data:
            try:
                inside = list(_of_zip(io.BytesIO(file.data)))
                folder = _folder_of(file.path, inside)
                owner, rest = _zip_owner(file.path, folder, inside, lesson)
                yield from (replace(inner, path=rest / inner.path, owner=owner) for inner in inside)
            except NotCollected as problem:
                yield ReceivedFile(file.path, b"", problem.key.removeprefix("intake."))
        else:
            yield file


def _zip_owner(
    path: PurePosixPath, folder: PurePosixPath, inside: list[ReceivedFile], lesson: str
) -> tuple[str, PurePosixPath]:
    """Whose zip it is, and where its files stand in that student's work; nobody's is the class's download."""
    if folder != path.parent or len(path.parts) > 1 or CANVAS.match(path.name):
        outer = folder / path.name if folder != path.parent else path
        owner, rest = _owner(outer, lesson)
        return owner, rest.parent
    named = any(len(file.path.parts) > 1 or CANVAS.match(file.path.name) for file in inside)
    return ("" if named else _owner(PurePosixPath(path.stem), lesson)[0]), folder


def _folder_of(path: PurePosixPath, inside: list[ReceivedFile]) -> PurePosixPath:
    """Where the files of a student's zip go: beside it; those of a pack into a folder of their own."""
    found = packs.found_in({file.path: file.data for file in inside})
    if not found:
        return path.parent
    alone = path.parent == PurePosixPath() and student_id(found[0].student)
    return path.parent / (alone or path.stem)


def _of_folder(top: Path) -> Iterator[ReceivedFile]:
    count = total = 0
    links = borrowed(top)
    for folder, folders, names in os.walk(top, followlinks=False):
        where = PurePosixPath(*Path(folder).relative_to(top).parts)
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        yield from (ReceivedFile(where / name, b"", "link") for name in linked)
        folders[:] = sorted(set(folders) - set(linked)) if len(where.parts) < DEPTH else []
        for name in sorted(names):
            if SKIPPED.search(str(where / name)):
                continue
            count += 1
            if count > FILES or total > TOTAL_BYTES:
                raise NotCollected("intake.too_many", str(top))
            path = Path(folder, name)
            found = (
                ReceivedFile(where / name, b"", "link") if path in links else _read_file(path, where / name)
            )
            total += len(found.data)
            yield found


def _read_file(path: Path, shown: PurePosixPath) -> ReceivedFile:
    """A regular file's bytes; the check is made on what was opened, so that nothing can be swapped in
    between."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ReceivedFile(shown, b"", "link" if path.is_symlink() else "unreadable_file")
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            return ReceivedFile(shown, b"", "link")
        if status.st_size > FILE_BYTES:
            return ReceivedFile(shown, b"", "too_large")
        return ReceivedFile(shown, stream.read(FILE_BYTES))


def _of_zip(stream: io.IOBase) -> Iterator[ReceivedFile]:
    count = total = 0
    try:
        with stream, zipfile.ZipFile(stream) as archive:
            entries = archive.infolist()
            if len(entries) > FILES:
                raise NotCollected("intake.too_many")
            for entry in entries:
                path = _entry_path(entry)
                if entry.is_dir() or path is None or SKIPPED.search(str(path)):
                    continue
                found = _read_entry(archive, entry, path)
                count, total = count + 1, total + len(found.data)
                if total > TOTAL_BYTES:
                    raise NotCollected("intake.too_many")
                yield found
    except BAD_ZIP as problem:
        raise NotCollected("intake.bad_zip", type(problem).__name__) from None


def _entry_path(entry: zipfile.ZipInfo) -> PurePosixPath | None:
    """Where the entry would stand; none for one that points out of its archive. Old Windows zips hold GBK
    names."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("gb18030")
        except UnicodeError:
            name = entry.filename
    path = PurePosixPath(name.replace("\\", "/"))
    unsafe = (
        path.is_absolute() or ".." in path.parts or len(path.parts) > DEPTH or re.match(r"^[A-Za-z]:", name)
    )
    return None if unsafe or not path.parts else path


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: PurePosixPath) -> ReceivedFile:
    mode = entry.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        return ReceivedFile(path, b"", "link")
    if entry.flag_bits & 1:
        return ReceivedFile(path, b"", "encrypted")
    with archive.open(entry) as stream:
        data = stream.read(FILE_BYTES + 1)
    return ReceivedFile(path, b"", "too_large") if len(data) > FILE_BYTES else ReceivedFile(path, data)


def _make_folder(folder: Path) -> None:
    """The student's folder under `submitted/`, made of real folders all the way down."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink() or folder.parent.is_symlink():
        raise NotCollected("intake.link", str(folder))


def _is_same(path: Path, data: bytes) -> bool:
    return path.is_file() and not path.is_symlink() and path.read_bytes() == data


def _stamp(folder: Path, data: bytes, receipt: Receipt) -> None:
    """Our own time, kept when the same file comes again, and a receipt of what was put right or refused."""
    digest = hashlib.sha256(data).hexdigest()
    known = _known(folder / RECEIPT)
    time = known.get("time") if known.get("sha256") == digest and isinstance(known.get("time"), str) else None
    time = time or datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    record = {
        "student": receipt.student,
        "file": receipt.source,
        "sha256": digest,
        "time": time,
        "language": receipt.language,
        "taken": receipt.taken,
        "notes": [{"key": note.key, "cell": note.cell} for note in receipt.notes],
        "in_words": in_words(receipt.notes, partial(say_in, receipt.language)),
    }
    writing.replace(
        folder / RECEIPT, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
    )
    if receipt.taken:
        writing.replace(folder / STAMP, f"{time}\n".encode())


def _known(path: Path) -> dict:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
