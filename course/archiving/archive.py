"""Archive: a lesson in one zip, everything that its points came of; the same bytes each time.

Below `course/` in it lies a course folder with this lesson alone, beside that the gradebook's rows, and a
list with each file's digest and the versions of what graded. It holds answers, hidden tests and everybody's
work, so it belongs where only teachers read.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import helpers
from course.archiving.lesson_rows import LessonRows
from course.collecting.account import FOLDER as ACCOUNTS
from course.collecting.versions import FOLDER as VERSIONS
from course.grading import graded_log
from course.grading.gradebook import Gradebook
from course.lesson.folder import CONFIGURATION, CourseFolder
from course.submission.files import NotRegular, read_regular
from course.text import Problem, few, say
from helpers import writing

FORMAT = "iteration-budget-archive/v1"
MANIFEST, ROWS, TOP = "manifest.json", "gradebook.json", "course"
PACKAGES = ("ipykernel", "nbclient", "nbconvert", "nbformat", "nbgrader", "numpy", "sqlalchemy", "torch")
OF_STUDENTS = ("submitted", VERSIONS, "autograded")
LEFT_ASIDE = frozenset({"__pycache__", ".ipynb_checkpoints"})
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip knows


@dataclass(frozen=True)
class Archive:
    """What was written, and which files could not be taken along."""

    path: Path
    files: int
    size_bytes: int
    students: int
    left_out: tuple[str, ...] = ()


def write(folder: CourseFolder, lesson: str, to: Path | None = None, database: str | None = None) -> Archive:
    """Write a lesson's archive, whole or not at all."""
    url = database or folder.database
    with Gradebook(url, lesson) as book:
        if not book.knows_lesson():
            raise Problem("archive.nothing", lesson=lesson)
        students = len(book.students())
    content, left_out = io.BytesIO(), []
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        digests = {}
        for name, data in _files(folder, lesson, url, left_out):
            digests[name] = hashlib.sha256(data).hexdigest()
            archive.writestr(_entry(name), data)
        archive.writestr(_entry(MANIFEST), _json(_about(folder, lesson) | {"files": digests}))
    path = to or _usual(folder, lesson)
    writing.replace(path, content.getvalue())
    return Archive(path, len(digests), len(content.getvalue()), students, tuple(left_out))


def in_words(made: Archive) -> Iterator[str]:
    """What was written, what was left out, and where such a file belongs."""
    if made.left_out:
        yield say("archive.left_out", count=len(made.left_out), names=few(made.left_out))
    size = made.size_bytes / 1e6
    yield say("archive.written", path=made.path, students=made.students, files=made.files, size=size)


def versions() -> dict[str, str]:
    """The versions of what grades here."""
    found = {"iteration-budget": helpers.__version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def grader(folder: CourseFolder, lesson: str) -> str:
    """The code that grades this lesson here, in short."""
    return graded_log.fingerprint(folder.public_file(lesson))


def _about(folder: CourseFolder, lesson: str) -> dict:
    return {
        "format": FORMAT,
        "lesson": lesson,
        "versions": versions(),
        "grader": grader(folder, lesson),
    }


def _files(
    folder: CourseFolder, lesson: str, database: str, left_out: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Each file by its name in the archive; a file that is no plain one goes to `left_out`."""
    yield ROWS, _json(LessonRows.read(database, lesson).to_dict())
    for place, path in sorted(_paths(folder, lesson)):
        try:
            yield f"{TOP}/{place}", read_regular(path, _top(folder, path))[0]
        except NotRegular:
            left_out.append(place)


def _paths(folder: CourseFolder, lesson: str) -> Iterator[tuple[str, Path]]:
    """Every file of the lesson, with its place in a course folder."""
    root, secret = folder.root, folder.secret_half(lesson)
    yield CONFIGURATION, root / CONFIGURATION
    if folder.public_file(lesson).is_file():
        yield f"helpers/lessons/{lesson}.json", folder.public_file(lesson)
    for place, path in _below(secret):
        yield f"course/lessons/{secret.name}/{place}", path
    tops = [
        root / kind / language / lesson for kind in ("source", "release") for language in folder.languages
    ]
    tops += [path for kind in OF_STUDENTS for path in (root / kind).glob(f"*/{lesson}")]
    for top in (*tops, root / ACCOUNTS / lesson):
        yield from ((f"{top.relative_to(root).as_posix()}/{place}", path) for place, path in _below(top))


def _below(top: Path) -> Iterator[tuple[str, Path]]:
    for path in top.rglob("*"):
        place = path.relative_to(top)
        is_file = path.is_symlink() or not path.is_dir()
        if is_file and not LEFT_ASIDE & set(place.parts) and path.suffix != ".part":
            yield place.as_posix(), path


def _top(folder: CourseFolder, path: Path) -> Path:
    """Up to where no link may lead: a secret half may lie beside the installed package."""
    return folder.root if path.is_relative_to(folder.root) else path.parent


def _usual(folder: CourseFolder, lesson: str) -> Path:
    """A folder of its own, which git ignores."""
    archives = folder.root / "archives"
    writing.write_if_changed(archives / ".gitignore", b"*\n")
    return archives / f"{lesson}.zip"


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
    return entry


def _json(found: dict) -> bytes:
    return (json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
