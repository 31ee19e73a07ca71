"""What being late costs: whatever nbgrader's plug-in says, in the gradebook, on the page and in the table."""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import small

from course.authoring import release
from course.grading import grade
from course.grading.grading_run import GradingOptions
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.reporting import feedback, report
from course.submission.files import RECEIPT
from helpers.text import speak

RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'
PLUGIN = """
from nbgrader.plugins import LateSubmissionPlugin


class PerDay(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 0.5 * (total_seconds_late // 86400)


c.AssignLatePenalties.plugin_class = PerDay
"""
TIMES = {
    "early": "2026-03-01 12:00:00 UTC",
    "late": "2026-03-04 13:00:00 UTC",
    "excused": "2026-03-04 13:00:00 UTC",
    "hopeless": "2026-06-01 00:00:00 UTC",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    made = small.course(tmp_path_factory.mktemp("course"))
    release.release(made, [small.LESSON])
    released = notebooks.load(made.released(small.LESSON, "en"))
    for student, time in TIMES.items():
        path = small.hand_in(made, student, small.answered(released, RIGHT))
        receipt = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "time": time}
        (path.parent / RECEIPT).write_text(json.dumps(receipt), encoding="utf-8")
    grade.grade(made, small.LESSON)
    with small.gradebook(made) as book:
        book.update_or_create_assignment(small.LESSON, duedate="2026-03-02 12:00:00 UTC")
        book.find_submission(small.LESSON, "excused").extension = timedelta(days=7)
        book.db.commit()
    return made


def penalties(folder: CourseFolder) -> dict[str, float | None]:
    with closing(sqlite3.connect(folder.gradebook)) as book:
        return dict(
            book.execute(
                "SELECT a.student_id, n.late_submission_penalty FROM submitted_notebook n "
                "JOIN submitted_assignment a ON a.id = n.assignment_id"
            ).fetchall()
        )


def test_nothing_is_late_without_a_plugin_that_says_so(folder: CourseFolder) -> None:
    run = grade.grade(folder, small.LESSON, options=GradingOptions(regrade=True))
    assert set(penalties(folder).values()) == {None}
    assert {record.points for record in run.records.values()} == {2.0}


def test_the_plugin_of_the_configuration_decides(folder: CourseFolder, tmp_path: Path) -> None:
    settings = folder.root / "nbgrader_config.py"
    before = settings.read_text("utf-8")
    settings.write_text(before + PLUGIN, encoding="utf-8")
    run = grade.grade(folder, small.LESSON, options=GradingOptions(regrade=True))
    # Two whole days late at half a point; nobody loses more than there is.
    assert penalties(folder) == {"early": None, "late": 1.0, "excused": None, "hopeless": 2.0}
    assert {who: found.points for who, found in run.records.items()} == {
        "early": 2.0,
        "late": 1.0,
        "excused": 2.0,
        "hopeless": 0.0,
    }
    speak("en")
    assert "Handed in late: 1 points off" in feedback.page(folder, small.LESSON, "late")
    assert "Handed in late" not in feedback.page(folder, small.LESSON, "early")
    report.write_csv(report.of(folder, small.LESSON), tmp_path / "report.csv")
    with (tmp_path / "report.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: (row["points"], row["late_penalty"]) for row in csv.DictReader(file)}
    assert rows["late"] == ("1", "1")
    settings.write_text(before, encoding="utf-8")
    grade.grade(folder, small.LESSON, options=GradingOptions(regrade=True))
    assert set(penalties(folder).values()) == {None}
