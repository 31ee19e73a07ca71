"""Owners: whose a file is, by the ways in which Moodle, Canvas and people name files and folders."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from course.collecting.received import ReceivedFile
from course.collecting.work import FILES, FilesByPath, Work
from course.submission import packs

ID_CHARACTERS = 80
ID_BYTES = 200
MOODLE = re.compile(r"^(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?$")
CANVAS = re.compile(r"^(?P<name>[^\W_]+)(?:_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)$", re.IGNORECASE)
# Read from behind, where they stand: looked for from the front, each takes the square of a name's length.
ENDINGS = re.compile(r"(?:bnypi\.|txt\.|nosj\.)+", re.IGNORECASE)
COPY = re.compile(r"(?:(?:\)\d+\(|）\d+（|本副|\d*ypoc|\d+-)[\s_-]*)+", re.IGNORECASE)


def by_student(
    files: Iterable[ReceivedFile], lesson: str, student: str | None
) -> dict[str, list[ReceivedFile]]:
    """The files of each student, by id; all are `student`'s where one is named, nobody's are left out."""
    found: dict[str, list[ReceivedFile]] = {}
    for file in files:
        name, rest = (student or file.owner, file.path)
        if not name:
            name, rest = owner(file.path, lesson)
        if name:
            known = unicodedata.normalize("NFC", name[:ID_CHARACTERS])
            own = found.setdefault(known, [])
            if len(own) <= FILES:  # one more than anybody may hand in, so that it is seen
                own.append(replace(file, path=rest))
    return _with_ids(found)


def student_id(name: str) -> str:
    """A name that a folder and nbgrader can bear: letters of any script, digits, `.`, `_` and `-`."""
    name = unicodedata.normalize("NFC", name[:ID_CHARACTERS])
    name = re.sub(r"[^\w.-]+", "-", name, flags=re.UNICODE).strip(".-")
    return name.encode("utf-8", "ignore")[:ID_BYTES].decode("utf-8", "ignore").strip(".-")


def owner(path: PurePosixPath, lesson: str) -> tuple[str, PurePosixPath]:
    """Whose file it is, by the folder it stands in, else by its own name; and its path in that person's
    work."""
    for index, part in enumerate(path.parts[:-1]):
        moodle = MOODLE.match(part)
        if moodle:
            return f"{moodle['name']}_{moodle['number']}", PurePosixPath(*path.parts[index + 1 :])
    canvas = CANVAS.match(path.name)
    if canvas:
        return f"{canvas['name']}_{canvas['number']}", PurePosixPath(canvas["file"])
    if len(path.parts) > 1:
        return path.parts[0], PurePosixPath(*path.parts[1:])
    return bare(path.name).replace(lesson, "").strip(" _-") or "", path


def in_archive(path: PurePosixPath, inside: list[ReceivedFile], lesson: str) -> list[ReceivedFile]:
    """The files of a student's zip with their owner: whose it is says its own place, never what is in it."""
    folder = _folder_of(path, inside)
    whose, rest = _archive_owner(path, folder, inside, lesson)
    return [replace(file, path=rest / file.path, owner=whose) for file in inside]


def bare(name: str) -> str:
    """A file's name without endings and without what browsers add to a second download."""
    backwards = name[::-1]
    for added in (ENDINGS, COPY):
        found = added.match(backwards)
        backwards = backwards[found.end() :] if found else backwards
    return backwards[::-1].strip()


def _with_ids(found: Mapping[str, list[ReceivedFile]]) -> dict[str, list[ReceivedFile]]:
    """By id; people whose names come to the same id, or to none, are told apart by a digest of the name."""
    ids = {name: student_id(name) for name in found}
    taken = Counter(ids.values())
    result: dict[str, list[ReceivedFile]] = {}
    for name, files in found.items():
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        own = ids[name] if ids[name] and taken[ids[name]] == 1 else f"{ids[name] or 'student'}-{digest}"
        result.setdefault(own, []).extend(files)
    return result


def _archive_owner(
    path: PurePosixPath, folder: PurePosixPath, inside: list[ReceivedFile], lesson: str
) -> tuple[str, PurePosixPath]:
    """Whose zip it is, and where its files stand in that student's work; nobody's is the class's download."""
    if folder != path.parent or len(path.parts) > 1 or CANVAS.match(path.name):
        outer = folder / path.name if folder != path.parent else path
        whose, rest = owner(outer, lesson)
        return whose, rest.parent
    named = any(len(file.path.parts) > 1 or CANVAS.match(file.path.name) for file in inside)
    return ("" if named else owner(PurePosixPath(path.stem), lesson)[0]), folder


def _folder_of(path: PurePosixPath, inside: list[ReceivedFile]) -> PurePosixPath:
    """Where the files of a student's zip go: beside it; those of a pack into a folder of their own."""
    found = packs.found_in(FilesByPath(Work(inside)))
    if not found:
        return path.parent
    alone = path.parent == PurePosixPath() and student_id(found[0].student)
    return path.parent / (alone or path.stem)
