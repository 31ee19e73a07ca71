"""Translations: the code, order and metadata of every translated notebook are those of its Chinese master."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from course.authoring import frame
from course.lesson import cells, notebooks
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.text import Problem, say
from helpers.text import Language


@dataclass(frozen=True)
class TranslationGap:
    """One thing in which a twin is not in step with its master."""

    kind: str
    lesson: str
    language: Language
    cell: str = ""

    def __str__(self) -> str:
        return say(f"translations.{self.kind}", lesson=self.lesson, language=self.language, cell=self.cell)


def digest(text: str) -> str:
    """What a translation remembers of the master text it translates."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def check(folder: CourseFolder) -> list[TranslationGap]:
    """Everything in which a master differs from the frame, or any lesson's twins from their master."""
    return [gap for lesson in folder.lessons() for gap in check_lesson(folder, lesson)]


def check_lesson(folder: CourseFolder, lesson: str) -> list[TranslationGap]:
    """Everything in which this lesson's master differs from the frame, or a twin from the master."""
    found = list(_check_ids(folder, lesson)) or list(_check_frame(folder, lesson, frame.sources(folder)))
    for language in folder.translations:
        found += _check_edition(folder, lesson, language)
    return found


def update(folder: CourseFolder, translated: Collection[str] = ()) -> list[str]:
    """Put the frame around every master and bring its twins in step; returns the files written.

    The cells named `translated` now translate their master.
    """
    _all_known(folder, translated)
    wanted = frame.sources(folder)
    made = {}
    for lesson in folder.lessons():
        path = folder.master(lesson)
        master = notebooks.load(path)
        if notebooks.lacks_ids(path) or frame.differing(master, wanted):
            master = made[path] = frame.framed(master, wanted)
        for language in folder.translations:
            path = folder.master(lesson, language)
            twin = notebooks.load(path) if path.is_file() else new_notebook()
            made[path] = in_step(master, twin, language, translated)
    return [str(folder.relative(path)) for path, notebook in made.items() if notebooks.save(notebook, path)]


def size(folder: CourseFolder, lesson: str) -> int:
    """How many cells the lesson has."""
    return len(notebooks.load(folder.master(lesson)).cells)


def in_step(
    master: NotebookNode, twin: NotebookNode, language: Language, translated: Collection[str] = ()
) -> NotebookNode:
    """The twin with the master's code, order and metadata, and with its own text."""
    own = {cell.id: cell for cell in twin.cells}
    result = copy.deepcopy(master)
    result.metadata = _notebook_metadata(master, language)
    result.cells = [_cell(cell, own.get(cell.id), language, cell.id in translated) for cell in master.cells]
    return result


def differences(
    master: NotebookNode, twin: NotebookNode, lesson: str, language: Language
) -> Iterator[TranslationGap]:
    """What separates a twin from its master, cell by cell."""

    def found(kind: str, cell: str) -> TranslationGap:
        return TranslationGap(kind, lesson, language, cell)

    own = {cell.id: cell for cell in twin.cells}
    names = [cell.id for cell in master.cells]
    yield from (found("extra", cell) for cell in own if cell not in names)
    yield from (found("order", cell) for cell in _moved([c for c in names if c in own], [*own]))
    if twin.metadata != _notebook_metadata(master, language):
        yield found("metadata", "notebook")
    for cell in master.cells:
        kind = _difference(cell, own[cell.id], language) if cell.id in own else "missing"
        if kind:
            yield found(kind, cell.id)


def _moved(names: list[str], order: list[str]) -> list[str]:
    blocks = SequenceMatcher(None, names, order, autojunk=False).get_matching_blocks()
    in_place = {name for block in blocks for name in names[block.a : block.a + block.size]}
    return [name for name in names if name not in in_place]


def _check_ids(folder: CourseFolder, lesson: str) -> list[TranslationGap]:
    """A twin without ids gets its master's."""
    lacking = notebooks.lacks_ids(folder.master(lesson))
    return [TranslationGap("no_ids", lesson, MASTER_LANGUAGE)] if lacking else []


def _check_frame(folder: CourseFolder, lesson: str, wanted: Mapping[str, str]) -> list[TranslationGap]:
    differing = frame.differing(notebooks.load(folder.master(lesson)), wanted)
    return [TranslationGap("frame", lesson, MASTER_LANGUAGE, cell) for cell in differing]


def _check_edition(folder: CourseFolder, lesson: str, language: Language) -> list[TranslationGap]:
    path = folder.master(lesson, language)
    if not path.is_file():
        return [TranslationGap("missing_notebook", lesson, language)]
    return list(differences(notebooks.load(folder.master(lesson)), notebooks.load(path), lesson, language))


def _difference(cell: NotebookNode, own: NotebookNode, language: Language) -> str | None:
    if _shared_metadata(cell) != _shared_metadata(own) or cell.cell_type != own.cell_type:
        return "metadata"
    if cells.is_code(cell):
        is_same = own.source == frame.in_edition(cell, language)
        return None if is_same or cells.sets_language(cell) else "code"
    remembered = own.metadata.get(notebooks.TRANSLATES)
    if remembered is None:
        return "untranslated"
    return "stale" if remembered != digest(cell.source) else None


def _shared_metadata(cell: NotebookNode) -> dict:
    return {key: value for key, value in cell.metadata.items() if key != notebooks.TRANSLATES}


def _cell(cell: NotebookNode, own: NotebookNode | None, language: Language, translated: bool) -> NotebookNode:
    result = copy.deepcopy(cell)
    if cells.is_code(cell):
        result.source = frame.in_edition(cell, language)
        result.outputs, result.execution_count = [], None
        if own is not None and cells.sets_language(cell):
            result.source = own.source
    elif own is not None and own.cell_type == cell.cell_type:
        result.source = own.source
        remembered = digest(cell.source) if translated else own.metadata.get(notebooks.TRANSLATES)
        if remembered is not None:
            result.metadata[notebooks.TRANSLATES] = remembered
    return result


def _notebook_metadata(master: NotebookNode, language: Language) -> NotebookNode:
    metadata = copy.deepcopy(master.metadata)
    metadata.setdefault(notebooks.METADATA, {})["language"] = language
    return metadata


def _all_known(folder: CourseFolder, named: Collection[str]) -> None:
    texts = {
        cell.id
        for lesson in folder.lessons()
        for cell in notebooks.load(folder.master(lesson, MASTER_LANGUAGE)).cells
        if not cells.is_code(cell)
    }
    unknown = next((cell for cell in named if cell not in texts), None)
    if unknown:
        raise Problem("translations.unknown_cell", cell=unknown)
