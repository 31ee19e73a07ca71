"""Hidden tests, ready to run: a graded cell with the instructor's statements that it leans on.

What a test needs is looked for upwards in the master. A name that a student fills in stays a question to the
student's process, and all that follows from such a name too; what is the instructor's is made in the trusted
one.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import CodeType

from course.lesson import assertions
from course.lesson.master_cell import MasterCell
from course.lesson.names import bound, needed, rebound, statements
from helpers.names import functions

Place = tuple[int, int]


@dataclass(frozen=True)
class HiddenTest:
    """A graded cell: the statements that it leans on, and the names that only a student can fill in."""

    name: str
    setup: CodeType | None
    code: CodeType
    students_names: tuple[str, ...]
    is_of_decision: bool = False  # its answer is data that a student fills in, not a function


@dataclass
class _Needs:
    """What was found behind a test: names to ask a student for, and statements by their place."""

    asked: set[str] = field(default_factory=set)
    statements: dict[Place, ast.stmt] = field(default_factory=dict)


def hidden_test(cells: Sequence[MasterCell], position: int) -> HiddenTest:
    """The graded cell at this position of a master, with all that it needs from above."""
    cell = cells[position]
    tree = ast.parse(cell.source)
    needs = _Needs({name for name in rebound(tree) if _is_answer(cells[:position], name)})
    for name in needed([tree]):
        if not _trace(cells, position, name, needs):
            needs.asked.add(name)
    body = [_narrowed(needs.statements[place]) for place in sorted(needs.statements)]
    setup = compile(ast.Module(body, []), f"<{cell.name}>", "exec") if body else None
    code = compile(assertions.rewritten(tree, needs.asked), f"<{cell.name}>", "exec")
    is_of_decision = any(_is_decision(cells[:position], name) for name in needs.asked)
    return HiddenTest(cell.name, setup, code, tuple(sorted(needs.asked)), is_of_decision)


def _trace(cells: Sequence[MasterCell], position: int, name: str, needs: _Needs) -> bool:
    """Gather the instructor's statements behind a name; False when its value is a student's to tell.

    That is so for what a solution cell defines, for a form that students fill in, and for all that follows
    from such a form: a trusted process runs no experiment and opens no file because a student says so.
    """
    found = _definition(cells, position, name)
    if found is None:
        return False
    place, statement = found
    behind = _Needs(statements={place: statement})
    for wanted in needed([statement]):
        if not _trace(cells, place[0] + 1, wanted, behind):
            if not _is_answer(cells[: place[0] + 1], wanted):
                return False
            behind.asked.add(wanted)
    needs.asked |= behind.asked
    needs.statements |= behind.statements
    return True


def _is_answer(above: Sequence[MasterCell], name: str) -> bool:
    """True when a solution cell above defines the name: tests are there to call a student's function."""
    return any(cell.owner == "solution" and name in cell.defines for cell in above)


def _is_decision(above: Sequence[MasterCell], name: str) -> bool:
    """True when a solution cell above gives the name a value that is no function."""
    return any(c.owner == "solution" and name in c.defines - functions(c.source) for c in above)


def _definition(cells: Sequence[MasterCell], position: int, name: str) -> tuple[Place, ast.stmt] | None:
    """The instructor's last statement before `position` that binds the name; None when a student's cell
    does."""
    for index in range(position - 1, -1, -1):
        cell = cells[index]
        if cell.kind != "code" or cell.graded:
            continue
        if cell.owner == "solution":
            if name in cell.defines:
                return None
            continue
        for number, statement in reversed(list(enumerate(statements(cell.released)))):
            if name in bound(statement):
                return None if _is_blank(cell, statement) else ((index, number), statement)
    return None


def _is_blank(cell: MasterCell, statement: ast.stmt) -> bool:
    """A value written out in a cell that students may change is a form to fill in, and theirs."""
    if cell.owner != "open" or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return False
    return not any(isinstance(node, (ast.Call, ast.Name)) for node in ast.walk(statement.value or statement))


def _narrowed(statement: ast.stmt) -> ast.stmt:
    """An import without `plots`: a grader draws nothing, and matplotlib is slow to load."""
    if isinstance(statement, ast.ImportFrom):
        kept = [alias for alias in statement.names if alias.name != "plots"]
        return ast.copy_location(
            ast.ImportFrom(statement.module, kept or statement.names, statement.level), statement
        )
    return statement
