"""Release: masters → what students get, through nbgrader, and proof that no answer or hidden test is left."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from course.authoring import folding, proof
from course.authoring.finding import ReleaseFinding
from course.authoring.translations import TranslationGap
from course.lesson import cells, files_beside, notebooks, regions
from course.lesson.folder import CourseFolder
from course.lesson.generating import generate
from course.text import Problem, say
from helpers.writing import write_all, write_if_changed

SECRET_LINE = 15


def release(folder: CourseFolder, lessons: list[str]) -> list[Path]:
    """Write these lessons' release in every language and register their cells; returns the files written.

    A lesson that is not proven, or whose release would hold an answer, is refused with all that is missing.
    """
    for lesson in lessons:
        found = proof.findings(folder, lesson)
        if found:
            listed = "\n".join(map(str, found))
            raise Problem("release.unproven", lesson=lesson, count=len(found), findings=listed)
    made = _make(folder, lessons, registered=True)
    _refuse_leaks(folder, lessons, made)
    files = {path: text.encode("utf-8") for path, text in made.items()} | _beside(folder, lessons)
    return write_all(files)


def check(folder: CourseFolder, lessons: list[str]) -> list[ReleaseFinding | TranslationGap]:
    """What is not proven, and what a fresh release would change, made without touching the gradebook."""
    found = [finding for lesson in lessons for finding in proof.findings(folder, lesson)]
    made = _make(folder, lessons, registered=False)
    found += _leaks(folder, lessons, made)
    for path, text in made.items():
        found += _stale(folder, path, text)
    for path, data in _beside(folder, lessons).items():
        found += _stale_beside(folder, path, data)
    if lessons == folder.lessons():
        found += [ReleaseFinding.of("orphan", path=folder.relative(path)) for path in _others(folder, made)]
    return found


def destinations(folder: CourseFolder, lessons: list[str]) -> list[Path]:
    """The files that a release of these lessons consists of."""
    made = [folder.released(lesson, language) for lesson in lessons for language in folder.languages]
    return [*made, *_beside(folder, lessons)]


def solutions(folder: CourseFolder, lessons: list[str], destination: Path) -> list[Path]:
    """Write the solved edition: answers and explanations, visible checks, no hidden tests, nothing locked."""
    written = []
    for lesson in lessons:
        for language in folder.languages:
            path = destination / language / lesson / f"{lesson}.ipynb"
            notebooks.save(solved_edition(notebooks.load(folder.master(lesson, language))), path)
            written.append(path)
    write_if_changed(destination / ".gitignore", b"*\n")
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
                made[folder.released(lesson, language)] = generate(
                    folder, lesson, language, Path(space), registered
                )
    return made


def _beside(folder: CourseFolder, lessons: list[str]) -> dict[Path, bytes]:
    """The pictures and data beside the masters: where students find them, and what they hold."""
    return {
        folder.released(lesson, language).parent / place: path.read_bytes()
        for lesson in lessons
        for language in folder.languages
        for place, path in files_beside.of(folder.master(lesson, language)).items()
    }


def _stale_beside(folder: CourseFolder, path: Path, data: bytes) -> list[ReleaseFinding]:
    shown = folder.relative(path)
    if not path.is_file():
        return [ReleaseFinding.of("absent", path=shown)]
    fresh = path.read_bytes() == data
    return [] if fresh else [ReleaseFinding.of("stale", path=shown, cells=say("release.whole_file"))]


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
