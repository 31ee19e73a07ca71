"""Export: a lesson's points into the sheet that the university's system exported, nothing else changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from course.grading.gradebook import Gradebook
from course.grading.roster import Roster
from course.grading.student_record import StudentRecord
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.reporting import marks
from course.reporting.line_owners import By, LineOwners
from course.sheets import columns, student_sheet
from course.sheets.columns import Column
from course.sheets.student_sheet import StudentSheet
from course.text import Problem, say
from helpers import writing

STATED = re.compile(
    r"\((?:总|总分|满分|max|outof)[^()\d]*(\d+(?:[.,]\d+)?)(?:分|points?|pts?)?\)"
    r"|\([^()\d]*(\d+(?:[.,]\d+)?)(?:分|points?|pts?)\)"
)
POINTS_POSSIBLE, READ_ONLY = "pointspossible", "(readonly)"


@dataclass(frozen=True)
class ExportOptions:
    """How a sheet is filled in: which table and columns of it, out of how many points, what a student on the
    roster gets who handed in nothing, and where the new file goes."""

    to: Path | None = None
    in_place: bool = False
    sheet: str | None = None
    id_column: str | None = None
    column: str | None = None
    out_of: float | None = None
    missing: float | None = None


@dataclass(frozen=True)
class FilledCell:
    """One student whose points stand in the sheet: who, in which row (from 0), how many, known by what."""

    student: str
    row: int
    points: float
    by: By


@dataclass(frozen=True)
class Export:
    """What was filled in, and who is left; every list is of people as they are to be read."""

    path: Path
    column: str
    placed: tuple[FilledCell, ...]
    only_in_sheet: tuple[str, ...]
    only_in_gradebook: tuple[str, ...]
    no_points: tuple[str, ...]
    above: tuple[str, ...]
    unmarked: tuple[str, ...]
    outside: tuple[str, ...]
    lost: tuple[str, ...]


def fill(
    folder: CourseFolder,
    lesson: str,
    path: Path,
    options: ExportOptions | None = None,
    database: str | None = None,
) -> Export:
    """Fill a lesson's points into a copy of the sheet, or into the sheet with a copy of it kept beside."""
    options, url = options or ExportOptions(), database or folder.database
    sheet = _sheet(path, options)
    column = _column(sheet, folder, lesson, options)
    roster, records = Roster.read(url), _records(lesson, url)
    outside = roster.outside(records)
    known = {name: found for name, found in records.items() if name not in outside}
    owners = LineOwners(sheet, roster, frozenset({*known, *roster.students})).all()
    most = _stated(sheet, column)
    scale = _scale(sheet, known, most, options)
    placed = []
    for owner in owners:
        points = known[owner.student].points * scale if owner.student in known else options.missing
        if points is not None:
            placed.append(FilledCell(owner.student, owner.row, round(points, 2), owner.by))
    _set(sheet, column, placed)
    target = _write(path, sheet.table.data(), lesson, options)
    rows, people = {one.row for one in owners}, {one.student for one in owners}
    return Export(
        path=target,
        column=column.title,
        placed=tuple(placed),
        only_in_sheet=tuple(_line(sheet, line) for line in sheet.lines if line.row not in rows),
        only_in_gradebook=_labels(roster, {*known, *roster.students} - people),
        no_points=_labels(roster, people - {one.student for one in placed}),
        above=_labels(roster, (one.student for one in placed if most is not None and one.points > most)),
        unmarked=_labels(roster, (name for name in people & set(known) if known[name].needs_review)),
        outside=tuple(outside),
        lost=sheet.table.lost,
    )


def show(export: Export) -> None:
    """Print who is in the sheet only, in the gradebook only, and what was written where."""
    for by in ("name", "zeros"):
        found = [f"{one.student} ({one.row + 1})" for one in export.placed if one.by == by]
        if found:
            print(say(f"export.by_{by}", count=len(found), names=", ".join(found)))
    for key in ("only_in_sheet", "only_in_gradebook", "no_points", "above", "unmarked", "outside", "lost"):
        names = getattr(export, key)
        if names:
            print(say(f"export.{key}", count=len(names), names=", ".join(names)))
    print(say("export.written", count=len(export.placed), column=export.column, path=export.path))


def _sheet(path: Path, options: ExportOptions) -> StudentSheet:
    found = student_sheet.find(path, options.sheet, {"id": options.id_column} if options.id_column else None)
    if len(found) > 1:
        raise Problem("export.which_sheet", path=path, known=", ".join(one.table.name for one in found))
    return found[0]


def _column(sheet: StudentSheet, folder: CourseFolder, lesson: str, options: ExportOptions) -> Column:
    """The column for the points: the one named, the one that bears the lesson's name, or the only one."""
    chosen = _named(sheet, folder, lesson, options)
    if chosen.kind in columns.WHO:
        raise Problem("export.no_grades", path=sheet.path, column=chosen.title)
    if columns.plain(_above(sheet, chosen)) == READ_ONLY:
        raise Problem("export.read_only", path=sheet.path, column=chosen.title)
    return chosen


