"""Upload: feedback pages packed under the names by which a learning platform knows whose they are."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from course.grading.roster import Roster
from course.lesson.folder import CourseFolder
from course.reporting.line_owners import NUMBERED, LineOwners, folded
from course.sheets import student_sheet
from course.text import Problem
from helpers import writing

Platform = Literal["moodle", "canvas"]
PLATFORMS: tuple[Platform, ...] = ("moodle", "canvas")
FROM_MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_[a-z]+_?.*")
FROM_CANVAS = re.compile(r"(?P<name>[^\W_]+(?:_LATE)?)_(?P<number>\d+)_(?P<attachment>\d+)_.+", re.IGNORECASE)
UTF8_FLAG = 0x800
FIRST_DAY = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class NamedPlace:
    """How a platform knows a student: the number in its file names, and the text before it."""

    number: str
    name: str
    attachment: str = ""

    def path(self, platform: Platform, lesson: str) -> str:
        """The page's path in the zip. Moodle splits at `_` into name, number, type and plug-in, and older
        ones want a fifth part; Canvas looks for the numbers of student and attachment."""
        if platform == "canvas":
            return f"{self.name}_{self.number}_{self.attachment}_{lesson}.html"
        name = re.sub(r"[_/\\:*?\"<>|.~\s]+", " ", self.name).strip() or "student"
        return f"{name}_{self.number}_assignfeedback_file_/{lesson}.html"


@dataclass(frozen=True)
class Upload:
    """The zip that was written, who is in it, and of whom the platform's number is not known."""

    path: Path
    packed: tuple[str, ...]
    unknown: tuple[str, ...]


def pack(
    folder: CourseFolder,
    lesson: str,
    pages: Mapping[str, Path],
    platform: str,
    like: Path | None = None,
    database: str | None = None,
) -> Upload:
    """Pack students' pages for a platform. `like` is what the platform gave out for this assignment, its zip
    or folder of submissions or its grading worksheet, and says how it names the students."""
    if platform not in PLATFORMS:
        raise Problem("upload.platform", got=platform, known=", ".join(PLATFORMS))
    roster = Roster.read(database or folder.database)
    places = dict(_places(roster, pages, platform, like))
    if not places:
        raise Problem(f"upload.no_number_{platform}", lesson=lesson)
    target = folder.root / "feedback" / f"{lesson}-{platform}.zip"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for student in sorted(places):
            entry = zipfile.ZipInfo(places[student].path(platform, lesson), FIRST_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, pages[student].read_bytes())
    writing.replace(target, made.getvalue())
    unknown = tuple(roster.label(student) for student in sorted(set(pages) - set(places)))
    return Upload(target, tuple(sorted(places)), unknown)


def _places(
    roster: Roster, students: Iterable[str], platform: str, like: Path | None
) -> Iterator[tuple[str, NamedPlace]]:
    students = list(students)
    if like is None:
        yield from () if platform == "canvas" else _known(roster, students)
    elif like.is_dir() or (zipfile.is_zipfile(like) and not _is_workbook(like)):
        yield from _of_download(roster, students, _downloaded(like, platform))
    elif platform == "canvas":
        raise Problem("upload.no_number_canvas", lesson=like)
    else:
        yield from _of_sheet(roster, students, like)


def _known(roster: Roster, students: list[str]) -> Iterator[tuple[str, NamedPlace]]:
    """By the number that the gradebook knows, or that the id, made of a file's name, ends with."""
    for student in students:
        known = roster.students.get(student)
        numbered = NUMBERED.match(student) if known is None else None
        number = (known.lms_user_id if known else None) or (numbered[1] if numbered else None)
        if number:
            yield student, NamedPlace(number, roster.name(student) or student.rpartition("_")[0])


def _of_sheet(roster: Roster, students: list[str], path: Path) -> Iterator[tuple[str, NamedPlace]]:
    """By the identifiers of a grading worksheet."""
    sheet = student_sheet.find(path)[0]
    lines = {line.row: line for line in sheet.lines}
    for owner in LineOwners(sheet, roster, frozenset({*students, *roster.students})).all():
        line = lines[owner.row]
        if owner.student in students and "lms" in line.said:
            yield owner.student, NamedPlace(line.said["lms"], line.name or owner.student)


def _of_download(
    roster: Roster, students: list[str], places: list[NamedPlace]
) -> Iterator[tuple[str, NamedPlace]]:
    """By the names in what was downloaded: by the number, else by a name that is nobody else's."""
    by_number = {place.number: place for place in places}
    names: dict[str, set[str]] = {}
    for place in places:
        names.setdefault(folded(place.name), set()).add(place.number)
    numbers = {student: place.number for student, place in _known(roster, students)}
    own = [folded(roster.name(student)) for student in roster.students]
    for student in students:
        name = folded(roster.name(student))
        alone = bool(name) and own.count(name) == 1 and len(names.get(name, ())) == 1
        number = numbers.get(student)
        if number in by_number:
            yield student, by_number[number]
        elif alone:
            yield student, by_number[next(iter(names[name]))]


def _downloaded(like: Path, platform: str) -> list[NamedPlace]:
    pattern = FROM_CANVAS if platform == "canvas" else FROM_MOODLE
    found = (pattern.fullmatch(part) for path in _paths(like) for part in path.parts)
    return [
        NamedPlace(one["number"], one["name"], one.groupdict().get("attachment", "")) for one in found if one
    ]


def _paths(like: Path) -> Iterator[PurePosixPath]:
    if like.is_dir():
        for where, _, names in os.walk(like):
            yield from (PurePosixPath(*Path(where, name).relative_to(like).parts) for name in names)
        return
    for entry in zipfile.ZipFile(like).infolist():
        yield PurePosixPath(_name(entry))


def _name(entry: zipfile.ZipInfo) -> str:
    """The entry's name; old Windows zips hold GBK names without a word about it."""
    if entry.flag_bits & UTF8_FLAG:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("gb18030")
    except UnicodeError:
        return entry.filename


def _is_workbook(path: Path) -> bool:
    return "[Content_Types].xml" in zipfile.ZipFile(path).namelist()
