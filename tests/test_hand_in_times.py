"""A better time of the graded work reaches the gradebook; that of a newer work waits for its grade."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path

import pytest
import small

from course.authoring import release
from course.grading import grade, lateness
from course.lesson import notebooks
from course.publishing import wheel
from course.submission.files import RECEIPT
from course.text import Problem

RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'


def test_an_earlier_time_of_the_graded_work_is_taken_over(tmp_path: Path) -> None:
    folder = small.course(tmp_path)
    release.release(folder, [small.LESSON])
    path = small.hand_in(
        folder, "ann", small.answered(notebooks.load(folder.released(small.LESSON, "en")), RIGHT)
    )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()

    def receipt(time: str, sha256: str) -> None:
        text = json.dumps({"sha256": sha256, "time": time})
        (path.parent / RECEIPT).write_text(text, encoding="utf-8")

    def kept() -> datetime:
        with small.gradebook(folder) as book:
            return book.find_submission(small.LESSON, "ann").timestamp

    receipt("2026-03-04 13:00:00 UTC", digest)
    grade.grade(folder, small.LESSON)
    receipt("2026-03-01 12:00:00 UTC", digest)
    lateness.refresh(folder, small.LESSON)
    assert kept() == datetime(2026, 3, 1, 12)
    receipt("2026-03-09 12:00:00 UTC", "0" * 64)
    lateness.refresh(folder, small.LESSON)
    assert kept() == datetime(2026, 3, 1, 12)


def test_a_folder_without_a_project_cannot_build_the_wheel(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"pyproject\.toml"):
        wheel.build(tmp_path)
