"""What the tests share: the course of this checkout, and small courses built in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from course.folder import CourseFolder
from helpers.text import speak, spoken

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def course() -> CourseFolder:
    """The course of this checkout; tests read it and never write to it."""
    return CourseFolder(ROOT)


@pytest.fixture(autouse=True)
def _same_language_afterwards():
    before = spoken()
    yield
    speak(before)
