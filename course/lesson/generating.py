"""nbgrader's generate_assignment: from a master to what students get, and to the gradebook's cells."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from course.lesson import cells, notebooks
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
        raise _problem(folder, lesson, language, log, directory.db_url) from None
    return (out / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8").rstrip("\n") + "\n"


def _leave_the_gradebook_alone(config: Config) -> None:
    steps = config.GenerateAssignment
    steps.no_database = True
    steps.preprocessors = [step for step in steps.preprocessors if not step.endswith(".SaveCells")]


def other_cells(lesson: str, new: Iterable[str], gone: Iterable[str]) -> Problem:
    """A lesson with submissions whose master has other cells now, by their names."""
    names = {"new": ", ".join(sorted(new)) or "-", "gone": ", ".join(sorted(gone)) or "-"}
    return Problem("release.submissions", lesson=lesson, **names)


def _problem(
    folder: CourseFolder, lesson: str, language: Language, log: NbgraderLog, database: str
) -> Problem:
    if any("Cannot add or remove cells" in line for line in log.lines):
        here, known = _kinds_here(folder, lesson, language), _kinds_known(lesson, database)
        return other_cells(lesson, {name for _, name in here - known}, {name for _, name in known - here})
    path = folder.relative(folder.master(lesson, language))
    return Problem("release.refused", path=path, reason=log.reason())


def _kinds_here(folder: CourseFolder, lesson: str, language: Language) -> set[tuple[str, str]]:
    """What each cell of the master is, as nbgrader tells cells apart, with its name."""
    kinds = {"grade": "GradeCell", "solution": "SolutionCell", "task": "TaskCell"}
    found = [
        (cells.grader(cell), cells.name(cell))
        for cell in notebooks.load(folder.master(lesson, language)).cells
    ]
    return {
        (kind, name)
        for about, name in found
        for key, kind in kinds.items()
        if about.get(key) and not (key == "grade" and about.get("task"))
    } | {("SourceCell", name) for about, name in found if about}


def _kinds_known(lesson: str, database: str) -> set[tuple[str, str]]:
    """The same of the gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(database) as book:
        known = book.find_notebook(lesson, lesson)
        every = (*known.grade_cells, *known.solution_cells, *known.task_cells, *known.source_cells)
        return {(type(cell).__name__, cell.name) for cell in every}
