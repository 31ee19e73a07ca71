"""What the tests share: the course of this checkout, and one demo for all that look at it."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

import copying
import pytest

from course import demo as demos
from course.lesson.folder import CourseFolder
from helpers import text
from helpers.text import speak, spoken

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Demo:
    """A finished demo: its folder, who got what, and what it printed."""

    folder: CourseFolder
    lines: list[demos.Line]
    printed: str


@pytest.fixture(scope="session")
def course() -> CourseFolder:
    """The course of this checkout; tests read it and never write to it."""
    return CourseFolder(ROOT)


@pytest.fixture(scope="module")
def copying_words(tmp_path_factory) -> None:
    """The words of the tests' own lesson are known."""
    folder = tmp_path_factory.mktemp("lessons")
    half = json.dumps(copying.FILE, ensure_ascii=False)
    (folder / f"{copying.LESSON}.json").write_text(half, encoding="utf-8")
    text.read_lessons(folder)


@pytest.fixture(scope="session")
def demo(course, tmp_path_factory) -> Demo:
    """The whole demo, run once, in Chinese."""
    speak("zh")
    folder, printed = tmp_path_factory.mktemp("demo") / "course", io.StringIO()
    with contextlib.redirect_stdout(printed):
        lines = demos.run(course, folder)
    return Demo(CourseFolder(folder.resolve()), lines, printed.getvalue())


@pytest.fixture(autouse=True)
def _same_language_afterwards():
    before = spoken()
    yield
    speak(before)


@pytest.fixture(autouse=True, scope="module")
def _same_lessons_afterwards():
    """Words of lessons that a module's courses brought along go with them."""
    before = text._Voice.lessons
    yield
    text._Voice.lessons = before
