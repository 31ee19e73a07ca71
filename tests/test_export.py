"""Grades go back into the very sheet that the university's system exported, and nothing else changes."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import openpyxl
import pytest
import small
import university

from course.lesson.folder import CourseFolder
from course.reporting import export
from course.reporting.export import Export, ExportOptions
from course.sheets.csv_table import number
from course.text import Problem
from helpers.text import speak

COUNT = 1000
PEOPLE = university.people(COUNT)
POINTS = university.points(COUNT)
WRITTEN = [number(value) for value in POINTS]
EARNED = {one.id: value for one, value in zip(PEOPLE, POINTS, strict=True)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """1,000 students on the roster and with points."""
    made = small.course(tmp_path_factory.mktemp("course"))
    university.graded(made, EARNED)
    university.enrolled(made, PEOPLE)
    return made


@pytest.fixture(autouse=True)
def english() -> None:
    speak("en")


def fill(made: CourseFolder, path: Path, content: bytes, **options: object) -> tuple[Export, bytes]:
    """Fill the small lesson's points into a sheet with this content; the new file's bytes."""
    path.write_bytes(content)
    done = export.fill(made, small.LESSON, path, ExportOptions(**options))
    assert path.read_bytes() == content, "the sheet itself stays"
    return done, done.path.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_canvas_takes_every_row_and_all_other_bytes_stay(folder, tmp_path, encoding):
    done, filled = fill(folder, tmp_path / "canvas.csv", university.canvas(PEOPLE).encode(encoding))
    assert filled == university.canvas(PEOPLE, WRITTEN).encode(encoding)
    taken = university.canvas_takes(filled.decode(encoding), "812")
    assert {one.number: taken[one.number] for one in PEOPLE} == dict(
        zip((one.number for one in PEOPLE), WRITTEN, strict=True)
    )
    assert (len(done.placed), done.only_in_sheet, done.only_in_gradebook) == (COUNT, (), ())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_moodle_takes_every_row_in_the_sites_language(folder, tmp_path, language):
    _, filled = fill(folder, tmp_path / "moodle.csv", university.moodle(PEOPLE, language).encode())
    assert filled == university.moodle(PEOPLE, language, WRITTEN).encode()
    taken = university.moodle_takes(filled.decode(), language, [one.number for one in PEOPLE])
    assert taken == {one.number: value for one, value in zip(PEOPLE, POINTS, strict=True)}


def test_rain_classrooms_table_is_filled_in(folder, tmp_path):
    before = university.rain_classroom(PEOPLE)
    done, filled = fill(folder, tmp_path / "雨课堂.xlsx", before)
    assert university.column(filled, "D", 3, COUNT) == POINTS
    assert university.everything(filled, "D") == university.everything(before, "D")
    assert len(done.placed) == COUNT


def test_a_register_keeps_its_layout(folder, tmp_path):
    before = university.register(PEOPLE)
    read_only = openpyxl.load_workbook(io.BytesIO(before), read_only=True).worksheets[0]
    assert (read_only.max_row, read_only.max_column) == (1, 1), "as some universities' files declare it"
    done, filled = fill(folder, tmp_path / "记分册.xlsx", before, column="作业一")
    assert university.column(filled, "D", 7, COUNT) == POINTS
    assert university.everything(filled, "D") == university.everything(before, "D")
    assert (len(done.placed), done.only_in_sheet) == (COUNT, ())
    assert {one.by for one in done.placed} == {"id", "zeros"}


def test_any_table_is_filled_in_by_naming_its_columns(folder, tmp_path):
    rows = [["课程", "x", ""], ["编码", "谁", "第三次"], *([one.id, one.name, ""] for one in PEOPLE)]
    content = university.text(rows, separator="\t").encode()
    _, filled = fill(folder, tmp_path / "own.txt", content, id_column="编码", column="C")
    for row, value in zip(rows[2:], WRITTEN, strict=True):
        row[2] = value
    assert filled == university.text(rows, separator="\t").encode()


def test_a_sheet_with_decimal_commas_gets_decimal_commas(folder, tmp_path):
    two = PEOPLE[150:152]
    rows = [["Student ID", "Name", "Bonus", "Grade"], *([one.id, one.name, "1,5", ""] for one in two)]
    _, filled = fill(folder, tmp_path / "sheet.csv", university.text(rows, separator=";").encode())
    assert filled.decode().splitlines()[1:] == ["000150;学生150;1,5;1,5", "000151;学生151;1,5;1,51"]


def test_everybody_who_is_in_one_and_not_in_the_other_is_listed(folder, tmp_path, capsys):
    somebody = university.Person("777777", "Nobody", 3)
    done, _ = fill(folder, tmp_path / "canvas.csv", university.canvas([*PEOPLE[2:], somebody]).encode())
    assert done.only_in_sheet == ("1002: 777777 Nobody, Kim",)
    assert done.only_in_gradebook == ("000000 学生1", "000001 学生1")
    export.show(done)
    said = capsys.readouterr().out
    assert "777777 Nobody, Kim" in said
    assert "000001 学生1" in said


def test_names_alone_never_decide_between_two(folder, tmp_path):
    """A worksheet that shows names only: the two of one name are nobody's, all others are said."""
    rows = [["Full name", "Grade"], *([one.name, ""] for one in PEOPLE)]
    done, filled = fill(folder, tmp_path / "names.csv", university.text(rows).encode())
    assert [one.by for one in done.placed] == ["name"] * (COUNT - 2)
    assert done.only_in_sheet == ("2: 学生1", "3: 学生1")
    assert filled.decode().splitlines()[3:5] == ["学生2,0.02", "学生3,0.03"]


