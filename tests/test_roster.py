"""The roster: what universities export about their students, read into nbgrader's own table."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest
import small
import university
from hypothesis import given
from hypothesis import strategies as st

from course.collecting import roster
from course.grading.roster import Roster, Student
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.reporting import feedback, report
from course.sheets.csv_table import CsvTable
from course.sheets.student_sheet import student_id
from course.text import Problem
from helpers.text import speak

CLASS = [("001024", "欧阳修"), ("001025", "王伟"), ("001026", "王伟")]


@pytest.fixture(autouse=True)
def english() -> None:
    speak("en")


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A course whose gradebook knows the lesson and nobody."""
    made = small.course(tmp_path_factory.mktemp("registered"))
    university.graded(made, {})
    return made


@pytest.fixture
def made(registered: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(registered, tmp_path / "course")


def take(
    made: CourseFolder, content: bytes | str, name: str = "roster.csv", **options: object
) -> list[tuple]:
    """Read a roster file; the students as nbgrader's own interface shows them."""
    path = made.root.parent / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    roster.take(made, path, **options)
    return rows(made)


def rows(made: CourseFolder) -> list[tuple]:
    with closing(small.gradebook(made)) as book:
        return sorted(
            (one.id, one.first_name, one.last_name, one.email, one.lms_user_id) for one in book.students
        )


def workbook(lines: list[list], formats: dict[str, str] | None = None) -> bytes:
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    for cell, pattern in (formats or {}).items():
        book.active[cell].number_format = pattern
    return university.saved(book)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_class_list_is_read_in_every_encoding(made, encoding, separator):
    text = university.text([["学 号*", "姓名"], *([*one] for one in CLASS)], separator)
    found = take(made, text.encode(encoding))
    assert [row[:3] for row in found] == [(number, "", name) for number, name in CLASS]


def test_a_class_list_in_xlsx_has_its_header_in_any_row_and_ids_of_any_kind(made):
    lines = [["某某大学 2026 春"], [], ["教师：李"], [], ["序号", "学号", "姓名", "班级"],
             [1, "001024", "欧阳修", "一"], [2, 1025, "王伟", "一"],
             [3, 1026.0, "王伟", "二"], [], ["合计 3 人"]]  # fmt: skip
    found = take(made, workbook(lines, {"B7": "000000", "B8": "000000"}), "花名册.xlsx")
    assert [row[:3] for row in found] == [(number, "", name) for number, name in CLASS]


def test_canvas_gradebook_is_read_with_canvass_own_number(made):
    found = take(made, university.canvas([university.Person("007", "Zhang", 50_000)]))
    assert found == [("007", "Kim", "Zhang", None, "50000")]


def test_canvas_with_two_columns_of_names_is_read(made):
    header = "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section,A (1)"
    text = f"{header}\r\n    Points Possible,,,,,,10\r\nMüller,Eva,77,0042,em,S,\r\n"
    assert take(made, text.encode("cp1252")) == [("0042", "Eva", "Müller", None, "77")]


def test_moodles_participants_are_told_apart_by_address_where_there_is_no_number(made):
    text = "First name,Last name,Email address,Groups\nSan,Zhang,zs@example.edu,\nSi,Li,ls@example.edu,G\n"
    assert take(made, text) == [
        ("ls-example.edu", "Si", "Li", "ls@example.edu", None),
        ("zs-example.edu", "San", "Zhang", "zs@example.edu", None),
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_moodles_worksheet_is_read_in_the_sites_language(made, language):
    found = take(made, university.moodle([university.Person("007", "张三", 51)], language))
    assert found == [("007", "", "张三", "u51@example.edu", "51")]


def test_the_roster_makes_the_gradebook_where_there_is_none(tmp_path):
    made = small.course(tmp_path / "course")
    assert not Roster.read(made.database)
    assert not made.gradebook.exists(), "looking makes no file"
    assert [row[0] for row in take(made, "学号,姓名\n1,张三\n")] == ["1"]


def test_any_table_is_read_by_naming_its_columns(made):
    found = take(made, "编码;Wer\nA-1;Eva\nA-2;Max\n", named={"id": "编码", "name": "Wer"})
    assert [row[:3] for row in found] == [("A-1", "", "Eva"), ("A-2", "", "Max")]


def test_what_keeps_a_spreadsheet_from_computing_is_taken_off(made):
    found = take(made, '学号,姓名\n="001024",欧阳修\n001025\t,王伟\n')
    assert [row[0] for row in found] == ["001024", "001025"]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_long_id_that_a_spreadsheet_has_rounded_is_refused(made, kind):
    book = workbook([["学号", "姓名"], [20210010012345678, "张三"]])
    content = "学号,姓名\n2.0210010012E+16,张三\n".encode() if kind == "csv" else book
    with pytest.raises(Problem, match="A2: this id is too long"):
        take(made, content, f"roster.{kind}")
    assert rows(made) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("学号,姓名\n1,张三\n1,李四\n", "belongs to two people"),
        ("学号,姓名\n", "no students below"),
        ("学号,姓名,学号,姓名\n1,张三,2,李四\n", "two lists side by side"),
        ("姓名,成绩\n张三,1\n", "no column that tells students apart"),
        ("a,b\n1,2\n", "No header"),
        ("", "is empty"),
    ],
)
def test_a_bad_roster_is_refused_and_nothing_is_written(made, content, said):
    before = take(made, "学号,姓名\n9,在册\n")
    with pytest.raises(Problem, match=said):
        take(made, content)
    assert rows(made) == before


