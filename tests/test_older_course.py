"""A course folder of an older version is graded on without loss; so are its packs and its journals.

The folder in `data/older_course` was made by the code of 40f044f (its README says how).
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
import small
from handout import Handout, find
from test_lateness import PLUGIN

from course.authoring.sample_class import SampleClass
from course.collecting.collect import collect
from course.grading import grade
from course.grading.assessment import assess
from course.lesson.folder import CourseFolder
from course.reporting import feedback, marks, report
from course.reporting.marks import Marks
from course.sandbox.sandbox import Sandbox
from course.text import Problem
from helpers import experiment, results
from helpers.text import read_lessons, speaking

OLDER = Path(__file__).parent / "data" / "older_course"
COURSE, LESSON = CourseFolder(small.ROOT), "iteration-budget"
HANDOUT = Handout.of(COURSE, LESSON)
STUDENTS = ["jonas", "lin", "maria", "mei", "tom"]
TABLES = (
    "student",
    "assignment",
    "base_cell",
    "submitted_assignment",
    "submitted_notebook",
    "grade",
    "comment",
)
MILLISECONDS_ZH = "double_ms：应为 42 ms，得到 0.042 ms。这正是“忘了把秒换成毫秒”会得到的结果。"
MILLISECONDS_EN = (
    "double_ms: expected 42 ms, got 0.042 ms. "
    "This is what you get when seconds are not turned into milliseconds."
)


@pytest.fixture
def folder(tmp_path: Path) -> CourseFolder:
    """The older lesson, gradebook, submissions and graded notebooks, with today's configuration."""
    made = CourseFolder(tmp_path.resolve() / "course")
    for name in ("source", "helpers", "course", "submitted", "autograded"):
        shutil.copytree(OLDER / name, made.root / name)
    shutil.copy(small.ROOT / "nbgrader_config.py", made.root)
    read_lessons(made.public_halves)
    with closing(sqlite3.connect(made.gradebook)) as book:
        book.executescript((OLDER / "gradebook.sql").read_text("utf-8"))
    with (made.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(PLUGIN)
    return made


def rows(folder: CourseFolder) -> dict[str, list[tuple]]:
    """All that nbgrader keeps of people and points, row by row."""
    with closing(sqlite3.connect(folder.gradebook)) as book:
        return {table: sorted(book.execute(f"SELECT * FROM {table}"), key=repr) for table in TABLES}


def found(folder: CourseFolder) -> dict[str, Marks]:
    return {mark.student: mark for mark in marks.of_lesson(folder, small.LESSON)}


def points(mark: Marks) -> list[float]:
    return [concept.points for concept in mark.concepts]


def check_marks(folder: CourseFolder) -> dict[str, Marks]:
    """What the older version wrote down, by hand from its README."""
    everyone = found(folder)
    assert {who: points(mark) for who, mark in everyone.items()} == {
        "jonas": [0, 0], "lin": [1, 1], "maria": [0, 1.25], "mei": [0, 1], "tom": [0.5, 0],
    }  # fmt: skip
    assert {who: mark.late_penalty for who, mark in everyone.items() if mark.late_penalty} == {"lin": 1.0}
    assert everyone["maria"].concepts[0].comment == "Look at the units again. 再看看单位。"
    assert [(note.key, note.cell) for note in everyone["jonas"].notes] == [("repaired.deleted", "cost-tie")]
    assert [mark.needs_review for mark in everyone["tom"].concepts] == [True, False]
    assert not everyone["tom"].readable
    return everyone


def test_reports_read_what_was_graded_before_the_update(folder: CourseFolder) -> None:
    """Its sentences are shown, not read: its ideas come back when it is graded again."""
    everyone = check_marks(folder)
    assert everyone["maria"].concepts[0].said("en") == f"[unit conversion] {MILLISECONDS_EN}"
    assert everyone["mei"].concepts[0].said("zh") == f"【单位换算】{MILLISECONDS_ZH}"
    with speaking("en"):
        assert report.of(folder, small.LESSON).ideas == ()


def test_grading_on_changes_nothing_in_the_gradebook(folder: CourseFolder) -> None:
    before = rows(folder)
    run = grade.grade(folder, small.LESSON)
    assert (sorted(run.graded), run.refused) == (STUDENTS, ())
    assert rows(folder) == before
    assert len(before["grade"]) == 10
    assert ("lin", "Hua", "Lin", "lin@example.org", "4711") in before["student"]
    everyone = check_marks(folder)
    assert {who: mark.ideas for who, mark in everyone.items() if mark.ideas} == {
        "maria": ("ms_forgotten",), "mei": ("ms_forgotten",),
    }  # fmt: skip
    assert everyone["maria"].concepts[0].said("en") == MILLISECONDS_EN
    assert everyone["mei"].concepts[0].said("zh") == MILLISECONDS_ZH
    assert "42 ms" in feedback.page(folder, small.LESSON, "maria")
    again = grade.grade(folder, small.LESSON)
    assert (again.graded, sorted(again.done_before)) == ((), STUDENTS)


def test_an_older_configuration_is_refused_in_a_sentence(folder: CourseFolder) -> None:
    with (folder.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(
            'c.GenerateAssignment.preprocessors = ["nbgrader.preprocessors.LockCells", "course.steps.Tidy"]\n'
        )
    with speaking("en"), pytest.raises(Problem, match=r"it names course\.steps\.Tidy\): put the current"):
        grade.grade(folder, small.LESSON)


def test_a_pack_of_an_older_version_is_taken_with_its_result(tmp_path: Path) -> None:
    (tmp_path / "box" / "aisha").mkdir(parents=True)
    shutil.copy(OLDER / "pack.zip", tmp_path / "box" / "aisha" / "handin-iteration-budget.zip")
    (receipt,) = collect(tmp_path / "box", tmp_path / "submitted", HANDOUT.assignment)
    assert (receipt.student, receipt.taken, receipt.language) == ("aisha", True, "en")
    assert [note.key for note in receipt.notes] == ["intake.from_answers", "intake.results"]
    taken = tmp_path / "submitted" / "aisha" / LESSON / f"{LESSON}.ipynb"
    cost = find(json.loads(taken.read_text("utf-8")), "cost")
    with zipfile.ZipFile(OLDER / "pack.zip") as pack:
        assert cost["source"] == pack.read("answers/cost.py").decode().rstrip("\n")


def test_a_notebook_of_an_older_release_gets_the_points_of_its_answers() -> None:
    data = (OLDER / "iteration-budget.ipynb").read_bytes()
    expected = dict(SampleClass.of(COURSE, LESSON).expected(follow_through=False)["s06-aisha"])
    for asked_anew in (
        "measured-choice",
        "decision-choice",
        "decision-evidence",
    ):  # another question since then
        assert expected[asked_anew] == 1
        expected[asked_anew] = 0
        expected["total"] -= 1
    with Sandbox() as sandbox:
        graded = assess(data, HANDOUT.assignment, sandbox, every_cell=True)  # it knows of no wrong idea
    assert {verdict.cell: verdict.score for verdict in graded.verdicts} | {"total": graded.points} == expected
    assert {note.key for note in graded.notes} == {
        "repaired.changed_check",
        "repaired.deleted",
        "repaired.missing",
    }
    (error,) = find(json.loads(graded.notebook), "experiment-plan")["outputs"]
    assert (error["ename"], "experiment.plan(CHOSEN)" in error["evalue"]) == ("TypeError", True)


def test_a_journal_of_an_older_version_that_was_cut_off_keeps_its_whole_lines(tmp_path: Path) -> None:
    path = Path(shutil.copy(OLDER / "cut_off.jsonl", tmp_path / "run.jsonl"))
    journal = results.Journal(path)
    kinds = ["header", "sentinel", "begin", "record", "begin", "record"]
    assert [entry["kind"] for entry in journal.read()] == kinds
    journal.append({"kind": "sentinel"})
    assert [entry["kind"] for entry in journal.read()] == [*kinds, "sentinel"]


def test_a_notebook_of_another_version_is_told_how_to_ask_for_the_plan() -> None:
    chosen = experiment.settings()
    with speaking("en"), pytest.raises(TypeError, match=r"estimate, device: .*experiment\.plan\(CHOSEN\)"):
        experiment.plan(chosen, estimate=None, device=None)