def test_a_name_does_not_help_where_the_sheet_knows_ids(folder, tmp_path):
    """Two people of one name, one in each list: the ids differ, so they are two."""
    rows = [["学号", "姓名", "成绩"], ["000005", "学生5", ""], ["555555", "学生6", ""]]
    done, filled = fill(folder, tmp_path / "names.csv", university.text(rows).encode())
    assert [one.student for one in done.placed] == ["000005"]
    assert filled.decode().splitlines()[2] == "555555,学生6,"


def test_a_sheet_out_of_another_maximum_is_asked_about(folder, tmp_path):
    content = university.canvas(PEOPLE[:5], most="100").encode()
    with pytest.raises(Problem, match="--out-of 100 to scale"):
        fill(folder, tmp_path / "canvas.csv", content)
    _, filled = fill(folder, tmp_path / "canvas.csv", content, out_of=100)
    assert list(university.canvas_takes(filled.decode(), "812").values()) == ["0", "0.5", "1", "1.5", "2", ""]
    with pytest.raises(Problem, match="allows 100 points"):
        fill(folder, tmp_path / "canvas.csv", content, out_of=120)


def test_who_handed_in_nothing_keeps_the_cell_or_gets_what_was_asked(tmp_path):
    made = small.course(tmp_path / "course")
    three = PEOPLE[:3]
    university.graded(made, {"000000": 2.0, "guest": 1.0})
    university.enrolled(made, three)
    done, filled = fill(made, tmp_path / "m.csv", university.moodle(three, "en").encode())
    assert filled == university.moodle(three, "en", ["2", "", ""]).encode()
    assert done.no_points == ("000001 学生1", "000002 学生2")
    assert done.outside == ("guest",)
    _, filled = fill(made, tmp_path / "m.csv", university.moodle(three, "en").encode(), missing=0)
    assert filled == university.moodle(three, "en", ["2", "0", "0"]).encode()


def test_in_place_keeps_a_copy(folder, tmp_path):
    path, content = tmp_path / "moodle.csv", university.moodle(PEOPLE, "en").encode()
    path.write_bytes(content)
    export.fill(folder, small.LESSON, path, ExportOptions(in_place=True))
    assert path.read_bytes() == university.moodle(PEOPLE, "en", WRITTEN).encode()
    assert (tmp_path / "moodle.before.csv").read_bytes() == content
    assert sorted(one.name for one in tmp_path.iterdir()) == ["moodle.before.csv", "moodle.csv"]


def damaged(path: Path, kind: str) -> None:
    rows = [["学号", "姓名", "成绩", "得分"], ["000001", "学生1", "", ""], ["000002", "学生2", "", ""]]
    twice = [["学号", "姓名", "成绩"], ["000001", "学生1", ""], ["000001", "学生1", ""]]
    contents = {
        "empty": b"",
        "old excel": b"\xd0\xcf\x11\xe0" + bytes(600),
        "web page": b"<html><table><tr><td>1</table>",
        "cut off": university.register(PEOPLE[:3])[:-400],
        "no header": b"a,b\n1,2\n",
        "two columns": university.text(rows).encode(),
        "twice": university.text(twice).encode(),
        "no assignment": university.canvas(PEOPLE[:3]).replace("A small lesson", "Homework").encode(),
        "no text": b"\x81\xff,\xff\xff\n\x00\x01",
    }
    if kind != "missing":
        path.write_bytes(contents[kind])


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("missing", "There is no file"),
        ("empty", "is empty"),
        ("old excel", "save it as .xlsx"),
        ("web page", "save it as .xlsx"),
        ("cut off", "no readable .xlsx"),
        ("no header", "No header was found"),
        ("two columns", "Which column"),
        ("twice", "the rows 2, 3 are all 000001"),
        ("no assignment", "Canvas would make a new one"),
        ("no text", "encoding"),
    ],
)
def test_a_sheet_that_cannot_be_filled_in_is_refused_in_one_sentence(folder, tmp_path, kind, said):
    path = tmp_path / "sheet.csv"
    damaged(path, kind)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    with pytest.raises(Problem, match=said):
        export.fill(folder, small.LESSON, path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"column": "总评"}, "is a formula"),
        ({"column": "姓名"}, "says who a student is"),
        ({"column": "作业"}, "more than one column"),
        ({"column": "作业九"}, "no column 作业九"),
        ({"sheet": "Other", "column": "作业一"}, "no sheet Other"),
        ({"to": Path("out.csv"), "column": "作业一"}, "ends with .xlsx"),
    ],
)
def test_a_wrong_choice_is_refused(folder, tmp_path, options, said):
    with pytest.raises(Problem, match=said):
        fill(folder, tmp_path / "book.xlsx", university.register(PEOPLE[:4]), **options)
    assert [one.name for one in tmp_path.iterdir()] == ["book.xlsx"]


def test_the_command_says_what_it_did_and_ends_well(folder, tmp_path):
    made = small.again(folder, tmp_path / "course")
    shutil.copy(Path(__file__), tmp_path / "notes.csv")
    sheet = tmp_path / "canvas.csv"
    sheet.write_text(university.canvas(PEOPLE), encoding="utf-8", newline="")
    said = small.run(made, "export", small.LESSON, "--into", str(sheet))
    assert "1000 students' points in the column “A small lesson (812)”" in said
    assert (tmp_path / f"canvas-{small.LESSON}.csv").is_file()
    said = small.run(made, "export", small.LESSON, "--into", str(tmp_path / "notes.csv"), expect=2)
    assert said.count("\n") == 1
    assert said.startswith("✗ No header was found")