def _named(sheet: StudentSheet, folder: CourseFolder, lesson: str, options: ExportOptions) -> Column:
    if options.column:
        return student_sheet.one_column(sheet.path, sheet.columns, options.column)
    names = {columns.plain(name) for name in (lesson, *_titles(folder, lesson))}
    free = [one for one in sheet.columns.columns if one.title and one.kind in (None, "grade")]
    called = [one for one in free if columns.BRACKETS.sub("", columns.plain(one.title)) in names]
    grades = [] if sheet.columns.is_canvas else [one for one in free if one.kind == "grade"]
    for found in (called, grades):
        if len(found) == 1:
            return found[0]
    known = ", ".join(f"{columns.letters(one.place)} {one.title}" for one in free)
    key = "export.no_assignment" if sheet.columns.is_canvas else "export.which_column"
    raise Problem(key, path=sheet.path, lesson=lesson, known=known or "-")


def _titles(folder: CourseFolder, lesson: str) -> Iterator[str]:
    for language in folder.languages:
        if folder.master(lesson, language).is_file():
            yield notebooks.title(marks.master(folder, lesson, language)) or lesson


def _records(lesson: str, database: str) -> dict[str, StudentRecord]:
    """Everyone with points in the lesson."""
    with Gradebook(database, lesson) as book:
        found = book.records(book.students()) if book.knows_lesson() else {}
    if not found:
        raise Problem("feedback.not_graded", student="*", lesson=lesson)
    return found


def _above(sheet: StudentSheet, column: Column) -> str:
    """What the sheet's line of possible points says of a column; nothing without such a line."""
    for row in sheet.table.rows[sheet.columns.first_row :]:
        if row and columns.plain(row[0]) == POINTS_POSSIBLE:
            return row[column.place] if column.place < len(row) else ""
    return ""


def _stated(sheet: StudentSheet, column: Column) -> float | None:
    """The most points that the sheet allows in a column, if it says so anywhere."""
    said = {_above(sheet, column)}
    if not sheet.columns.is_canvas:
        found = STATED.search(columns.plain(column.title))
        most = sheet.columns.of("most")
        rows = sheet.table.rows
        said |= {found[1] or found[2]} if found else set()
        said |= {rows[line.row][most.place] for line in sheet.lines} if most else set()
    numbers = {value for value in map(_number, said) if value is not None}
    return min(numbers, default=None)


def _scale(
    sheet: StudentSheet, records: Mapping[str, StudentRecord], most: float | None, options: ExportOptions
) -> float:
    """By what points are multiplied. A sheet out of 100 for a lesson of 59 points is a question."""
    whole = max(
        (sum(one.max_points for one in found.grades.values()) for found in records.values()), default=0.0
    )
    if options.out_of is None and most is not None and most != whole:
        raise Problem("export.other_maximum", path=sheet.path, most=most, whole=whole)
    if options.out_of is None or not whole:
        return 1.0
    if most is not None and options.out_of > most:
        raise Problem("export.too_much", path=sheet.path, most=most, got=options.out_of)
    return options.out_of / whole


def _set(sheet: StudentSheet, column: Column, placed: Iterable[FilledCell]) -> None:
    for one in placed:
        if sheet.table.computed(one.row, column.place):
            cell = f"{columns.letters(column.place)}{one.row + 1}"
            raise Problem("export.formula", path=sheet.path, cell=cell, column=column.title)
        sheet.table.set(one.row, column.place, one.points)


def _write(path: Path, data: bytes, lesson: str, options: ExportOptions) -> Path:
    """Write the filled sheet: a new file, or the sheet itself, whose old bytes stay beside it."""
    in_place = options.in_place or (options.to is not None and options.to.resolve() == path.resolve())
    target = path if in_place else options.to or path.with_name(f"{path.stem}-{lesson}{path.suffix}")
    if target.suffix.lower() != path.suffix.lower():
        raise Problem("export.not_the_kind", path=target, suffix=path.suffix)
    try:
        if in_place:
            writing.replace(path.with_name(f"{path.stem}.before{path.suffix}"), path.read_bytes())
        writing.replace(target, data)
    except OSError as problem:
        raise Problem("export.not_written", path=target, reason=problem.strerror) from None
    return target


def _line(sheet: StudentSheet, line: student_sheet.SheetLine) -> str:
    """A line as a person finds it."""
    keys = [line.said[kind] for kind in student_sheet.KEYS if kind in line.said]
    return " ".join([f"{line.row + 1}:", *keys[:1], line.name]).strip()


def _labels(roster: Roster, students: Iterable[str]) -> tuple[str, ...]:
    return tuple(roster.label(name) for name in sorted(students))


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
