"""One concept graded anew after its test was mended: who gains and loses, what stays, what is kept of it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import small
from small import LESSON

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
ZERO, UNITS = "double-zero", "double-units"
ANSWERS = {
    "ann": "number + number",  # right
    "bo": "2 * number if number else 1",  # wrong for nothing but zero
    "cleo": "0",  # right for zero only
    "dan": "1",  # always wrong
}
MENDED = ("checks.equal(double(0), double_ms=0)", "checks.equal(double(4), double_ms=8)")


def answer(expression: str) -> str:
    return f'def double(number):\n    return {{"double_ms": {expression}}}'


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """Four students, graded."""
    made = small.course(tmp_path_factory.mktemp("template") / "course")
    small.run(made, "release", LESSON)
    released = small.notebooks.load(made.released(LESSON, "en"))
    for student, expression in ANSWERS.items():
        small.hand_in(made, student, small.answered(released, answer(expression)))
    small.run(made, "grade", LESSON)
    return made


@pytest.fixture
def course(template: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(template, tmp_path / "course")


def mend(made: CourseFolder, old: str = MENDED[0], new: str = MENDED[1]) -> None:
    """Change the masters, and release them, as an instructor does."""
    for language in ("zh", "en"):
        path = made.master(LESSON, language)
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")
    small.run(made, "release", LESSON)


def regrade(made: CourseFolder, *more: str, concept: str = ZERO, expect: int = 0) -> str:
    return small.run(made, "regrade", LESSON, "--concept", concept, *more, expect=expect)


def give(made: CourseFolder, student: str, concept: str, score: float, comment: str = "") -> None:
    """Mark by hand, as formgrader does."""
    with small.gradebook(made) as book:
        grade = book.find_grade(concept, LESSON, LESSON, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        if comment:
            book.find_comment("double", LESSON, LESSON, student).manual_comment = comment
        book.db.commit()


def totals(made: CourseFolder) -> dict[str, float]:
    """Everyone's points, as nbgrader counts them."""
    with small.gradebook(made) as book:
        return {one.student.id: one.score for one in book.assignment_submissions(LESSON)}


def state(made: CourseFolder) -> dict[str, bytes]:
    """All files of a course but the lock."""
    paths = (path for path in made.root.rglob("*") if path.is_file() and not path.name.startswith(".grading"))
    return {str(path.relative_to(made.root)): path.read_bytes() for path in paths}


def logs(made: CourseFolder) -> dict[str, int]:
    return {path.parents[1].name: path.stat().st_mtime_ns for path in made.root.rglob("graded.json")}


def test_a_dry_run_lists_who_gains_and_loses_and_writes_nothing(course: CourseFolder) -> None:
    assert totals(course) == {"ann": 2.0, "bo": 1.0, "cleo": 1.0, "dan": 0.0}
    mend(course)
    before = state(course)
    said = regrade(course, "--dry-run")
    assert "+ bo: 0 → 1" in said
    assert "− cleo: 1 → 0" in said
    assert "zero: 1 gain, 1 lose, 2 stay" in said
    assert state(course) == before


def test_the_concept_alone_changes_and_the_next_run_finds_the_work_done(course: CourseFolder) -> None:
    give(course, "dan", UNITS, 0.5, "nearly")
    mend(course)
    regrade(course, "--yes", "--why", "zero was too harsh")
    assert totals(course) == {"ann": 2.0, "bo": 2.0, "cleo": 0.0, "dan": 0.5}
    assert small.scores(course.gradebook)["bo"] == {UNITS: 1.0, ZERO: 1.0}
    written = logs(course)
    said = small.run(course, "grade", LESSON)
    assert "4 unchanged" in said
    assert logs(course) == written
    assert totals(course) == {"ann": 2.0, "bo": 2.0, "cleo": 0.0, "dan": 0.5}
    with small.gradebook(course) as book:
        assert book.find_comment("double", LESSON, LESSON, "dan").manual_comment == "nearly"
        assert not book.find_grade(UNITS, LESSON, LESSON, "dan").needs_manual_grade


