"""Answers of somebody who saw no test, as `course.authoring.foreign` judges them, on the small lesson."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import small

from course.authoring.foreign import ForeignAnswer, judged

ANSWERS = {
    "right": 'def double(number):\n    return {"double_ms": number + number}',
    "seconds": 'def double(number):\n    return {"double_ms": 2 * number / 1000}',
    "zero": 'def double(number):\n    return {"double_ms": 2 * number if number else 7}',
}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    lines = [json.dumps({"cell": "double", "id": name, "source": text}) for name, text in ANSWERS.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_each_answer_is_judged_by_both_kinds_of_checks(tmp_path: Path, answers: Path) -> None:
    made = small.course(tmp_path / "course")
    small.run(made, "release")
    lines = answers.read_text(encoding="utf-8").splitlines()
    found = {one.id: one for one in judged(made, small.LESSON, [ForeignAnswer.of(line) for line in lines])}
    assert {name: (one.points, one.most) for name, one in found.items()} == {
        "right": (2, 2), "seconds": (1, 2), "zero": (1, 2),
    }  # fmt: skip
    assert {name for name, one in found.items() if not one.said} == {"right", "zero"}
    assert found["seconds"].diagnosis.ideas == ("left_in_seconds",)
    assert found["zero"].diagnosis.ideas == ()


def test_the_command_prints_each_answer_and_how_many_of_a_kind(tmp_path: Path, answers: Path) -> None:
    made = small.course(tmp_path / "course")
    small.run(made, "release")
    command = [sys.executable, "-m", "course.authoring.foreign", small.LESSON, str(answers)]
    done = subprocess.run(command, cwd=made.root, env=small.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("of 3: 2 green, 1 full points, 1 named")
