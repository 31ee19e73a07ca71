"""Names in the course's own sources, which are trusted and parsed.

`bound_in` says what a whole cell binds in any way, `bound` and `needed` what a single statement gives and
takes, `asked_for` what an answer has to define. What students send goes to `helpers.names`, which never
parses.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable

from helpers.names import defined, functions

SHOWING = ("guess", "guessing", "plots", "table")  # what `helpers` shows with
PLAIN = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef)


def bound_in(source: str) -> frozenset[str]:
    """The names that a source binds at its top level, in whatever way."""
    try:
        symbols = symtable.symtable(source, "<cell>", "exec").get_symbols()
    except SyntaxError:
        return frozenset(defined(source))
    return frozenset(s.get_name() for s in symbols if s.is_assigned() or s.is_imported())


def asked_for(source: str, name: str) -> set[str]:
    """What an answer must define: its cell's functions, or the one value that the cell is named after."""
    return functions(source) or {name.replace("-", "_")}


def statements(source: str) -> list[ast.stmt]:
    """The statements of a source that do nothing but bind names; none where it does not parse."""
    try:
        return [statement for statement in ast.parse(source).body if isinstance(statement, PLAIN)]
    except SyntaxError:
        return []


def bound(statement: ast.stmt) -> set[str]:
    """The names that one of these statements binds."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def rebound(tree: ast.AST) -> set[str]:
    """The names that a tree binds or deletes by themselves."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if not isinstance(node.ctx, ast.Load)}


def without_look(source: str) -> str:
    """The source without its last expression, where that only shows a value, a table or a picture."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return source
    if not body or not _is_look(body[-1]):
        return source
    above = body[-2].end_lineno if len(body) > 1 else 0
    return source if above == body[-1].lineno else "\n".join(source.split("\n")[:above])


def _is_look(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    if any(isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield)) for node in ast.walk(statement)):
        return False
    shown = statement.value
    while isinstance(shown, (ast.Call, ast.Attribute)) and isinstance(statement.value, ast.Call):
        shown = shown.func if isinstance(shown, ast.Call) else shown.value
    return not isinstance(statement.value, ast.Call) or (isinstance(shown, ast.Name) and shown.id in SHOWING)


def needed(trees: Iterable[ast.AST]) -> set[str]:
    """The names that these trees use and neither bind nor find among Python's own."""
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
