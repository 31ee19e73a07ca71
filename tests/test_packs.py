"""What the last cell packs is what `course collect` takes: the pack, the bare notebook, or both."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from copying import ASSIGNMENT, LESSON, PUBLIC_HALF, answer, blank, honest
from handout import find
from test_collect import arrived, keys, put, taken

from course.lesson import cells
from helpers import handin, lessons, platforms, text

COPY = answer("copy")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A notebook folder on a platform that can read its own notebook."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    on(monkeypatch, "local", tmp_path)
    monkeypatch.setattr(lessons, "every", lambda: (PUBLIC_HALF,))
    text.speak("en")
    yield work
    text.speak("zh")


def on(monkeypatch, name, tmp_path):
    there = platforms.Platform(name, tmp_path / "kept" / "results", True)
    monkeypatch.setattr(platforms, "detect", lambda: there)


@pytest.fixture
def box(tmp_path):
    found = tmp_path / "box"
    found.mkdir()
    return found


def packed(notebook=None, ran=(COPY,), student="s17") -> bytes:
    """The pack of a session that ran these cells, beside this notebook."""
    if notebook is not None:
        Path("mine.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert lessons.defined_in({"copy_time"}).name == LESSON
    names = {"In": ["", *ran], "copy_time": None}
    return handin.pack(names, student).path.read_bytes()


def source_of(data: bytes, name: str) -> str:
    return cells.source(find(json.loads(data), name))


def test_a_pack_with_the_notebook_in_it_is_the_notebook(box, tmp_path):
    put(box, f"s17/handin-{LESSON}.zip", packed(honest("en"), ran=()))
    receipt = taken(box, tmp_path)["s17"]
    assert (receipt.taken, receipt.language, keys(receipt)) == (True, "en", set())
    assert source_of(arrived(tmp_path, "s17"), "stop") == answer("stop")


def test_a_pack_without_a_notebook_becomes_the_released_one_with_its_answers(box, tmp_path, monkeypatch):
    on(monkeypatch, "colab", tmp_path)
    put(box, f"s17/handin-{LESSON}.zip", packed())
    receipt = taken(box, tmp_path)["s17"]
    assert (receipt.taken, receipt.language, keys(receipt)) == (True, "en", {"intake.from_answers"})
    assert source_of(arrived(tmp_path, "s17"), "copy").strip() == COPY.strip()
    assert source_of(arrived(tmp_path, "s17"), "stop") != answer("stop")


def test_answers_newer_than_the_notebook_come_first(box, tmp_path):
    put(box, f"s17/handin-{LESSON}.zip", packed(blank("en")))
    receipt = taken(box, tmp_path)["s17"]
    assert "intake.from_answers" in keys(receipt)
    assert source_of(arrived(tmp_path, "s17"), "copy").strip() == COPY.strip()


def test_the_bare_notebook_beside_the_pack_comes_first(box, tmp_path, monkeypatch):
    on(monkeypatch, "colab", tmp_path)
    put(box, f"s17/handin-{LESSON}.zip", packed())
    bare = json.dumps(honest("en", copy=COPY + "\n# mine")).encode()
    put(box, "s17/copying_files.ipynb", bare)
    receipt = taken(box, tmp_path)["s17"]
    assert receipt.taken
    assert "intake.two_notebooks" not in keys(receipt)
    assert arrived(tmp_path, "s17") == bare


def test_a_pack_that_stands_alone_is_known_by_the_id_typed_in(box, tmp_path):
    put(box, f"handin-{LESSON} (3).zip", packed(honest("zh"), ran=(), student="2026王"))
    assert set(taken(box, tmp_path)) == {"2026王"}


def test_a_pack_of_another_lesson_is_left_alone(box, tmp_path):
    data = packed(honest("en"), ran=())
    put(box, "s17/handin.zip", rewritten(data, lesson="another-lesson"))
    assert not taken(box, tmp_path)["s17"].taken or "intake.bad_pack" not in keys(taken(box, tmp_path)["s17"])


def rewritten(data: bytes, answers: bytes | None = None, **manifest: object) -> bytes:
    """The pack with its table of contents or its first answer changed afterwards."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "manifest.json" and manifest:
                content = json.dumps({**json.loads(content), **manifest}).encode()
            if name == "answers/copy.py" and answers is not None:
                content = answers
            new.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize("files", [None, [], {"answers/copy.py": 3}, {"../../etc/passwd": "x"}])
def test_a_table_of_contents_that_does_not_fit_is_refused_in_a_sentence(box, tmp_path, monkeypatch, files):
    on(monkeypatch, "colab", tmp_path)
    put(box, f"s17/handin-{LESSON}.zip", rewritten(packed(), files=files))
    receipt = taken(box, tmp_path)["s17"]
    assert not receipt.taken
    assert "intake.bad_pack" in keys(receipt)


def test_an_answer_changed_in_the_pack_is_refused(box, tmp_path, monkeypatch):
    on(monkeypatch, "colab", tmp_path)
    put(box, f"s17/handin-{LESSON}.zip", rewritten(packed(), answers=b"copy_time = 1"))
    assert "intake.bad_pack" in keys(taken(box, tmp_path)["s17"])


def test_a_manifest_of_something_else_is_no_pack(box, tmp_path):
    put(box, "s17/manifest.json", b'{"format": "web-app"}')
    put(box, "s17/mine.ipynb", json.dumps(honest("zh")).encode())
    assert keys(taken(box, tmp_path)["s17"]) == {"intake.renamed"}


def test_the_lesson_is_the_one_of_the_bundle():
    assert ASSIGNMENT.lesson == LESSON
