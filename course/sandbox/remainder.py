"""Runs inside the sandbox: what is left of a cell when one of its lines failed, or when the whole cell died.

A missing module or a question to somebody who is not there says nothing about the function below it. So the
cell goes on below the line that failed, without whatever leans on what that line would have bound: no value
is left from before it that it was to change.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
DOES_SOMETHING = (
    ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


@dataclass
class Remainder:
    """Statements that run one by one in a namespace; one that needs a lost name is left out, and its names
    are lost too."""

    namespace: dict[str, Any]
    lost: set[str] = field(default_factory=set)
    taken: bool = False

    def run(self, statements: Iterable[ast.stmt]) -> None:
        """Run these; one that raises loses what it would have bound."""
        for statement in statements:
            binds = bound(statement)
            if used(statement) & self.lost or not self._succeeds(statement):
                self.lost |= binds
            else:
                self.lost -= binds
                self.taken |= bool(binds)

    def _succeeds(self, statement: ast.stmt) -> bool:
        try:
            exec(compile(ast.Module([statement], []), "<cell>", "exec"), self.namespace)
        except (Exception, SystemExit):
            return False
        return True


def definitions(tree: ast.Module) -> list[ast.stmt]:
    """The statements that define without doing anything: functions, imports, values written out."""
    return [
        statement
        for statement in tree.body
        if isinstance(statement, DEFINITIONS)
        or (isinstance(statement, (ast.Assign, ast.AnnAssign)) and _is_written_out(statement))
    ]


def below(tree: ast.Module, line: int, namespace: dict[str, Any]) -> bool:
    """Go on below the line that failed; True when that bound something. What the cell had bound above it
    stays, as it does in a notebook."""
    failed = [one for one in tree.body if one.lineno <= line <= (one.end_lineno or one.lineno)]
    kept = {name for one in tree.body if (one.end_lineno or one.lineno) < line for name in bound(one)}
    before = {name: namespace[name] for name in kept if name in namespace}
    remainder = Remainder(namespace, set().union(*map(bound, failed)))
    remainder.run(one for one in tree.body if one.lineno > line and one not in failed)
    namespace.update(before)
    return remainder.taken


def failed_line(trace: TracebackType | None, namespace: dict[str, Any]) -> int | None:
    """The line of the cell, whose namespace this is, that an exception came through."""
    while trace is not None and trace.tb_frame.f_globals is not namespace:
        trace = trace.tb_next
    return None if trace is None else trace.tb_lineno


def bound(statement: ast.stmt) -> set[str]:
    """The names that a statement binds, or whose entries it sets."""
    names = {symbol.get_name() for symbol in _table(statement).get_symbols() if _binds(symbol)}
    return names | {
        _root(node)
        for node in ast.walk(statement)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store)
    }


def used(statement: ast.stmt) -> set[str]:
    """The names of the notebook that a statement uses, in the functions that it defines too."""
    table = _table(statement)
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    waiting = list(table.get_children())
    while waiting:
        inner = waiting.pop()
        names |= {one.get_name() for one in inner.get_symbols() if one.is_global() and one.is_referenced()}
        waiting += inner.get_children()
    return names


def _is_written_out(statement: ast.Assign | ast.AnnAssign) -> bool:
    return statement.value is not None and not any(
        isinstance(node, DOES_SOMETHING) for node in ast.walk(statement.value)
    )


def _table(statement: ast.stmt) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(statement), "<cell>", "exec")


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
