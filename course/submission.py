"""A submission as it came: bytes in, a notebook that can be graded out, with notes on what was put right.

Honest accidents only (an editor's encoding, a deleted or copied cell); hostile work is for the examiner.
"""

from __future__ import annotations

import codecs
import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from course import notebooks
from course.folder import MASTER_LANGUAGE
from helpers.text import LANGUAGES, Language

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
ENCODINGS = ("utf-8", "gb18030")
VALID_ID = re.compile(r"[a-zA-Z0-9-_]{1,64}")
DEFINITION = re.compile(r"^(?:async +)?(?:def|class) +(\w+)|^(\w+)(?: *:[^=\n]+)? *=(?!=)", re.MULTILINE)
SPEAKS = re.compile(rf"speak\(['\"]({'|'.join(LANGUAGES)})['\"]\)")


@dataclass(frozen=True)
class Note:
    """One thing that was put right, or that could not be: a key of the catalog, and the cell it is about."""

    key: str
    cell: str = ""

    @property
    def unreadable(self) -> bool:
        """True when the file was no notebook at all."""
        return self.key.startswith("unreadable.")


def in_words(notes: Iterable[Note], say: Callable[..., str]) -> list[str]:
    """The notes as sentences, one for each kind."""
    cells: dict[str, list[str]] = {}
    for note in notes:
        cells.setdefault(note.key, []).append(note.cell)
    return [say(key, cell=", ".join(named)) for key, named in cells.items()]


@dataclass
class Submission:
    """What a student handed in; an unreadable file is a submission with no cells and a note that says why."""

    notebook: NotebookNode
    notes: list[Note] = field(default_factory=list)

    @property
    def readable(self) -> bool:
        """False when the file was no notebook at all."""
        return not any(note.unreadable for note in self.notes)


def read(data: bytes) -> Submission:
    """The notebook in these bytes, whatever an editor made of its encoding and line ends."""
    notes: list[Note] = []
    try:
        return Submission(_parse(data, notes), notes)
    except _Unreadable as problem:
        return Submission(_empty(data), [Note(f"unreadable.{problem}")])


def rebuild(submission: Submission, masters: Mapping[Language, NotebookNode]) -> Submission:
    """The student's cells with the master's checks around them, in the language of the student's notebook.

    Each check stands after everything that precedes it in the master, wherever the student moved that.
    """
    notes = list(submission.notes)
    spoken = language(submission.notebook, masters)
    master = masters[spoken]
    found = _with_names(submission.notebook.cells, master)
    _note_checks(found, master, notes if submission.readable else [])
    students = _students_cells(found, master, notes)
    notebook = copy.deepcopy(master)
    notebook.cells = _with_masters_cells(students, master, notes if submission.readable else [])
    notebook.metadata[notebooks.METADATA] = {
        **notebook.metadata.get(notebooks.METADATA, {}),
        "language": spoken,
    }
    _clean(notebook)
    return Submission(notebook, notes)


def language(notebook: NotebookNode, masters: Mapping[Language, NotebookNode]) -> Language:
    """What the notebook speaks; else what its metadata says; else whose text it has most of."""
    for cell in notebook.cells:
        spoken = SPEAKS.search(cell.source) if notebooks.is_code(cell) else None
        if spoken:
            return spoken.group(1)
    return notebooks.language(notebook) or max(
        masters, key=lambda lang: (_common_text(notebook, masters[lang]), lang == MASTER_LANGUAGE)
    )


def defines(source: str) -> set[str]:
    """The names that a cell defines at its top level, whether or not it parses."""
    return {name for pair in DEFINITION.findall(source) for name in pair if name}


def asked_for(solution: NotebookNode) -> set[str]:
    """The functions that an answer must define, or the one value that its cell is named after."""
    functions = set(re.findall(r"^def +(\w+)", solution.source, re.MULTILINE))
    return functions or {notebooks.name(solution).replace("-", "_")}


