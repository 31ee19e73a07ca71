"""Handing in: says what is missing, packs what is there, and never a word about the person."""

import base64
import contextlib
import json
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from copying import LESSON, PUBLIC_HALF

import helpers
from course.lesson.notebooks import METADATA
from helpers import handin, lessons, names, notebook, platforms, text
from helpers.checks import CheckFailed
from helpers.lessons import Lesson

pytestmark = pytest.mark.usefixtures("copying_words")

ROOT = Path(__file__).parents[1]
ON_GPU, ON_CPU = "an-experiment", "an-experiment-cpu"
MEASURED = replace(PUBLIC_HALF, results=(ON_GPU, ON_CPU))
COPY = "def copy_time(size_bytes):\n    return {'transfer_ms': size_bytes / 2}"
WRONG = COPY.replace("/ 2", "/ 4")
CHECK = """from helpers import checks
checks.close(copy_time(8), transfer_ms=4.0)
checks.passed("copy")"""
STUB = "def copy_time(size_bytes):\n    raise NotImplementedError('TODO')".replace("'", '"')


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    here = platforms.Platform("local", tmp_path / "kept" / "results", True)
    monkeypatch.setattr(platforms, "detect", lambda: here)
    monkeypatch.setattr(lessons, "every", lambda: (MEASURED,))
    text.speak("en")
    yield tmp_path
    text.speak("zh")


def session(*sources, **names):
    """The names of a kernel that ran these cells."""
    namespace = {"In": ["", *sources], **names}
    for source in sources:
        with contextlib.suppress(NotImplementedError, CheckFailed, ZeroDivisionError):
            exec(source, namespace)
    return namespace


def saved(folder, *sources, name="lesson.ipynb", **metadata):
    """A notebook file with these code cells, the first of them being the exercise `copy`."""
    cells = [
        {
            "cell_type": "code",
            "id": "copy" if number == 0 else f"cell-{number}",
            "metadata": {"executionInfo": {"user": {"displayName": "Ada"}}},
            "source": source.splitlines(keepends=True),
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "/home/ada"}],
            "execution_count": 3,
        }
        for number, source in enumerate(sources)
    ]
    stated = {METADATA: {"language": "en", "lesson": LESSON}, **metadata}
    content = {"cells": cells, "metadata": stated, "nbformat": 4, "nbformat_minor": 5}
    (folder / name).write_text(json.dumps(content), encoding="utf-8")


