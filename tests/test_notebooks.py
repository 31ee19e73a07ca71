"""Every notebook runs: solved masters under nbval in both languages, released ones exactly up to their TODOs.

Masters are committed without outputs, so that no diff shows a picture and no output can leak an answer. The
comparison is made real in three ways: what a cell computes must stand in its output as written here by hand;
the two languages must compute the same numbers in every cell; and nbval runs each notebook once more against
the outputs of the first run, which finds a cell that depends on chance, time or order.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest
import small
from nbclient import NotebookClient

from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from helpers.text import say_in

COURSE = CourseFolder(small.ROOT)
LESSONS, LANGUAGES = COURSE.lessons(), COURSE.languages
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")

# What some cells show, by lesson and cell: computed by hand or on the page of figures that the lesson was
# planned with, never by running the notebook.
BY_HAND = {
    lesson: json.loads(path.read_text(encoding="utf-8"))
    for lesson in LESSONS
    if (path := Path(__file__).parent / "lessons" / lesson.replace("-", "_") / "by_hand.json").is_file()
}


@cache
def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of one run in a folder that the test owns."""
    notebook = notebooks.load(path)
    client = NotebookClient(
        notebook,
        timeout=120,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--log-level=ERROR", "--HistoryManager.hist_file=:memory:"],
    )
    client.execute()
    return notebook


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("notebooks")


def text_of(cell) -> str:
    """What a cell prints or shows as text."""
    return "".join(
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for output in cell.get("outputs", [])
    )


def numbers(cell) -> list[str]:
    """Every number that a cell returns, sorted; what it prints is prose, which may say "ten" for 10."""
    returned = [output.data.get("text/plain", "") for output in cell.get("outputs", []) if "data" in output]
    return sorted(NUMBER.findall("".join(returned)))


def errors(notebook) -> dict[str, tuple[str, str]]:
    return {
        cell.id: (output.ename, output.evalue)
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_solved_master_runs_without_an_error(lesson, language, folder):
    assert errors(executed(COURSE.master(lesson, language), folder)) == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_master_is_committed_without_outputs(lesson, language):
    cells = notebooks.load(COURSE.master(lesson, language)).cells
    assert [cell.id for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("lesson", "cell"), [(lesson, cell) for lesson in BY_HAND for cell in BY_HAND[lesson]]
)
def test_a_cell_shows_the_numbers_computed_by_hand(lesson, cell, language, folder):
    shown = text_of(small.cell(executed(COURSE.master(lesson, language), folder), cell))
    assert [number for number in BY_HAND[lesson][cell] if number not in shown] == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_both_languages_compute_the_same_numbers_in_every_cell(lesson, folder):
    editions = (executed(COURSE.master(lesson, language), folder).cells for language in LANGUAGES)
    for first, *others in zip(*editions, strict=True):
        for other in others:
            assert (first.id, numbers(first)) == (other.id, numbers(other))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_second_run_under_nbval_gives_the_same_outputs(lesson, language, folder):
    place = folder / language
    place.mkdir(exist_ok=True)
    (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    nbformat.write(executed(COURSE.master(lesson, language), folder), place / f"{lesson}.ipynb")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--nbval-current-env",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "--nbval-cell-timeout=120", f"{lesson}.ipynb"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_released_notebook_fails_at_its_todos_and_nowhere_else(lesson, language, folder):
    todo = say_in(language, "check.todo")
    found = errors(executed(COURSE.released(lesson, language), folder))
    other = {
        cell: said
        for cell, said in found.items()
        if said != ("NotImplementedError", "TODO") and not (said[0] == "CheckFailed" and todo in said[1])
    }
    assert found
    assert other == {}
