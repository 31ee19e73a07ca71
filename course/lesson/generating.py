"""nbgrader's generate_assignment: from a master to what students get, and to the gradebook's cells."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.lesson.nbgrader_log import NbgraderLog
from course.text import Problem
from helpers.text import Language

if TYPE_CHECKING:
    from traitlets.config import Config


def register(folder: CourseFolder, lesson: str, database: str | None = None) -> None:
    """Tell the gradebook what the lesson's master holds now, without touching `release/`."""
    with tempfile.TemporaryDirectory() as space:
        generate(folder, lesson, MASTER_LANGUAGE, Path(space), True, database)


def generate(
    folder: CourseFolder,
    lesson: str,
    language: Language,
    space: Path,
    registered: bool,
    database: str | None = None,
) -> str:
    """The released notebook's text, as nbgrader makes it below `space`; `registered` tells the gradebook."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from sqlalchemy.exc import OperationalError

    if not folder.master(lesson, language).is_file():
        raise Problem("translations.missing_notebook", lesson=lesson, language=language)
    out = space / language
    elsewhere = {"db_url": database} if database else {}
    directory = folder.directory(lesson, language, release_directory=str(out), **elsewhere)
    if not registered:
        _leave_the_gradebook_alone(directory.config)
    log = NbgraderLog()
    converter = GenerateAssignment(coursedir=directory, config=directory.config, force=True, log=log.logger())
    try:
        converter.start()
    except NbGraderException:
        if refused := log.behind(OSError, OperationalError):  # it is not the lesson's fault
            raise refused from None
        raise _problem(folder, lesson, language, log) from None
    return (out / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8").rstrip("\n") + "\n"


def _leave_the_gradebook_alone(config: Config) -> None:
    steps = config.GenerateAssignment
    steps.no_database = True
    steps.preprocessors = [step for step in steps.preprocessors if not step.endswith(".SaveCells")]


def _problem(folder: CourseFolder, lesson: str, language: Language, log: NbgraderLog) -> Problem:
    if any("Cannot add or remove cells" in line for line in log.lines):
        return Problem("release.submissions", lesson=lesson)
    path = folder.relative(folder.master(lesson, language))
    return Problem("release.refused", path=path, reason=log.reason())
