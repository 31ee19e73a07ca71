"""An assignment as the pure step of grading needs it: plain data that travels to any worker, and no path in
it.

A assignment holds secrets (answers, hidden tests). It stays in trusted processes.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import re
import symtable
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import Literal

from course.lesson.regions import visible

Place = tuple[int, int]
Owner = Literal["instructor", "solution", "open", "text"]
DEFINITION = re.compile(
    r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)"
    r"|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)"
    r"|^(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(.+)$",
    re.MULTILINE,
)
RUNS = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class MasterCell:
    """One cell of a master: whose it is, what it holds, and what a student gets of it."""

    name: str
    kind: str
    owner: Owner
    source: str
    released: str
    metadata: Mapping
    graded: bool = False
    manual: bool = False
    points: float = 0.0

    @cached_property
    def defines(self) -> frozenset[str]:
        """The names that the full cell binds at its top level, in whatever way; a master is trusted."""
        try:
            symbols = symtable.symtable(self.source, self.name, "exec").get_symbols()
        except SyntaxError:
            return frozenset(defined(self.source))
        return frozenset(s.get_name() for s in symbols if s.is_assigned() or s.is_imported())

    @cached_property
    def mentions(self) -> frozenset[str]:
        """Every word in what a student gets of the cell."""
        return words(self.released)


@dataclass(frozen=True)
class HiddenTest:
    """A graded cell, ready to run: the statements that it leans on, and the names that only a student can
    fill in."""

    name: str
    setup: CodeType | None
    code: CodeType
    students_names: tuple[str, ...]


@dataclass(frozen=True)
class Master:
    """The master in one language."""

    language: str
    metadata: Mapping
    cells: tuple[MasterCell, ...]

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The position of each cell."""
        return {cell.name: position for position, cell in enumerate(self.cells)}

    @cached_property
    def tests(self) -> dict[str, HiddenTest]:
        """Every cell that the examiner scores by itself."""
        return {
            cell.name: _hidden_test(self, i)
            for i, cell in enumerate(self.cells)
            if cell.graded and not cell.manual
        }

    def __getstate__(self) -> dict:
        return {key: self.__dict__[key] for key in ("language", "metadata", "cells")}


@dataclass(frozen=True)
class Assignment:
    """One assignment in every language it has."""

    lesson: str
    masters: Mapping[str, Master]

    @cached_property
    def digest(self) -> str:
        """What the assignment holds, in short: a submission is graded anew when it changes."""
        parts = [
            (m.language, c.name, c.owner, c.source, c.released, c.points)
            for m in self.masters.values()
            for c in m.cells
        ]
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    @property
    def max_points(self) -> float:
        """The points that the lesson carries."""
        return sum(cell.points for cell in next(iter(self.masters.values())).cells if cell.graded)

    @classmethod
    def read(cls, lesson: str, sources: Mapping[str, Path], releases: Mapping[str, Path]) -> Assignment:
        """From the masters' files; a release that does not exist yet is worked out from its master."""
        files = {language: path for language, path in releases.items() if path.is_file()}
        return cls.of(lesson, _loaded(sources), _loaded(files))

    @classmethod
    def of(cls, lesson: str, sources: Mapping[str, Mapping], releases: Mapping[str, Mapping]) -> Assignment:
        """From notebooks."""
        nothing: Mapping = {"cells": []}
        masters = {key: _master(key, found, releases.get(key, nothing)) for key, found in sources.items()}
        return cls(lesson, masters)


def _loaded(paths: Mapping[str, Path]) -> dict[str, Mapping]:
    return {language: json.loads(path.read_text("utf-8")) for language, path in paths.items()}