def is_untouched(source: str, master_cell: NotebookNode) -> bool:
    """True when nothing but the stub stands where the answer should be."""
    given = {_squeezed(line) for place, line in notebooks.regions(master_cell.source) if place == "visible"}
    own = [line for line in source.split("\n") if _squeezed(line) not in given and not _is_stub(line)]
    return not own


class _Unreadable(Exception):
    pass


def _parse(data: bytes, notes: list[Note]) -> NotebookNode:
    if not data.strip():
        raise _Unreadable("empty")
    text = _decoded(data, notes)
    try:
        if not isinstance(json.loads(text), dict):
            raise _Unreadable("not_notebook")
    except (ValueError, RecursionError):
        raise _Unreadable("not_json") from None
    try:
        return _plain(nbformat.convert(nbformat.reader.reads(text), 4))
    except Exception:
        raise _Unreadable("not_notebook") from None


def _empty(data: bytes) -> NotebookNode:
    """A notebook with nothing in it but the language that the broken file still shows."""
    notebook = new_notebook()
    spoken = SPEAKS.search(data.decode("utf-8", "replace").replace('\\"', '"'))
    if spoken:
        notebook.metadata[notebooks.METADATA] = {"language": spoken.group(1)}
    return notebook


def _decoded(data: bytes, notes: list[Note]) -> str:
    encodings = [name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)] or ENCODINGS
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "utf-8":
            notes.append(Note("repaired.encoding", encoding.upper().replace("-SIG", " (BOM)")))
        return text
    raise _Unreadable("not_json")


def _plain(notebook: NotebookNode) -> NotebookNode:
    """The notebook with every cell a text of one of the known types; damaged metadata is dropped."""
    for number, cell in enumerate(notebook.cells):
        source = cell.get("source", "")
        cell.source = _writable("".join(source) if isinstance(source, list) else str(source))
        if cell.get("cell_type") not in ("code", "markdown", "raw"):
            cell.cell_type = "code"
        if not isinstance(cell.get("metadata"), dict):
            cell.metadata = NotebookNode()
        if not VALID_ID.fullmatch(str(cell.get("id", ""))):
            cell.id = f"cell-{number}"
    return notebook


def _writable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _with_names(cells: Iterable[NotebookNode], master: NotebookNode) -> list[tuple[str, NotebookNode]]:
    """Each cell with the name of the master's cell that it is, or "" for a student's own."""
    by_text: dict[str, list[str]] = {}
    for cell in master.cells:
        by_text.setdefault(_squeezed(_visible(cell)), []).append(notebooks.name(cell))
    known = {name for names in by_text.values() for name in names}
    return [(_name(cell, known, by_text), cell) for cell in cells]


def _name(cell: NotebookNode, known: set[str], by_text: dict[str, list[str]]) -> str:
    """By grade_id, by id, or, where both were lost, by text: the master's next cell that reads the same."""
    for name in (str(notebooks.grader(cell).get("grade_id", "")), cell.id):
        if name in known:
            return name
    names = by_text.get(_squeezed(cell.source))
    return names.pop(0) if names else ""


def _note_checks(found: list[tuple[str, NotebookNode]], master: NotebookNode, notes: list[Note]) -> None:
    for check in filter(notebooks.is_instructors, master.cells):
        own = [cell for name, cell in found if name == notebooks.name(check)]
        if not own:
            notes.append(Note("repaired.deleted", notebooks.name(check)))
        elif len(own) > 1:
            notes.append(Note("repaired.copied_check", notebooks.name(check)))
        elif _squeezed(own[0].source) != _squeezed(_visible(check)):
            notes.append(Note("repaired.changed_check", notebooks.name(check)))


def _students_cells(
    found: list[tuple[str, NotebookNode]], master: NotebookNode, notes: list[Note]
) -> list[tuple[str, NotebookNode]]:
    """The student's cells in the student's order; the last filled-in copy of an answer bears its name."""
    checks = {notebooks.name(cell) for cell in master.cells if notebooks.is_instructors(cell)}
    cells = [(name, copy.deepcopy(cell)) for name, cell in found if name not in checks]
    for _, cell in cells:
        cell.metadata.pop("nbgrader", None)
    for solution in filter(notebooks.is_solution, master.cells):
        cells = _one_solution(cells, solution, found, notes)
    return cells


