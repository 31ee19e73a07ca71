"""Feedback pages go back under the names by which Moodle and Canvas know whose they are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
import small
import university

from course.lesson.folder import CourseFolder
from course.reporting import upload
from course.text import Problem
from helpers.text import speak

PEOPLE = [
    university.Person("001", "张三", 51),
    university.Person("002", "Li_Si", 52),
    university.Person("003", "王五", 53),
]


@pytest.fixture(autouse=True)
def english() -> None:
    speak("en")


@pytest.fixture(scope="module")
def enrolled(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A course with three on its roster."""
    made = small.course(tmp_path_factory.mktemp("enrolled"))
    university.enrolled(made, PEOPLE)
    return made


@pytest.fixture
def made(enrolled: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(enrolled, tmp_path / "course")


def pages(made: CourseFolder, *students: str) -> dict[str, Path]:
    found = {student: made.feedback(student, small.LESSON) for student in students}
    for student, path in found.items():
        path.parent.mkdir(parents=True)
        path.write_text(f"page of {student}", encoding="utf-8")
    return found


def contents(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_moodle_finds_every_page_by_its_worksheets_numbers(made, tmp_path):
    sheet = tmp_path / "worksheet.csv"
    sheet.write_text(university.moodle(PEOPLE, "zh"), encoding="utf-8")
    done = upload.pack(made, small.LESSON, pages(made, "001", "002", "003"), "moodle", sheet)
    assert university.moodle_unpacks(done.path.read_bytes()) == dict.fromkeys((51, 52, 53), "tiny.html")
    assert contents(done.path)["Li Si_52_assignfeedback_file_/tiny.html"] == "page of 002"
    assert done.unknown == ()


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_moodle_finds_pages_by_the_downloads_numbers(made, tmp_path, kind):
    names = ["张三_51_assignsubmission_file/x.ipynb", "Li_Si_52_assignsubmission_file/x.ipynb",
             "王五_53_assignsubmission_file_tiny.ipynb", "王五_54_assignsubmission_file/x.ipynb"]  # fmt: skip
    like = tmp_path / "download.zip"
    with zipfile.ZipFile(like, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    if kind == "folder":
        with zipfile.ZipFile(like) as archive:
            archive.extractall(tmp_path / "download")
        like = tmp_path / "download"
    done = upload.pack(made, small.LESSON, pages(made, "001", "003"), "moodle", like)
    assert university.moodle_unpacks(done.path.read_bytes()) == {51: "tiny.html"}
    assert done.unknown == ("003 王五",), "two in the download are called so"


def test_an_id_made_of_moodles_file_names_holds_the_number(tmp_path):
    made = small.course(tmp_path / "course")
    done = upload.pack(made, small.LESSON, pages(made, "张三_51"), "moodle")
    assert university.moodle_unpacks(done.path.read_bytes()) == {51: "tiny.html"}


def test_canvas_finds_pages_by_user_and_attachment(tmp_path):
    made = small.course(tmp_path / "course")
    like = tmp_path / "submissions.zip"
    with zipfile.ZipFile(like, "w") as archive:
        archive.writestr("zhangsan_LATE_50001_8811_tiny-1.ipynb", "{}")
        archive.writestr("lisi_50002_8812_handin_final.zip", "")
    done = upload.pack(made, small.LESSON, pages(made, "zhangsan_50001", "lisi_50002"), "canvas", like)
    assert university.canvas_unpacks(done.path.read_bytes()) == {50001: 8811, 50002: 8812}
    assert contents(done.path)["zhangsan_LATE_50001_8811_tiny.html"] == "page of zhangsan_50001"


@pytest.mark.parametrize(
    ("platform", "said"),
    [("moodle", "--like"), ("canvas", "--like"), ("blackboard", "it takes: moodle, canvas")],
)
def test_without_numbers_nothing_is_packed(made, platform, said):
    with pytest.raises(Problem, match=said):
        upload.pack(made, small.LESSON, pages(made, "001"), platform)
    assert not list((made.root / "feedback").glob("*.zip"))