def text_of(cell: Mapping) -> str:
    """The source of a cell, whichever of the two forms a file gives it."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def defined(source: str) -> set[str]:
    """The names that a cell binds at the left margin, found without parsing, so that nothing in it can do
    harm."""
    names: set[str] = set()
    for function, variable, imported in DEFINITION.findall(source):
        names |= {function, variable}
        for part in imported.split(",")[:50]:
            words = part.strip("() \t").split()
            names |= {words[-1].split(".")[0]} if words else set()
    return names - {""}


def words(source: str) -> frozenset[str]:
    """Every word of a source: all names that it could possibly use."""
    return frozenset(re.findall(r"\w+", source))


def _master(language: str, notebook: Mapping, release: Mapping) -> Master:
    released = {_name(cell): cell for cell in release["cells"]}
    cells = tuple(_cell(cell, released.get(_name(cell))) for cell in notebook["cells"])
    return Master(language, notebook.get("metadata", {}), cells)


def _cell(cell: Mapping, released: Mapping | None) -> MasterCell:
    grader = cell.get("metadata", {}).get("nbgrader", {})
    source = text_of(cell)
    graded, solution = bool(grader.get("grade")), bool(grader.get("solution"))
    metadata = {key: value for key, value in cell.get("metadata", {}).items() if key != "translates"}
    if released is not None and grader:
        metadata = {**metadata, "nbgrader": released["metadata"].get("nbgrader", grader)}
    return MasterCell(
        name=_name(cell),
        kind=cell["cell_type"],
        owner=_owner(cell, grader),
        source=source,
        released=text_of(released) if released is not None else "\n".join(visible(source)),
        metadata=metadata,
        graded=graded,
        manual=graded and (solution or cell["cell_type"] != "code"),
        points=float(grader.get("points") or 0.0),
    )


def _owner(cell: Mapping, grader: Mapping) -> Owner:
    if grader.get("solution"):
        return "solution"
    if cell["cell_type"] != "code":
        return "text"
    tagged = "language" in cell.get("metadata", {}).get("tags", [])
    return "instructor" if grader.get("grade") or grader.get("locked") or tagged else "open"


def _name(cell: Mapping) -> str:
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") or cell.get("id", ""))


def _hidden_test(master: Master, position: int) -> HiddenTest:
    """What the cell needs is looked for upwards: a student's name stays a question, an instructor's is made
    here."""
    cell = master.cells[position]
    tree = ast.parse(cell.source)
    students: set[str] = set()
    statements: dict[Place, ast.stmt] = {}
    for name in _needed([tree]):
        if not _trace(master, position, name, students, statements):
            students.add(name)
    body = [_narrowed(statements[place]) for place in sorted(statements)]
    setup = compile(ast.Module(body, []), f"<{cell.name}>", "exec") if body else None
    return HiddenTest(cell.name, setup, compile(tree, f"<{cell.name}>", "exec"), tuple(sorted(students)))


def _trace(
    master: Master, position: int, name: str, students: set[str], statements: dict[Place, ast.stmt]
) -> bool:
    """Gather the instructor's statements behind a name; False when its value is a student's to tell.

    That is so for what a solution cell defines, for a form that students fill in, and for all that follows
    from such a form: a trusted process runs no experiment and opens no file because a student says so.
    """
    found = _definition(master, position, name)
    if found is None:
        return False
    place, statement = found
    behind: dict[Place, ast.stmt] = {place: statement}
    asked: set[str] = set()
    for needed in _needed([statement]):
        if not _trace(master, place[0] + 1, needed, asked, behind):
            if not _is_answer(master, place[0] + 1, needed):
                return False
            asked.add(needed)
    students |= asked
    statements |= behind
    return True


def _is_answer(master: Master, position: int, name: str) -> bool:
    """True when a solution cell above defines the name: tests are there to call a student's function."""
    return any(cell.owner == "solution" and name in cell.defines for cell in master.cells[:position])


def _definition(master: Master, position: int, name: str) -> tuple[Place, ast.stmt] | None:
    """The instructor's last statement before `position` that binds the name; None when a student's cell
    does."""
    for index in range(position - 1, -1, -1):
        cell = master.cells[index]
        if cell.kind != "code" or cell.graded:
            continue
        if cell.owner == "solution":
            if name in cell.defines:
                return None
            continue
        for number, statement in reversed(list(enumerate(_statements(cell.released)))):
            if name in _bound(statement):
                return None if _is_blank(cell, statement) else ((index, number), statement)
    return None


def _statements(source: str) -> list[ast.stmt]:
    try:
        return [statement for statement in ast.parse(source).body if isinstance(statement, RUNS)]
    except SyntaxError:
        return []


def _is_blank(cell: MasterCell, statement: ast.stmt) -> bool:
    """A value written out in a cell that students may change is a form to fill in, and theirs."""
    if cell.owner != "open" or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return False
    return not any(isinstance(node, (ast.Call, ast.Name)) for node in ast.walk(statement.value or statement))


def _needed(trees: list[ast.AST]) -> set[str]:
    loaded, stored = set(), set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                (loaded if isinstance(node.ctx, ast.Load) else stored).add(node.id)
            elif isinstance(node, ast.arg):
                stored.add(node.arg)
            elif isinstance(node, ast.alias):
                stored.add((node.asname or node.name).split(".")[0])
    return loaded - stored - set(dir(builtins))


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def _narrowed(statement: ast.stmt) -> ast.stmt:
    """An import without `plots`: a grader draws nothing, and matplotlib is slow to load."""
    if isinstance(statement, ast.ImportFrom):
        kept = [alias for alias in statement.names if alias.name != "plots"]
        return ast.copy_location(
            ast.ImportFrom(statement.module, kept or statement.names, statement.level), statement
        )
    return statement