def _one_solution(
    cells: list[tuple[str, NotebookNode]],
    solution: NotebookNode,
    found: list[tuple[str, NotebookNode]],
    notes: list[Note],
) -> list[tuple[str, NotebookNode]]:
    wanted = notebooks.name(solution)
    candidates = [cell for name, cell in cells if name == wanted or (not name and _answers(cell, solution))]
    filled = [cell for cell in candidates if not is_untouched(cell.source, solution)]
    if not candidates:
        return cells
    chosen = (filled or candidates)[-1]
    if sum(name == wanted for name, _ in found) > 1:
        notes.append(Note("repaired.copied", wanted))
    elif not any(name == wanted for name, _ in found):
        notes.append(Note("repaired.recognised", wanted))
    if chosen.cell_type != "code":
        notes.append(Note("repaired.cell_type", wanted))
        chosen.cell_type = "code"
    chosen.metadata["nbgrader"] = copy.deepcopy(solution.metadata["nbgrader"])
    dropped = [cell for cell in candidates if cell is not chosen and cell not in filled]
    return [
        (wanted if cell is chosen else "" if name == wanted else name, cell)
        for name, cell in cells
        if not any(cell is other for other in dropped)
    ]


def _answers(cell: NotebookNode, solution: NotebookNode) -> bool:
    return asked_for(solution) <= defines(cell.source)


def _with_masters_cells(
    students: list[tuple[str, NotebookNode]], master: NotebookNode, notes: list[Note]
) -> list[NotebookNode]:
    """The student's cells with the master's checks, set-up cells and missing solution cells put in."""
    names = [name for name, _ in students]
    result = [cell for _, cell in students]
    position = 0
    for cell in master.cells:
        name = notebooks.name(cell)
        if name in names:
            if notebooks.is_code(cell):
                position = max(position, names.index(name) + 1)
        elif _is_restored(cell):
            result.insert(position, _restored(cell, notes))
            names.insert(position, name)
            position += 1
    return result


def _is_restored(cell: NotebookNode) -> bool:
    return notebooks.is_instructors(cell) or notebooks.is_solution(cell) or notebooks.is_setup(cell)


def _restored(cell: NotebookNode, notes: list[Note]) -> NotebookNode:
    if notebooks.is_instructors(cell):
        return copy.deepcopy(cell)
    notes.append(Note("repaired.missing", notebooks.name(cell)))
    if not notebooks.is_solution(cell):
        return copy.deepcopy(cell)
    empty = new_code_cell(id=cell.id)
    empty.metadata["nbgrader"] = copy.deepcopy(cell.metadata["nbgrader"])
    return empty


def _clean(notebook: NotebookNode) -> None:
    """No outputs, and every cell with an id of its own; the master's cells keep theirs."""
    taken = {notebooks.name(cell) for cell in notebook.cells if notebooks.grader(cell)}
    for number, cell in enumerate(notebook.cells):
        if notebooks.grader(cell):
            cell.id = notebooks.name(cell)
        else:
            cell.id = cell.id if cell.id not in taken else f"cell-{number}"
            taken.add(cell.id)
        for key in ("outputs", "execution_count"):
            cell.pop(key, None)
        if notebooks.is_code(cell):
            cell.outputs, cell.execution_count = [], None


def _common_text(notebook: NotebookNode, master: NotebookNode) -> int:
    own = {_squeezed(cell.source) for cell in notebook.cells}
    return sum(_squeezed(cell.source) in own for cell in master.cells if not notebooks.is_code(cell))


def _visible(cell: NotebookNode) -> str:
    return notebooks.without(cell.source, "solution", "hidden tests", "marker")


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _is_stub(line: str) -> bool:
    return not line.strip() or "NotImplementedError" in line or line.lstrip().startswith("# TODO")