def test_a_mark_by_hand_on_the_concept_stays_and_is_named(course: CourseFolder) -> None:
    give(course, "cleo", ZERO, 0.75)
    mend(course)
    said = regrade(course, "--yes", "--why", "too harsh")
    assert "= cleo: marked by hand, stays at 0.75 (the test now gives 0)" in said
    assert totals(course)["cleo"] == 0.75
    assert small.scores(course.gradebook)["cleo"][ZERO] == 0.0


def test_each_change_is_kept_with_who_when_and_why(course: CourseFolder) -> None:
    mend(course)
    regrade(course, "--yes", "--why", "zero was too harsh", "--by", "Li")
    mend(course, *reversed(MENDED))
    regrade(course, "--yes", "--why", "it was not", "--by", "Wu")
    lines = [
        line for line in small.run(course, "report", LESSON, "--history", "bo").splitlines() if "→" in line
    ]
    assert [line.partition("zero")[2] for line in lines] == [
        " 0 → 1, by Li: zero was too harsh",
        " 1 → 0, by Wu: it was not",
    ]
    assert "→" not in small.run(course, "report", LESSON, "--history", "ann")
    with closing(sqlite3.connect(course.gradebook)) as book:
        kept = book.execute("SELECT student, points_before, points_after FROM regrade_audit ORDER BY id")
        assert kept.fetchall() == [("cleo", 1, 0), ("bo", 0, 1), ("bo", 1, 0), ("cleo", 0, 1)]


def test_another_test_that_changed_too_is_said_and_waits_for_grade(course: CourseFolder) -> None:
    for language in ("zh", "en"):
        path = course.master(LESSON, language)
        text = path.read_text("utf-8")
        path.write_text(text.replace("double(21), double_ms=42", "double(0), double_ms=0"), "utf-8")
    mend(course)
    said = regrade(course, "--yes", "--why", "too harsh")
    assert "unit conversion (2: bo, cleo)" in said
    scores = small.scores(course.gradebook)
    assert scores["bo"] == {UNITS: 1.0, ZERO: 1.0}
    assert scores["cleo"] == {UNITS: 0.0, ZERO: 0.0}
    small.run(course, "grade", LESSON)
    scores = small.scores(course.gradebook)
    assert scores["bo"] == {UNITS: 0.0, ZERO: 1.0}
    assert scores["cleo"] == {UNITS: 1.0, ZERO: 0.0}


def test_feedback_says_what_the_mended_test_found(course: CourseFolder) -> None:
    small.run(course, "feedback", LESSON)
    before = course.feedback("cleo", LESSON).read_text("utf-8")
    mend(course)
    regrade(course, "--yes", "--why", "too harsh")
    small.run(course, "feedback", LESSON)
    after = course.feedback("cleo", LESSON).read_text("utf-8")
    assert "double_ms" in after
    assert before != after


def test_newer_work_is_left_out_and_named(course: CourseFolder) -> None:
    released = small.notebooks.load(course.released(LESSON, "en"))
    small.hand_in(course, "bo", small.answered(released, answer("2 * number")))
    mend(course)
    said = regrade(course, "--yes", "--why", "too harsh")
    assert "bo: the work in submitted/ is not the one" in said
    assert "0 gain, 1 lose, 2 stay" in said
    assert totals(course)["bo"] == 1.0
    small.run(course, "grade", LESSON)
    assert totals(course)["bo"] == 2.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--concept", "double-nil", "--dry-run"],
            "no concept double-nil; the lesson has double-units (unit conversion)",
        ),
        (["--concept", ZERO, "--yes"], "Say with --why"),
        (["--concept", ZERO, "--yes", "--why", " "], "Say with --why"),
        (["--concept", ZERO, "--why", "x"], "Nobody is here"),
        (["--dry-run"], "CONCEPT is missing"),
        (["--concept", ZERO, "--dry-run", "--gradebook", "sqlite:////nowhere/x.db"], "No graded submission"),
    ],
)
def test_a_bad_argument_is_one_sentence(template: CourseFolder, words: list[str], said: str) -> None:
    before = state(template)
    answered = small.run(template, "regrade", LESSON, *words, expect=2)
    assert said in answered
    assert answered.count("\n") == 1
    assert state(template) == before


