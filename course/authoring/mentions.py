"""What a notebook mentions by a key: concepts (its exercises and graded cells), ideas, columns of
tables, cases that a visible check leaves to the student."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from course.lesson import cells


def of(master: NotebookNode) -> dict[str, set[str]]:
    """The keys of each kind that a reader would see words for."""
    trees = [ast.parse(cell.source) for cell in master.cells if cells.is_code(cell)]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    graded = {cells.name(c) for c in master.cells if cells.is_grade(c) or cells.is_solution(c)}
    return {
        "concept": graded | {key for call in calls for key in _concepts(call)},
        "idea": {key for call in calls for key in _ideas(call)},
        "case": {key for call in calls for key in _cases(call)},
        "column": {key for call in calls for key in _columns(call)},
    }


def _called(call: ast.Call) -> str:
    """The last word of what is called: `checks.passed` is `passed`."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _concepts(call: ast.Call) -> Iterator[str]:
    if _called(call) in ("concept", "formed"):
        yield from _texts(call.args[:1])
    if _called(call) == "passed":
        yield from _texts(call.args)


def _cases(call: ast.Call) -> Iterator[str]:
    """What a visible check leaves to think of: `passed(…, left=("a_case", …))`."""
    if _called(call) == "passed":
        left = (keyword.value for keyword in call.keywords if keyword.arg == "left")
        yield from _texts([one for sequence in left for one in getattr(sequence, "elts", [])])


def _ideas(call: ast.Call) -> Iterator[str]:
    """`ideas={"name": …}` of a comparison, `ideas={Error: "name"}` of a call, `idea="name"` of a refusal."""
    for keyword in call.keywords:
        if keyword.arg == "idea":
            yield from _texts([keyword.value])
        elif keyword.arg == "ideas" and isinstance(keyword.value, ast.Dict):
            yield from _texts([*filter(None, keyword.value.keys), *keyword.value.values])


def _columns(call: ast.Call) -> Iterator[str]:
    """The keys of the rows that are written out in a call of `table`."""
    if _called(call) == "table":
        rows = (node for argument in call.args for node in ast.walk(argument) if isinstance(node, ast.Dict))
        yield from (key for row in rows for key in _texts(filter(None, row.keys)))


def _texts(nodes: Iterator[ast.expr] | list[ast.expr]) -> Iterator[str]:
    yield from (n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
