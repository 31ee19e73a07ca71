"""A university around the small course: classes with points in the gradebook, sheets as its systems export
them, and what those systems' importers take, written anew from their own code (lib/gradebook_importer.rb of
Canvas; importgradeslib.php, locallib.php and importziplib.php of Moodle)."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import openpyxl
import small
from openpyxl.styles import Font, PatternFill

from course.grading.assessment import Assessment
from course.grading.examiner import Verdict
from course.grading.gradebook import Gradebook, GradeEntry
from course.grading.roster import Student, write
from course.lesson import generating
from course.lesson.folder import CourseFolder


@dataclass(frozen=True)
class Person:
    """Somebody at the university."""

    id: str
    name: str
    number: int

    @property
    def email(self) -> str:
        return f"u{self.number}@example.edu"


def people(count: int, name: str = "学生") -> list[Person]:
    """A class: ids with leading zeros, and the first two of one name."""
    return [Person(f"{n:06d}", f"{name}{max(n, 1)}", 50_000 + 7 * n) for n in range(count)]


def points(count: int) -> list[float]:
    """Points out of 2, different from one student to the next."""
    return [n % 201 / 100 for n in range(count)]


def graded(made: CourseFolder, earned: Mapping[str, float], when: datetime | None = None) -> None:
    """Put points into the gradebook, as grading does."""
    with Gradebook(made.database, small.LESSON) as book:
        if not book.knows_lesson():
            generating.register(made, small.LESSON)
        book.write(GradeEntry(name, assessed(value), when) for name, value in earned.items())


def assessed(value: float) -> Assessment:
    """An assessment of the small lesson that comes to so many points."""
    first = min(value, 1.0)
    verdicts = tuple(
        Verdict(name, score, 1.0) for name, score in zip(small.CONCEPTS, (first, value - first), strict=True)
    )
    return Assessment(b"", verdicts, frozenset(), (), "zh", 0.0, True, "")


def enrolled(made: CourseFolder, students: Iterable[Person]) -> None:
    """Put people on the roster."""
    write(made, [Student(one.id, "", one.name, one.email) for one in students], ())


def text(rows: Sequence[Sequence[str]], separator: str = ",", end: str = "\r\n") -> str:
    """Rows as CSV."""
    made = io.StringIO()
    csv.writer(made, delimiter=separator, lineterminator=end).writerows(rows)
    return made.getvalue()


def canvas(students: Sequence[Person], earned: Sequence[str] | None = None, most: str = "2.0") -> str:
    """Canvas's gradebook with the small lesson, another assignment and a total."""
    rows = [
        [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Section",
            "Other (811)",
            "A small lesson (812)",
            "Final Score",
        ],
        ["", "", "", "", "", "Manual Posting", "", ""],
        ["    Points Possible", "", "", "", "", "10.0", most, "(read only)"],
    ]
    for index, one in enumerate(students):
        other = ("EX", "N/A", "9.50", "")[index % 4]
        value = "" if earned is None else earned[index]
        rows.append(
            [f"{one.name}, Kim", str(one.number), one.id, f"u{one.number}", 'S 1; "A"', other, value, "88.1"]
        )
    return text([*rows, ["Student, Test", "9", "", "", "S 1", "", "", ""]])


def canvas_takes(content: str, assignment: str) -> dict[int, str]:
    """What Canvas's importer reads of an assignment, by its own number of the student."""
    lines = content.lstrip("\ufeff").splitlines(keepends=True)
    sizes = {mark: {len(next(csv.reader([line], delimiter=mark))) for line in lines[:3]} for mark in ";,"}
    counts = {mark: sizes[mark].pop() if len(sizes[mark]) == 1 else 0 for mark in ";,"}
    rows = list(
        csv.reader(io.StringIO(content.lstrip("\ufeff")), delimiter=";" if counts[";"] > counts[","] else ",")
    )
    header = rows[0]
    assert "Student" in header[0]
    assert "ID" in header[1]
    assert len(header) > 3
    known = 3 + (header[2:4] == ["SIS User ID", "SIS Login ID"]) * 2
    assert "Section" in header[known - 1]
    (place,) = [at for at, title in enumerate(header) if at >= known and title.endswith(f"({assignment})")]
    taken: dict[int, str] = {}
    for row in rows[1:]:
        if "Points Possible" in row[0] or all(
            re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", one) for one in row
        ):
            continue
        taken[int(row[1])] = re.sub(r"^(-?\d+),(\d+)$", r"\1.\2", row[place].strip())
    return taken


MOODLE = {
    "en": ("Participant ", ("Identifier", "Full name", "ID number", "Email address", "Status", "Grade",
           "Maximum Grade", "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
           "Feedback comments")),
    "zh": ("参与人", ("标识符", "全名", "学号", "电子邮件地址", "状态", "成绩", "最高分",
           "成绩可以更改", "上次修改（提交）", "上次修改（评分）", "反馈评语")),
}  # fmt: skip


def moodle(students: Sequence[Person], language: str, earned: Sequence[str] | None = None) -> str:
    """Moodle's grading worksheet in the site's language."""
    prefix, header = MOODLE[language]
    rows = [list(header)]
    for index, one in enumerate(students):
        value = "" if earned is None else earned[index]
        comment = 'said "well done", then\nleft' if index % 3 == 0 else ""
        rows.append([f"{prefix}{one.number}", one.name, one.id, one.email, "Submitted", value, "2.00", "Yes",
                     "Monday, 2 March 2026, 1:00 PM", "-", comment])  # fmt: skip
    return text(rows, end="\n")


