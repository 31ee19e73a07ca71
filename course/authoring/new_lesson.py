"""A new lesson: the template's files under a name of their own, in every language of the course.

`template/` is a course folder with one lesson, which is called `lesson-name` in file names and texts and
`lesson_name` in code. Its translations hold texts only: code and the frame come from where they always do.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from course.authoring import frame, translations
from course.lesson import cells, notebooks
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.text import Problem
from helpers.lessons import Lesson
from helpers.text import Language
from helpers.writing import write_all

TEMPLATE = CourseFolder(Path(__file__).parent / "template")
TEMPLATE_NAME = "lesson-name"
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
LONGEST_NAME = 36  # with what the template puts beside it a line is no longer than the house allows


def write(folder: CourseFolder, lesson: str) -> list[Path]:
    """Write all files of a new lesson, or none; returns them."""
    if not NAME.fullmatch(lesson) or len(lesson) > LONGEST_NAME or lesson == TEMPLATE_NAME:
        raise Problem("new_lesson.name", name=lesson, longest=LONGEST_NAME)
    _refuse_taken(folder, lesson)
    files = contents(folder, lesson)
    try:
        write_all({path: text.encode("utf-8") for path, text in files.items()})
    except BaseException:
        _remove(folder, lesson)
        raise
    return list(files)


def untranslated(folder: CourseFolder) -> list[Language]:
    """The languages of the course that the template does not speak: their texts come over in Chinese."""
    return [language for language in folder.languages if language not in TEMPLATE.languages]


def contents(folder: CourseFolder, lesson: str) -> dict[Path, str]:
    """Every file of the new lesson with its text."""
    made = {
        folder.master(lesson, language): notebooks.dumps(notebook)
        for language, notebook in _editions(folder, lesson)
    }
    for path in sorted(path for half in ("helpers", "course") for path in (TEMPLATE.root / half).rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            place = _named(path.relative_to(TEMPLATE.root).as_posix(), lesson)
            made[folder.root / place] = _named(path.read_text(encoding="utf-8"), lesson)
    public = folder.public_halves / f"{lesson}.json"
    made[public] = made[public].replace('"number": 0', f'"number": {_next_number(folder)}')
    roster = next(path for path in made if path.name == "roster.csv")
    made[roster] = _in_languages_of(folder, made[roster])
    return made


def _named(text: str, lesson: str) -> str:
    """The template's text with the lesson's name in it."""
    in_code = TEMPLATE_NAME.replace("-", "_"), lesson.replace("-", "_")
    return text.replace(TEMPLATE_NAME, lesson).replace(*in_code)


def _editions(folder: CourseFolder, lesson: str) -> Iterator[tuple[Language, NotebookNode]]:
    """The master in its frame, and its translations."""
    master = frame.framed(_from_template(lesson, MASTER_LANGUAGE), frame.sources(folder))
    yield MASTER_LANGUAGE, master
    for language in folder.translations:
        twin = _from_template(lesson, language)
        texts = [cell.id for cell in twin.cells if not cells.is_code(cell)]
        yield language, translations.in_step(master, twin, language, texts)


def _from_template(lesson: str, language: Language) -> NotebookNode:
    """The template's notebook in one language; an empty one where it does not speak that."""
    path = TEMPLATE.master(TEMPLATE_NAME, language)
    if not path.is_file():
        return new_notebook()
    return notebooks.parse(_named(path.read_text(encoding="utf-8"), lesson))


def _next_number(folder: CourseFolder) -> int:
    return 1 + max((folder.public_half(lesson).number for lesson in folder.lessons()), default=0)


def _in_languages_of(folder: CourseFolder, roster: str) -> str:
    """The roster with students of languages that the course lacks put into the master's."""
    for language in set(TEMPLATE.languages) - set(folder.languages):
        roster = roster.replace(f",{language},", f",{MASTER_LANGUAGE},")
    return roster


def _refuse_taken(folder: CourseFolder, lesson: str) -> None:
    """A lesson of that name, or one that calls something as this lesson would, stays as it is."""
    halves = (folder.public_file(lesson), folder.secret_half(lesson))
    there = next((path for path in (*_places(folder, lesson), *halves) if path.exists()), None)
    if there:
        raise Problem("new_lesson.exists", name=lesson, path=there)
    ours = {_named(name, lesson) for name in _names(TEMPLATE.public_half(TEMPLATE_NAME))}
    taken = sorted(ours & {name for other in folder.lessons() for name in _names(folder.public_half(other))})
    if taken:
        raise Problem("new_lesson.taken", name=lesson, word=taken[0])


def _names(half: Lesson) -> set[str]:
    """What a lesson calls its exercises, what they define, its concepts and its wrong ideas."""
    defined = {name for exercise in half.exercises for name in (exercise.cell, *exercise.names)}
    return {*defined, *half.words.get("concept", ()), *half.words.get("idea", ())}


def _remove(folder: CourseFolder, lesson: str) -> None:
    """Take back what was written of a lesson that did not exist before."""
    for path in _places(folder, lesson):
        shutil.rmtree(path, ignore_errors=True)
        if path.is_file():
            path.unlink()


def _places(folder: CourseFolder, lesson: str) -> list[Path]:
    """What belongs to this lesson alone: its notebooks' folders, its file, its folder."""
    masters = [folder.master(lesson, language).parent for language in folder.languages]
    secret = folder.root / "course" / "lessons" / lesson.replace("-", "_")
    return [*masters, folder.public_halves / f"{lesson}.json", secret]