def contents(pack):
    with zipfile.ZipFile(pack.path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def states(pack):
    return {answer.exercise.cell: answer.state for answer in pack.answers}


def test_the_answers_of_a_session_are_packed_by_cell():
    files = contents(handin.pack(session(COPY, CHECK), "s17"))
    manifest = json.loads(files["manifest.json"])
    assert files["answers/copy.py"] == COPY + "\n"
    todo = dict.fromkeys(("walls", "stop", "choice"), "todo")
    assert manifest["exercises"] == {"copy": "passed", **todo}
    assert (manifest["lesson"], manifest["student"]) == (LESSON, "s17")


def test_each_exercise_is_named_with_what_is_wrong():
    pack = handin.pack(session(WRONG, CHECK, "choice = {'files': 50}"))
    lines = str(pack).splitlines()
    assert lines[0].startswith("✗ TODO 1 the time of a copy: the check fails.")
    assert "expected 4 ms, got 2 ms" in lines[0]
    assert lines[1] == "✗ TODO 2 the narrowest place: the TODO is still empty"
    assert lines[3] == "? the choice: written, no check to run here"
    assert not pack.complete


def test_an_untouched_stub_is_an_empty_todo_even_if_its_check_never_ran():
    assert states(handin.pack(session(STUB)))["copy"] == "todo"
    assert states(handin.pack(session(STUB, CHECK)))["copy"] == "todo"


def test_a_stub_left_below_working_code_does_no_harm():
    left = COPY + '\n    raise NotImplementedError("TODO")'
    assert states(handin.pack(session(left, CHECK)))["copy"] == "passed"


def test_an_answer_in_several_cells_is_packed_whole():
    budget = notebook.defining(["a = 1", "b = 2", "a = 3\nc = 1", "d = 4"], ("a", "b"))
    assert budget == ["b = 2", "a = 3\nc = 1"]


def test_a_version_that_python_refused_never_ran():
    assert notebook.defining(["a = 1", "a = = 2"], ("a",)) == ["a = 1"]


def test_the_last_version_that_ran_counts():
    assert states(handin.pack(session(WRONG, CHECK, COPY)))["copy"] == "passed"


def test_the_notebook_beside_is_packed_without_outputs_and_without_users(somewhere):
    saved(somewhere, COPY, CHECK, colab={"name": "Ada's copy"})
    files = contents(handin.pack(session(COPY)))
    packed = json.loads(files["notebook.ipynb"])
    assert [cell["source"] for cell in packed["cells"]] == [COPY, CHECK]
    assert not any("Ada" in content or "/home" in content for content in files.values())


def test_without_a_session_the_notebook_file_gives_the_answers(somewhere):
    saved(somewhere, COPY, CHECK)
    pack = handin.pack({})
    assert states(pack)["copy"] == "unchecked"
    assert contents(pack)["answers/copy.py"] == COPY + "\n"


def test_a_notebook_older_than_the_session_is_said(somewhere):
    saved(somewhere, STUB, CHECK)
    pack = handin.pack(session(COPY, CHECK))
    assert "lesson.ipynb is older than what you ran" in str(pack)
    assert json.loads(contents(pack)["manifest.json"])["notebook_is_older"] is True


def test_where_the_notebook_cannot_be_read_the_menu_is_named(somewhere, monkeypatch):
    saved(somewhere, COPY)
    here = platforms.Platform("colab", somewhere / "results", False, "never")
    monkeypatch.setattr(platforms, "detect", lambda: here)
    pack = handin.pack(session(COPY, CHECK))
    assert "notebook.ipynb" not in contents(pack)
    assert "File ▸ Download ▸ Download .ipynb" in str(pack)
    assert f"handin-{LESSON}.zip" in str(pack)


def test_the_decision_is_packed_as_data():
    files = contents(handin.pack(session("choice = {'files': 50, 'running': 49}")))
    assert json.loads(files["decision.json"]) == {"choice": {"files": 50, "running": 49}}
    assert "decision.json" not in contents(handin.pack(session("choice = {1, 2}")))


def test_two_packs_of_the_same_work_are_the_same_bytes():
    first = handin.pack(session(COPY, CHECK)).path.read_bytes()
    assert handin.pack(session(COPY, CHECK)).path.read_bytes() == first


def test_a_folder_that_cannot_be_written_gives_way_to_the_one_that_stays(somewhere, monkeypatch):
    replace = handin.writing.replace

    def refuse(path, content):
        if path.parent == Path("."):
            raise OSError(30, "Read-only file system")
        replace(path, content)

    monkeypatch.setattr(handin.writing, "replace", refuse)
    assert handin.pack(session(COPY)).path == somewhere / "kept" / f"handin-{LESSON}.zip"


def test_a_full_disk_is_said_in_one_sentence(monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(handin.writing, "replace", full)
    pack = handin.pack(session(COPY))
    assert pack.path is None
    assert "cannot be written (No space left on device)" in str(pack)


def test_no_half_written_pack_is_left_behind(somewhere, monkeypatch):
    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(handin.writing.os, "replace", fail)
    handin.pack(session(COPY))
    assert not list(somewhere.rglob("*.part"))


def test_outside_the_course_nothing_is_packed(somewhere):
    pack = handin.pack({"In": ["x = 1"], "x": 1})
    assert pack.path is None
    assert "no exercise of the course" in str(pack)
    assert not list(somewhere.glob("*.zip"))


def test_an_unfinished_result_is_named_and_packed(somewhere):
    journal = somewhere / "kept" / "results" / "copying_files_cpu_default.jsonl"
    journal.parent.mkdir(parents=True)
    header = {"kind": "header", "report": {"workload": {"id": ON_CPU}}}
    journal.write_text(json.dumps(header) + "\n{cut", encoding="utf-8")
    pack = handin.pack(session(COPY))
    assert f"the experiment {ON_CPU} is unfinished" in str(pack)
    assert "no result of your own" not in str(pack)
    assert f"results/{journal.name}" in contents(pack)


def test_without_any_result_the_student_is_told_what_is_graded_instead():
    said = str(handin.pack(session(COPY)))
    assert f"no result of your own ({ON_GPU} / {ON_CPU}" in said
    assert "graded on the ready record" in said


def test_a_damaged_result_is_packed_and_the_reason_is_said(somewhere):
    folder = somewhere / "results"
    folder.mkdir()
    (folder / "mine.json").write_text(json.dumps({"workload": {"id": ON_GPU}}), encoding="utf-8")
    (folder / "other.json").write_text('{"notes": 1}', encoding="utf-8")
    pack = handin.pack(session(COPY))
    assert "mine.json is no result of this experiment" in str(pack)
    assert [name for name in contents(pack) if name.startswith("results/")] == ["results/mine.json"]


def test_a_browser_without_pydantic_still_packs_results(somewhere, monkeypatch):
    folder = somewhere / "results"
    folder.mkdir()
    (folder / "mine.json").write_text(json.dumps({"workload": {"id": ON_GPU}}), encoding="utf-8")
    monkeypatch.delattr(helpers, "results", raising=False)
    monkeypatch.setitem(sys.modules, "helpers.results", None)
    assert "✓ result mine.json" in str(handin.pack(session(COPY)))


def test_a_check_that_dies_is_reported_not_raised():
    pack = handin.pack(session(COPY.replace("/ 2", "/ 0"), CHECK))
    assert "ZeroDivisionError" in str(pack)


@pytest.mark.parametrize("damage", ["", "[]", '{"cells": 3}', '{"cells": [{}], "metadata": {}}'])
def test_a_file_that_is_no_notebook_is_passed_over(somewhere, damage):
    (somewhere / "x.ipynb").write_text(damage, encoding="utf-8")
    assert notebook.read(somewhere / "x.ipynb") is None
    assert handin.pack(session(COPY, CHECK)).path is not None


def test_the_editor_names_the_notebook(somewhere, monkeypatch):
    saved(somewhere, WRONG, name="copy.ipynb")
    (somewhere / "work").mkdir()
    saved(somewhere / "work", COPY, name="mine.ipynb")
    named = str(somewhere / "work" / "mine.ipynb")
    assert notebook.find({"__vsc_ipynb_file__": named}, somewhere, environ={}).path.name == "mine.ipynb"
    assert notebook.find({}, somewhere, environ={"JPY_SESSION_NAME": named}).path.name == "mine.ipynb"
    assert notebook.find({}, somewhere, environ={"JPY_SESSION_NAME": "b5c3"}).path.name == "copy.ipynb"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "source" / "zh").glob("*/*.ipynb")), ids=lambda path: path.stem
)
def test_the_table_of_lessons_agrees_with_the_masters(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    solutions = {
        c["id"]: "".join(c["source"]) for c in cells if c["metadata"].get("nbgrader", {}).get("solution")
    }
    lesson = Lesson.read(ROOT / "helpers" / "lessons" / f"{path.stem}.json")
    assert [exercise.cell for exercise in lesson.exercises] == list(solutions)
    for exercise in lesson.exercises:
        assert set(exercise.names) <= names.defined(solutions[exercise.cell])


def test_in_the_browser_the_pack_is_offered_as_a_link(somewhere, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    here = platforms.Platform("jupyterlite", somewhere / "results", False, "browser")
    monkeypatch.setattr(platforms, "detect", lambda: here)
    pack = handin.pack(session(COPY, CHECK))
    content = shown[0].data.partition("base64,")[2].partition('"')[0]
    assert base64.b64decode(content) == pack.path.read_bytes()
    assert "Click the link above" in str(pack)
