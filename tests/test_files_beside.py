"""Data beside a notebook: cells, tests and the reference read it wherever they run, each its own copy."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path

import pytest
import small

from course.lesson import files_beside, notebooks
from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason="no sandbox on this machine")

FROM_FILE = 'def double(number):\n    return {"double_ms": int(open("data/factor.csv").read()) * number}'
SHOWS = f'{FROM_FILE}\nprint("factor", open("data/factor.csv").read())'
SPOILS = f'open("data/factor.csv", "w").write("9")\nopen("data/more.csv", "w").write("9")\n{FROM_FILE}'
CURIOUS = f"import os\nassert sorted(os.listdir()) == ['data'], os.listdir()\n{FROM_FILE}"
TEST_READS = """
### BEGIN HIDDEN TESTS
with checks.concept("double-units"):
    checks.equal(double(21), double_ms=21 * int(open("data/factor.csv").read()))
### END HIDDEN TESTS"""


@pytest.fixture
def made(tmp_path: Path) -> CourseFolder:
    """A course whose reference and hidden test read a file beside the notebook."""
    master = small.master()
    small.cell(master, "double").source = small.ANSWER.replace(
        "number + number", 'int(open("data/factor.csv").read()) * number'
    )
    small.cell(master, "double-units").source = TEST_READS
    made = small.course(tmp_path / "course", master)
    for language in ("zh", "en"):
        place = made.master(small.LESSON, language).parent / "data"
        place.mkdir()
        (place / "factor.csv").write_text("2\n")
    small.run(made, "release")
    return made


def hand_in(made: CourseFolder) -> None:
    released = notebooks.load(made.released(small.LESSON, "zh"))
    for student, answer in {"a": SHOWS, "b": SPOILS, "c": CURIOUS, "d": FROM_FILE}.items():
        small.hand_in(made, student, small.answered(copy.deepcopy(released), answer))


def test_everybody_reads_a_copy_of_their_own(made: CourseFolder) -> None:
    hand_in(made)
    for words in ((), ("--regrade", "--trust-submissions")):
        small.run(made, "grade", small.LESSON, "--workers", "1", *words)
        scores = small.points(made.gradebook)
        assert (scores["a"], scores["c"], scores["d"]) == (2, 2, 2)
        assert scores["b"] == 1  # what it spoiled is its own copy; 9 times 0 is right
        for student in "abcd":
            assert (made.autograded(student, small.LESSON).parent / "data/factor.csv").read_text() == "2\n"


def test_formgraders_way_lays_them_too(made: CourseFolder) -> None:
    hand_in(made)
    command = [sys.executable, "-m", "nbgrader", "autograde", small.LESSON, "--create"]
    done = subprocess.run(command, cwd=made.root, env=small.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert small.points(made.gradebook) == {"a": 2, "b": 1, "c": 2, "d": 2}


def test_another_file_is_another_assignment(made: CourseFolder) -> None:
    hand_in(made)
    small.run(made, "grade", small.LESSON)
    assert "factor 2" in made.autograded("a", small.LESSON).read_text()
    for language in ("zh", "en"):
        (made.master(small.LESSON, language).parent / "data/factor.csv").write_text("3")
    small.run(made, "grade", small.LESSON)
    assert small.points(made.gradebook)["a"] == 2
    assert "factor 3" in made.autograded("a", small.LESSON).read_text()


def test_more_than_a_process_can_be_given_is_refused_in_a_sentence(made: CourseFolder) -> None:
    with (made.master(small.LESSON).parent / "video.mp4").open("wb") as file:
        file.truncate(files_beside.MOST_BYTES + 1)
    hand_in(made)
    said = small.run(made, "grade", small.LESSON, expect=2)
    assert said.strip().count("\n") == 0
    assert "16 MB" in said
