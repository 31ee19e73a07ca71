"""What was right outlives the kernel, in a small file; a check that turns wrong takes the tick back."""

import json
import os
import sys

import nbformat
import pytest
import small
from nbclient import NotebookClient

from helpers import classroom, handin, lessons, platforms, progress, session, text
from helpers.lessons import Lesson
from helpers.progress import Remembered

RIGHT, WRONG = (
    "def double(x):\n    return {'double_ms': 2 * x}",
    "def double(x):\n    return {'double_ms': x}",
)
CHECK = 'from helpers import checks\nchecks.equal(double(3), double_ms=6)\nchecks.passed("double")'
PUBLIC = {**small.FILE, "hints": small.hints(["double"])}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with nothing in it but the small lesson's file, as a kernel's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "tiny.json").write_text(json.dumps(PUBLIC), encoding="utf-8")
    here = platforms.Platform("local", tmp_path / "results", True)
    monkeypatch.setattr(platforms, "detect", lambda: here)
    tiny = Lesson.read(tmp_path / "lessons" / "tiny.json")
    monkeypatch.setattr(lessons, "every", lambda: (tiny,))
    text.read_lessons(tmp_path / "lessons")
    text.speak("en")
    return tmp_path


def known(folder):
    return progress.read(folder).of("tiny", "double")


def test_what_was_kept_is_read_again_and_nothing_else_changes(folder):
    progress.keep("tiny", "double", right="0123", hints=2)
    progress.keep("other", "first", idea="an_idea")
    assert known(folder) == Remembered(right="0123", hints=2)
    assert progress.keep("tiny", "double", right="") == Remembered(hints=2)
    assert progress.read().of("other", "first") == Remembered(idea="an_idea")
    assert progress.read().lessons == ("other", "tiny")
    assert {*os.listdir(folder)} == {"lessons", progress.FILE}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"format": "another"}',
        b'{"format": "iteration-budget-progress/v1"}',
        b'{"format": "iteration-budget-progress/v1", "lessons": {"tiny": 3}}',
        b'{"format": "iteration-budget-progress/v1", "lessons": {"tiny": {"double": {"right": true}}}}',
        b'{"format": "iteration-budget-progress/v1", "lessons": {"tiny": {"double": {"hints": -1}}}}',
        b'{"format": "iteration-budget-progress/v1", "lessons": {"tiny": {"double": {"hints": 1e9}}}}',
        b"[" * 100_000,
        b" " * 1_000_001,
    ],
)
def test_a_damaged_file_counts_as_none_and_is_said_and_written_anew(folder, content):
    (folder / progress.FILE).write_bytes(content)
    assert known(folder) == Remembered()
    (said,) = classroom.lines()
    assert said.startswith("progress.json cannot be read")
    progress.keep("tiny", "double", right="0123")
    assert known(folder) == Remembered(right="0123")
    assert not progress.read().is_damaged


def test_a_folder_that_takes_no_file_stops_nobody(folder):
    (folder / progress.FILE).mkdir()
    assert progress.keep("tiny", "double", right="0123") == Remembered()


def test_the_first_cell_says_what_was_right(folder):
    assert classroom.lines() == []
    progress.keep("tiny", "double", right="0123")
    (said,) = classroom.lines()
    assert said.startswith("Right so far: 1 of 1 (TODO 1 twice).")


def packed(*sources, **names):
    namespace = {"In": ["", *sources], **names}
    for source in sources:
        exec(source, namespace) if source != CHECK else None
    return str(handin.pack(namespace)).splitlines()[0]


def saved(folder, source):
    cell = {"cell_type": "code", "id": "double", "metadata": {}, "source": source, "outputs": []}
    notebook = {"cells": [cell], "nbformat": 4, "nbformat_minor": 5}
    notebook["metadata"] = {"iteration_budget": {"lesson": "tiny", "language": "en"}}
    (folder / "lesson.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def test_after_a_restart_the_last_cell_knows_what_was_right(folder):
    saved(folder, RIGHT)
    assert packed().startswith("? TODO 1 twice")
    assert packed(RIGHT, CHECK) == "✓ TODO 1 twice"
    assert packed() == "✓ TODO 1 twice: right when it was last checked, and unchanged since"


def test_changed_code_is_not_called_right(folder):
    assert packed(RIGHT, CHECK) == "✓ TODO 1 twice"
    saved(folder, WRONG)
    assert packed() == "? TODO 1 twice: was right, and was changed since; run its cell and its check again"


def test_blanks_around_the_code_change_nothing(folder):
    packed(RIGHT, CHECK)
    saved(folder, "\n" + RIGHT.replace("\n", "  \n") + "\n\n")
    assert packed().endswith("unchanged since")


def test_a_check_that_turns_wrong_takes_the_tick_back(folder):
    packed(RIGHT, CHECK)
    assert known(folder).right == session.digest(RIGHT)
    assert packed(WRONG, CHECK).startswith("✗")
    assert known(folder).right == ""
    saved(folder, RIGHT)
    assert packed().startswith("? TODO 1 twice: written")


def test_where_the_file_cannot_be_seen_the_answer_is_to_be_run_again(folder):
    progress.keep("tiny", "double", right="0123")
    assert packed(names="double", double=None).startswith("✗ TODO 1 twice: was right before the restart")


SETUP = """from pathlib import Path
from helpers import checks, classroom, lessons, text
tiny = lessons.Lesson.read(Path("lessons/tiny.json"))
lessons.every = lambda: (tiny,)
text.read_lessons(Path("lessons"))
classroom.begin("en")"""
FAILS = CHECK.replace("double_ms=6)", 'double_ms=6, ideas={"left_in_seconds": {"double_ms": 3}})')


def run(folder, *sources):
    """What these cells print in a kernel of their own: the outputs' texts, and the names of errors."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    client = NotebookClient(
        notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}, allow_errors=True
    )
    client.execute()
    return ["".join(o.get("text", o.get("ename", "")) for o in cell.outputs) for cell in notebook.cells]


def test_a_kernel_remembers_what_its_checks_found(folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(small.ROOT), *sys.path]))
    ask = 'checks.hint("double")'
    first = run(folder, SETUP, WRONG, FAILS, ask, ask, RIGHT, CHECK)
    assert first[2].startswith("CheckFailed")
    assert first[2].endswith('Stuck? checks.hint("double") gives one hint at a time.\n')
    assert "your result is what you get when seconds are not turned into milliseconds" in first[3]
    assert first[4] == "TODO 1 twice, hint 1 of 3: What is asked?\n"
    assert known(folder) == Remembered(right=session.digest(RIGHT), hints=1)
    again = run(folder, SETUP, "1 / 0", WRONG, CHECK, SETUP)
    assert "Right so far: 1 of 1" in again[0]
    assert again[1] == "ZeroDivisionError"
    assert known(folder).right == ""
    assert "Right so far" not in again[4]


def test_an_empty_todo_offers_a_hint_too(folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(small.ROOT), *sys.path]))
    stub = 'def double(x):\n    raise NotImplementedError("TODO")'
    said = run(folder, SETUP, stub, "double(2)", CHECK)
    assert said[2].startswith("NotImplementedError")
    assert said[2].count("checks.hint") == 1
    assert said[3].count("checks.hint") == 1
    assert known(folder) == Remembered()


def test_the_grader_runs_no_kernel_and_writes_nothing(folder):
    classroom.begin("en")
    assert session.shell() is None
    assert not (folder / progress.FILE).exists()
