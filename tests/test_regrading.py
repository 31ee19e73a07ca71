"""What is graded anew, and what is not: a submission whose grade something has changed since."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import small
from small import LESSON

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
SLOW = f"import time\ntime.sleep(1.2)\n{small.ANSWER}"
SLOW_CALL = """def double(number):
    import time
    time.sleep(0.8)
    return {"double_ms": 2 * number}"""


@pytest.fixture
def course(tmp_path: Path) -> CourseFolder:
    """Three students: one with a right answer, one with a wrong one, one whose calls take 0.8 s."""
    made = small.course(tmp_path / "course")
    small.run(made, "release", LESSON)
    released = small.notebooks.load(made.released(LESSON, "en"))
    answers = {"ann": small.ANSWER, "bo": "def double(number):\n    return 1", "slow": SLOW_CALL}
    for student, answer in answers.items():
        small.hand_in(made, student, small.answered(released, answer))
    return made


def graded_again(made: CourseFolder, *options: str) -> set[str]:
    """Whom a run of `course grade` graded, by their logs."""
    before = _logs(made)
    small.run(made, "grade", LESSON, *options)
    return {who for who, written in _logs(made).items() if before.get(who) != written}


def _logs(made: CourseFolder) -> dict[str, int]:
    paths = (made.root / "autograded").rglob("graded.json")
    return {path.parents[1].name: path.stat().st_mtime_ns for path in paths}


def test_a_raised_limit_grades_those_anew_who_met_it(course: CourseFolder) -> None:
    assert graded_again(course, "--call-seconds", "0.4") == {"ann", "bo", "slow"}
    assert small.points(course.gradebook)["slow"] == 0.0
    assert graded_again(course, "--call-seconds", "0.4") == set()
    assert graded_again(course, "--call-seconds", "8") == {"slow"}
    assert small.points(course.gradebook) == {"ann": 2.0, "bo": 0.0, "slow": 2.0}


def test_a_lower_limit_takes_nothing_from_who_was_in_time(course: CourseFolder) -> None:
    graded_again(course, "--call-seconds", "8")
    assert graded_again(course, "--call-seconds", "0.4") == set()
    assert small.points(course.gradebook)["slow"] == 2.0


def test_a_raised_cell_limit_grades_anew(course: CourseFolder) -> None:
    released = small.notebooks.load(course.released(LESSON, "en"))
    small.hand_in(course, "late", small.answered(released, f"def double(n):\n    return 1\n{SLOW}"))
    graded_again(course, "--cell-seconds", "0.5")
    log = json.loads(course.autograded("late", LESSON).with_name("graded.json").read_text("utf-8"))
    assert log["limits_met"] == {"cell_seconds": 0.5}
    assert graded_again(course, "--cell-seconds", "6") == {"late", "slow"}  # the visible check calls slow's
    assert small.points(course.gradebook)["late"] == 2.0


def change_masters(made: CourseFolder, old: str, new: str) -> None:
    for language in ("zh", "en"):
        path = made.master(LESSON, language)
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")


def test_points_that_changed_alone_change_the_gradebooks_maximum(course: CourseFolder) -> None:
    small.run(course, "grade", LESSON)
    change_masters(course, '"points": 1.0', '"points": 3.0')
    assert graded_again(course) == {"ann", "bo", "slow"}
    with small.gradebook(course) as book:
        assert book.find_assignment(LESSON).max_score == 6.0
        found = {one.student.id: (one.score, one.max_score) for one in book.assignment_submissions(LESSON)}
    assert found == {"ann": (6.0, 6.0), "bo": (0.0, 6.0), "slow": (6.0, 6.0)}
    assert "6 points" in small.run(course, "report", LESSON)


def test_a_changed_hidden_test_grades_everybody_anew(course: CourseFolder) -> None:
    small.run(course, "grade", LESSON)
    change_masters(course, "checks.equal(double(0), double_ms=0)", "checks.equal(double(4), double_ms=8)")
    assert graded_again(course) == {"ann", "bo", "slow"}
    assert small.points(course.gradebook)["bo"] == 0.0


def test_a_grader_that_changed_grades_everybody_anew(course: CourseFolder, tmp_path: Path) -> None:
    """A check that is mended in the middle of a term reaches those who were graded before."""
    for package in ("course", "helpers"):
        shutil.copytree(
            small.ROOT / package, tmp_path / "code" / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    checks = tmp_path / "code" / "helpers" / "checks.py"
    assert checks.is_file()
    assert grade_with(tmp_path / "code", course) == {"ann", "bo", "slow"}
    assert grade_with(tmp_path / "code", course) == set()
    checks.write_text(checks.read_text("utf-8") + "\n# mended\n", "utf-8")
    assert grade_with(tmp_path / "code", course) == {"ann", "bo", "slow"}


def grade_with(code: Path, made: CourseFolder) -> set[str]:
    """Whom `course grade` of that code graded."""
    before = _logs(made)
    environment = {**small.environment(), "PYTHONPATH": str(code)}
    done = subprocess.run(
        small.command("grade", LESSON), cwd=made.root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert os.fspath(code) not in done.stderr
    return {who for who, written in _logs(made).items() if before.get(who) != written}
