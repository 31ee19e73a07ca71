"""Who stands where: refused, missing, dropped; each in one place of the report, and nobody lost or kept too
long."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
import small
from small import LESSON

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
EVERYBODY = "Student ID,Name\nann,Ann\nbo,Bo\ncy,Cy\n"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A class of three: one hands in work, one a PDF, one nothing."""
    made = small.course(tmp_path_factory.mktemp("template") / "course")
    small.run(made, "release", LESSON)
    (made.root / "class.csv").write_text(EVERYBODY)
    small.run(made, "roster", "class.csv")
    (made.root / "box" / "ann").mkdir(parents=True)
    (made.root / "box" / "bo").mkdir()
    released = small.notebooks.load(made.released(LESSON, "en"))
    small.notebooks.save(
        small.answered(released, small.ANSWER), made.root / "box" / "ann" / f"{LESSON}.ipynb"
    )
    (made.root / "box" / "bo" / f"{LESSON}.ipynb").write_bytes(b"%PDF-1.7 no notebook")
    assert "bo" in small.run(made, "collect", LESSON, "box", expect=1)
    small.run(made, "grade", LESSON)
    return made


@pytest.fixture
def course(template: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(template, tmp_path / "course")


def told(made: CourseFolder) -> str:
    return " ".join(small.run(made, "report", LESSON).split())


def test_refused_is_shown_as_refused_and_missing_as_missing(course: CourseFolder) -> None:
    said = told(course)
    assert "Handed in, but not usable (1) bo Bo: " in said
    assert "Nothing handed in (1) cy Cy" in said
    assert "not taken: " in small.run(course, "report", LESSON, "--history", "bo")
    assert not (course.root / "submitted" / "bo").exists()
    assert "nobody" not in small.run(course, "grade", LESSON)


def test_once_good_work_came_the_refusal_is_gone(course: CourseFolder) -> None:
    shutil.copy(course.root / "box" / "ann" / f"{LESSON}.ipynb", course.root / "box" / "bo")
    small.run(course, "collect", LESSON, "box")
    assert "not usable" not in told(course)
    small.run(course, "grade", LESSON)
    (course.root / "box" / "bo" / f"{LESSON}.ipynb").write_bytes(b"broken")
    small.run(course, "collect", LESSON, "box", expect=1)
    assert "not usable" not in told(course)
    assert small.points(course.gradebook)["bo"] == 2.0


def test_a_dropped_student_is_gone_from_report_feedback_and_export(course: CourseFolder) -> None:
    shutil.copy(course.root / "box" / "ann" / f"{LESSON}.ipynb", course.root / "box" / "bo")
    small.run(course, "collect", LESSON, "box")
    small.run(course, "grade", LESSON)
    small.run(course, "feedback", LESSON)
    (course.root / "class.csv").write_text("Student ID,Name\nann,Ann\ncy,Cy\n")
    small.run(course, "roster", "class.csv", "--drop-others")
    shutil.rmtree(course.root / "feedback")
    small.run(course, "feedback", LESSON)
    assert [path.name for path in (course.root / "feedback").iterdir() if path.is_dir()] == ["ann"]
    small.run(course, "report", LESSON, "--csv", "report.csv")
    with (course.root / "report.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["student"] for row in csv.DictReader(file)] == ["ann"]
    (course.root / "sheet.csv").write_text("Student ID,Name,tiny\nann,Ann,\nbo,Bo,\ncy,Cy,\n")
    small.run(course, "export", LESSON, "--into", "sheet.csv")
    filled = (course.root / f"sheet-{LESSON}.csv").read_text().splitlines()
    assert filled == ["Student ID,Name,tiny", "ann,Ann,2", "bo,Bo,", "cy,Cy,"]
