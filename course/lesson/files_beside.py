"""Files beside a master: pictures and data that its text and cells name; they go where the notebook goes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from helpers.text import Language
from helpers.writing import write_if_changed


def of(folder: CourseFolder, lesson: str, language: Language = MASTER_LANGUAGE) -> dict[Path, Path]:
    """Each file below the master's folder but notebooks and what is hidden, by its path in that folder."""
    root = folder.master(lesson, language).parent
    found = {path.relative_to(root): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {place: path for place, path in found.items() if _belongs(place)}


def copy(folder: CourseFolder, lesson: str, students: Iterable[str]) -> None:
    """Put them beside these students' graded notebooks, where formgrader shows them."""
    found = of(folder, lesson)
    for student in students if found else ():
        for place, path in found.items():
            write_if_changed(folder.autograded(student, lesson).parent / place, path.read_bytes())


def _belongs(place: Path) -> bool:
    return place.suffix != ".ipynb" and not any(part.startswith((".", "__")) for part in place.parts)
