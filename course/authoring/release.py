"""Release: masters → what students get, through nbgrader, and proof that no answer or hidden test is left."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from course.authoring import folding
from course.lesson import cells, notebooks, regions
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.lesson.nbgrader_log import NbgraderLog
from course.text import Problem, say
from helpers.text import Language
from helpers.writing import write_if_changed

if TYPE_CHECKING:
    from traitlets.config import Config

SECRET_LINE = 15


@dataclass(frozen=True)
class ReleaseFinding:
    """One thing that keeps a release from going out, or a committed one from being current."""

    kind: str
    values: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, kind: str, **values: object) -> ReleaseFinding:
        return cls(kind, tuple(values.items()))

    def __str__(self) -> str:
        return say(f"release.{self.kind}", **dict(self.values))


def release(folder: CourseFolder, lessons: list[str]) -> list[Path]:
    """Write these lessons' release in every language and register their cells; returns the files written."""
    made = _make(folder, lessons, registered=True)
    _refuse_leaks(folder, lessons, made)
    return [path for path, text in made.items() if write_if_changed(path, text.encode("utf-8"))]


def register(folder: CourseFolder, lesson: str, database: str | None = None) -> None:
    """Tell the gradebook what the lesson's master holds now, without touching `release/`."""
    with tempfile.TemporaryDirectory() as space:
        _generate(folder, lesson, MASTER_LANGUAGE, Path(space), True, database)


def check(folder: CourseFolder, lessons: list[str]) -> list[ReleaseFinding]:
    """What a fresh release would change, made in a folder of its own and without the gradebook."""
    made = _make(folder, lessons, registered=False)
    found = [*_leaks(folder, lessons, made)]
    for path, text in made.items():
        found += _stale(folder, path, text)
    if lessons == folder.lessons():
        found += [ReleaseFinding.of("orphan", path=folder.relative(path)) for path in _others(folder, made)]
    return found


def destinations(folder: CourseFolder, lessons: list[str]) -> list[Path]:
    """The files that a release of these lessons consists of."""
    return [folder.released(lesson, language) for lesson in lessons for language in folder.languages]


def solutions(folder: CourseFolder, lessons: list[str], destination: Path) -> list[Path]:
    """Write the solved edition: answers and explanations, visible checks, no hidden tests, nothing locked."""
    written = []
    for lesson in lessons:
        for language in folder.languages:
            path = destination / language / lesson / f"{lesson}.ipynb"
            notebooks.save(solved_edition(notebooks.load(folder.master(lesson, language))), path)
            written.append(path)
    (destination / ".gitignore").write_text("*\n", encoding="utf-8")
    return written


def solved_edition(master: NotebookNode) -> NotebookNode:
    """The master without hidden tests, markers and nbgrader's locks; the cells keep their names."""
    edition = tidy(master)
    for cell in edition.cells:
        keep = not cells.is_grade(cell) or not folding.is_comment("\n".join(regions.visible(cell.source)))
        cell.source = regions.without(cell.source, "hidden tests", "marker").strip("\n") if keep else ""
        for key in ("nbgrader", "deletable", "editable"):
            cell.metadata.pop(key, None)
    edition.cells = [cell for cell in edition.cells if cell.source.strip()]
    return edition


def tidy(notebook: NotebookNode) -> NotebookNode:
    """The notebook, in place, without what only masters need or what would differ from run to run."""
    notebook.metadata.get("language_info", {}).pop("version", None)
    for cell in notebook.cells:
        cell.metadata.pop(notebooks.TRANSLATES, None)
        if cells.is_code(cell):
            cell.outputs, cell.execution_count = [], None
            folding.fold(cell)
    return notebook


def secrets(master: NotebookNode) -> dict[str, str]:
    """Each line of a solution or hidden test, if longer than 15 characters and not visible, with its cell."""
    visible, hidden = [], {}
    for cell in master.cells:
        for place, line in regions.regions(cell.source):
            if place == "visible":
                visible.append(line)
            elif place != "marker" and len(line.strip()) > SECRET_LINE:
                hidden.setdefault(line.strip(), cells.name(cell))
    shown = "\n".join(visible)
    return {line: cell for line, cell in hidden.items() if line not in shown}


def leaks(master: NotebookNode, released: NotebookNode) -> Iterator[tuple[str, str]]:
    """Each secret line of the master that the release still holds, with the cell it comes from."""
    text = "\n".join(_texts(released))
    yield from ((cell, line) for line, cell in secrets(master).items() if line in text)
    for cell in released.cells:
        yield from ((cells.name(cell), line) for _, line in regions.regions(cell.source) if _marker(line))


def _make(folder: CourseFolder, lessons: list[str], registered: bool) -> dict[Path, str]:
    """Each lesson in each language as nbgrader generates it: where it belongs, and its text."""
    made = {}
    with tempfile.TemporaryDirectory() as space:
        for lesson in lessons:
            for language in folder.languages:
                made[folder.released(lesson, language)] = _generate(
                    folder, lesson, language, Path(space), registered
                )
    return made


def _generate(
    folder: CourseFolder,
    lesson: str,
    language: Language,
    space: Path,
    registered: bool,
    database: str | None = None,
) -> str:
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException

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


def _leaks(folder: CourseFolder, lessons: list[str], made: dict[Path, str]) -> Iterator[ReleaseFinding]:
    for lesson in lessons:
        for language in folder.languages:
            master = notebooks.load(folder.master(lesson, language))
            released = notebooks.parse(made[folder.released(lesson, language)])
            for cell, line in leaks(master, released):
                yield ReleaseFinding.of("leak", lesson=lesson, language=language, cell=cell, line=line[:60])
            for cell in released.cells:
                if cell.get("outputs"):
                    yield ReleaseFinding.of("output", lesson=lesson, language=language, cell=cells.name(cell))


def _refuse_leaks(folder: CourseFolder, lessons: list[str], made: dict[Path, str]) -> None:
    for finding in _leaks(folder, lessons, made):
        raise Problem(f"release.{finding.kind}", **dict(finding.values))


def _stale(folder: CourseFolder, path: Path, text: str) -> list[ReleaseFinding]:
    shown = folder.relative(path)
    if not path.is_file():
        return [ReleaseFinding.of("absent", path=shown)]
    committed = path.read_text(encoding="utf-8")
    if committed == text:
        return []
    return [ReleaseFinding.of("stale", path=shown, cells=_changed_cells(committed, text))]


def _changed_cells(committed: str, text: str) -> str:
    try:
        old, new = ({cell["id"]: cell for cell in json.loads(side)["cells"]} for side in (committed, text))
    except (ValueError, KeyError, TypeError):
        return say("release.whole_file")
    changed = [cell for cell in {**old, **new} if old.get(cell) != new.get(cell)]
    return ", ".join(changed) or say("release.whole_file")


def _others(folder: CourseFolder, made: dict[Path, str]) -> list[Path]:
    return sorted(path for path in (folder.root / "release").rglob("*.ipynb") if path not in made)


def _texts(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        yield cell.source
        yield json.dumps([cell.metadata, cell.get("outputs", [])], ensure_ascii=False)
    yield json.dumps(notebook.metadata, ensure_ascii=False)


def _marker(line: str) -> bool:
    return bool(regions.MARKER.search(line))