def test_reading_again_renames_and_keeps_who_is_not_in_the_file(made, capsys):
    take(made, "学号,姓名,邮箱\n1,张三,z@x.cn\n2,李四,\n")
    path = made.root.parent / "later.csv"
    path.write_text("学号,姓名\n1,张三丰\n3,王五\n", encoding="utf-8")
    roster.show(roster.take(made, path))
    assert [row[:4] for row in rows(made)] == [
        ("1", "", "张三丰", "z@x.cn"),
        ("2", "", "李四", None),
        ("3", "", "王五", None),
    ]
    assert "1 on the roster are not in this file and stay: 2" in capsys.readouterr().out


def test_who_was_dropped_is_off_the_roster_and_keeps_what_was_handed_in(made):
    take(made, "学号,姓名\n1,张三\n2,李四\n3,王五\n")
    university.graded(made, {"2": 1.5})
    found = take(made, "学号,姓名\n1,张三\n", drop_others=True)
    assert [row[0] for row in found] == ["1", "2"]
    assert list(Roster.read(made.database).students) == ["1"]
    assert small.points(made.gradebook) == {"2": 1.5}


def test_a_row_with_a_name_and_no_id_is_said_and_ends_in_1(made):
    path = made.root.parent / "roster.csv"
    path.write_text("学号,姓名\n1,张三\n,李四\n教师签字：,\n", encoding="utf-8")
    said = small.run(made, "roster", str(path), expect=1)
    assert "row 3 李四: a name without an id" in said
    assert "1 students read: 1 new" in said


def test_a_roster_without_names_is_one_too(made):
    assert take(made, "学号,班级\n1,一\n2,一\n", named={"id": "学号"}) == [
        ("1", "", "1", None, None),
        ("2", "", "2", None, None),
    ]
    found = Roster.read(made.database)
    assert (found.label("1"), "1" in found, found.outside(["1", "9"])) == ("1", True, ["9"])


def test_names_are_shown_as_the_university_writes_them():
    names = [Student("1", "三", "张"), Student("1", "", "欧阳修"), Student("1", "San", "Zhang"), Student("1")]
    assert [one.name for one in names] == ["张三", "欧阳修", "San Zhang", ""]


@pytest.fixture
def handed_in(made: CourseFolder) -> CourseFolder:
    """One of the roster graded, one refused, one waiting, one missing; somebody else graded too."""
    take(made, "学号,姓名\n001,张三\n002,李四\n003,王五\n004,赵六\n")
    university.graded(made, {"001": 2.0, "guest": 0.0})
    for student in ("001", "guest"):
        for path in (made.autograded(student, small.LESSON), made.submitted(student, small.LESSON)):
            notebooks.save(small.master(), path)
    small.hand_in(made, "003", b"{}")
    refused = made.refused("002", small.LESSON)
    refused.parent.mkdir(parents=True)
    refused.write_text(json.dumps({"taken": False, "notes": [{"key": "intake.no_notebook", "cell": "tiny"}]}))
    return made


def test_the_report_shows_names_and_everybody_of_the_roster(handed_in, tmp_path):
    found = report.of(handed_in, small.LESSON)
    assert [one.student for one in found.marks] == ["001"]
    state = found.attendance
    assert (state.missing, state.waiting, state.outside) == (("004",), ("003",), ("guest",))
    assert [(one.student, one.why) for one in state.refused] == [("002", "no notebook of tiny was found.")]
    report.write_html(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert all(
        text in page for text in ("001 张三", "002 李四: no notebook", "003 王五", "004 赵六", "guest")
    )
    report.write_csv(found, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text("utf-8-sig").splitlines()[1].startswith("001,张三,")


def test_feedback_shows_the_name_and_leaves_out_who_is_not_on_the_roster(handed_in):
    assert [path.parents[1].name for path in feedback.write(handed_in, small.LESSON)] == ["001"]
    assert "001 张三" in feedback.page(handed_in, small.LESSON, "001")
    (asked,) = feedback.write(handed_in, small.LESSON, ["guest"])
    assert asked.parents[1].name == "guest"
    said = small.run(handed_in, "feedback", small.LESSON)
    assert "not on the roster, no page for 1: guest" in said


def test_ids_that_never_match_are_pointed_out(handed_in):
    take(handed_in, "学号,姓名\n77,张三\n", drop_others=True)
    with pytest.raises(Problem, match="None of the 2 graded students is on the roster"):
        report.of(handed_in, small.LESSON)


@given(
    st.lists(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8), min_size=2, max_size=4
        ),
        min_size=2,
        max_size=6,
    )
)
def test_a_csv_file_in_which_nothing_is_set_is_the_same_bytes(table):
    content = university.text([["学号", "姓名"], *table]).encode()
    assert CsvTable(content).data() == content


def test_an_id_is_made_for_folders_as_collecting_makes_it():
    assert [student_id(text) for text in ("00123", "a@b.c", " 张 三 ", "../x", "é")] == [
        "00123",
        "a-b.c",
        "张-三",
        "x",
        "é",
    ]