def test_a_test_that_the_reference_fails_regrades_nobody(course: CourseFolder) -> None:
    for language in ("zh", "en"):
        path = course.master(LESSON, language)
        path.write_text(
            path.read_text("utf-8").replace(MENDED[0], MENDED[0].replace("ms=0", "ms=9")), "utf-8"
        )
    before = small.scores(course.gradebook)
    said = regrade(course, "--yes", "--why", "x", expect=2)
    assert "The reference solution itself fails the test of double-zero" in said
    assert small.scores(course.gradebook) == before


def test_a_renamed_cell_is_refused_by_name_and_the_report_keeps_to_what_graded(course: CourseFolder) -> None:
    for language in ("zh", "en"):
        path = course.master(LESSON, language)
        path.write_text(path.read_text("utf-8").replace("double-zero", "double-one"), "utf-8")
    for command in (
        ["release", LESSON],
        ["grade", LESSON],
        ["regrade", LESSON, "--concept", "double-one", "--dry-run"],
    ):
        said = small.run(course, *command, expect=2)
        assert "new here: double-one; no longer here: double-zero" in said
    assert "2 of 2" in small.run(course, "report", LESSON, "--history", "ann")
    small.run(course, "report", LESSON, "--csv", str(course.root / "class.csv"))
    rows = (course.root / "class.csv").read_text("utf-8-sig").splitlines()
    assert rows[0].split(",")[:8] == [
        "student", "name", "language", "points", "max_points", "late_penalty", UNITS, ZERO,
    ]  # fmt: skip
    assert rows[1].split(",")[:8] == ["ann", "", "en", "2", "2", "0", "1", "1"]
    small.run(course, "feedback", LESSON)
    assert "2 / 2" in " ".join(course.feedback("ann", LESSON).read_text("utf-8").split())


def test_the_log_names_what_graded(course: CourseFolder) -> None:
    """Whoever is wholly in step with the mended master has the log of a fresh run."""
    mend(course)
    regrade(course, "--yes", "--why", "x")
    path = course.autograded("bo", LESSON)
    by_regrade = json.loads(path.with_name("graded.json").read_text("utf-8"))
    graded, scores = path.read_bytes(), small.scores(course.gradebook)
    small.run(course, "grade", LESSON, "--regrade")
    anew = json.loads(path.with_name("graded.json").read_text("utf-8"))
    changing = {"graded_at", "seconds"}
    assert {k: v for k, v in by_regrade.items() if k not in changing} == {
        k: v for k, v in anew.items() if k not in changing
    }
    assert path.read_bytes() == graded
    assert small.scores(course.gradebook) == scores


@pytest.mark.parametrize(("typed", "bo", "code"), [("n\n", 1.0, 1), ("\x04", 1.0, 1), ("y\n", 2.0, 0)])
def test_at_a_terminal_the_question_comes_after_the_list(
    course: CourseFolder, typed: str, bo: float, code: int
) -> None:
    mend(course)
    before, terminal = totals(course), os.openpty()
    words = small.command("regrade", LESSON, "--concept", ZERO, "--why", "too harsh")
    with subprocess.Popen(
        words, cwd=course.root, env=small.environment(), stdin=terminal[1], stdout=subprocess.PIPE, text=True
    ) as command:
        os.write(terminal[0], typed.encode())
        said = command.communicate(timeout=300)[0]
    for end in terminal:
        os.close(end)
    assert command.returncode == code
    assert said.index("+ bo: 0 → 1") < said.index("Write this?")
    assert totals(course)["bo"] == bo
    assert (totals(course) == before) == (code == 1)