def moodle_takes(content: str, language: str, known: Iterable[int]) -> dict[int, float]:
    """What Moodle's importer updates, by the participant's number; rows that it skips are left out."""
    prefix, header = MOODLE[language]
    needed = (
        ("标识符", "成绩", "上次修改（评分）")
        if language == "zh"
        else ("Identifier", "Grade", "Last modified (grade)")
    )
    rows = list(csv.reader(io.StringIO(content.lstrip("\ufeff"))))
    who, grade, _ = (rows[0].index(title) for title in needed)
    most, valid, taken = rows[0].index(header[6]), set(known), {}
    for row in rows[1:]:
        number = row[who][len(prefix) :]
        if not number.isdigit() or int(number) not in valid or not row[grade]:
            continue
        if 0 <= float(row[grade]) <= float(row[most]):
            taken[int(number)] = float(row[grade])
    return taken


def moodle_unpacks(content: bytes) -> dict[int, str]:
    """Whose each file of a feedback zip is, and the name it gets, by Moodle's importer."""
    found = {}
    for name in zipfile.ZipFile(io.BytesIO(content)).namelist():
        if name.rpartition("/")[2].startswith((".", "~")):
            continue
        parts = name.split("/")
        while parts:
            info = parts.pop(0).split("_", 4)
            if len(info) == 5 and info[1].isdigit() and info[2:4] == ["assignfeedback", "file"]:
                found[int(info[1])] = "/".join([info[4], *parts]).lstrip("/")
                break
    return found


def canvas_unpacks(content: bytes) -> dict[int, int]:
    """The attachment that each file of a re-uploaded zip answers, by Canvas's number of the student."""
    found = {}
    for name in zipfile.ZipFile(io.BytesIO(content)).namelist():
        numbers = [part for part in name.rpartition("/")[2].split("_") if re.fullmatch(r"\d+", part)]
        found[int(numbers[0])] = int(numbers[1])
    return found


def rain_classroom(students: Sequence[Person], most: str = "2.0") -> bytes:
    """雨课堂's table of a test."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "试卷-数据表"
    sheet.append(["第三章小测"])
    sheet.merge_cells("A1:D1")
    sheet.append(["学号", "姓名", "进入考试时间", f"得分 (总:{most}分)"])
    for one in students:
        sheet.append([one.id, one.name, "2026-03-01 10:00:00", None])
    return saved(book)


def register(students: Sequence[Person]) -> bytes:
    """A university's 成绩记分册: header in row 5, a second one below, 学号 in column B as text, as a number
    that a format shows with its zeros, or as a bare number; the dimension that it declares is A1."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"] = "某某大学成绩记分册"
    sheet.merge_cells("A1:H1")
    sheet["A1"].font = Font(bold=True, size=16)
    sheet["A3"] = "课程：推理系统"
    for column, title in enumerate(["序号", "学号", "姓名", "平时成绩", None, "期末", "总评", "备注"], 1):
        sheet.cell(5, column, title)
    sheet.merge_cells("D5:E5")
    sheet["D6"], sheet["E6"] = "作业一", "作业二"
    for index, one in enumerate(students):
        row = 7 + index
        sheet.cell(row, 1, index + 1)
        cell = sheet.cell(row, 2, (one.id, int(one.id), float(one.id))[index % 3])
        cell.number_format = ("@", "000000", "General")[index % 3]
        sheet.cell(row, 3, one.name)
        sheet.cell(row, 5, 1.5).fill = PatternFill("solid", fgColor="FFEEAA")
        sheet.cell(row, 4).number_format = "0.00"
        sheet.cell(row, 7, f"=D{row}+E{row}")
    sheet.cell(9 + len(students), 1, "任课教师签字：")
    sheet.column_dimensions["C"].width = 31
    sheet.row_dimensions[5].height = 40
    return _declared_small(saved(book))


def saved(book: openpyxl.Workbook) -> bytes:
    """A workbook's bytes."""
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def everything(content: bytes, but: str) -> dict:
    """Everything in a workbook's first sheet but the cells of one column."""
    sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
    cells = {
        cell.coordinate: (repr(cell.value), cell.number_format, cell.font.b, cell.fill.fgColor.rgb)
        for row in sheet.iter_rows()
        for cell in row
        if cell.coordinate.rstrip("0123456789") != but
    }
    return {
        "title": sheet.title,
        "cells": cells,
        "merged": sorted(map(str, sheet.merged_cells.ranges)),
        "widths": {key: one.width for key, one in sheet.column_dimensions.items()},
        "heights": {key: one.height for key, one in sheet.row_dimensions.items()},
    }


def column(content: bytes, letter: str, first_row: int, count: int) -> list:
    """The values of a column."""
    sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
    return [sheet[f"{letter}{row}"].value for row in range(first_row, first_row + count)]


def _declared_small(content: bytes) -> bytes:
    """The workbook, its sheet declaring that it is one cell."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(made, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name.endswith("sheet1.xml"):
                data = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1"', data)
            after.writestr(name, data)
    return made.getvalue()
