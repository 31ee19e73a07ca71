"""Assertions of a hidden test, rewritten so that one that fails says what was compared, not only that it
failed.

`assert f(2) == 5` becomes `if not compared(f(2), "==", 5): raise failed(...)`. What a student reads of it is
decided later; here it is only kept. Expected values are kept for what a student's function returned: of an
answer that is a value, the expected one is the answer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from operator import contains, eq, ge, gt, is_, is_not, le, lt, ne
from typing import Any

from helpers.facts import CheckFacts, plain, said, unit

FAILED_FACTS = CheckFacts("examiner.failed", {"kind": "AssertionError"})
COMPARED, FAILED = "@compared", "@failed"  # no test can bind such names


@dataclass(frozen=True)
class Relation:
    """A comparison: its function, its sign, and its sign read from right to left."""

    holds: Callable[[Any, Any], Any]
    sign: str
    turned: str


RELATIONS: dict[type[ast.cmpop], Relation] = {
    ast.Eq: Relation(eq, "=", "="),
    ast.NotEq: Relation(ne, "≠", "≠"),
    ast.Lt: Relation(lt, "<", ">"),
    ast.LtE: Relation(le, "≤", "≥"),
    ast.Gt: Relation(gt, ">", "<"),
    ast.GtE: Relation(ge, "≥", "≤"),
    ast.In: Relation(lambda one, many: contains(many, one), "∈", "∋"),
    ast.NotIn: Relation(lambda one, many: not contains(many, one), "∉", "∌"),
    ast.Is: Relation(is_, "=", "="),
    ast.IsNot: Relation(is_not, "≠", "≠"),
}
BY_NAME = {kind.__name__: relation for kind, relation in RELATIONS.items()}


class AssertionFailed(AssertionError):
    """An assertion of a test that did not hold: facts, and the test's own message as an assertion has it."""

    def __init__(self, facts: CheckFacts, *message: object) -> None:
        super().__init__(*message)
        self.facts = facts


def rewritten(tree: ast.Module, students_names: Collection[str]) -> ast.Module:
    """The test with its assertions rewritten; `names` of the record that they call belong into its scope."""
    return ast.fix_missing_locations(
        _Rewriter(frozenset(students_names), _results(tree, students_names)).visit(tree)
    )


@dataclass
class AssertionRecord:
    """What the last assertion compared, kept until it is known whether it held."""

    last: tuple[Any, str, Any] | None = None
    names: dict[str, Callable] = field(init=False)

    def __post_init__(self) -> None:
        self.names = {COMPARED: self._compared, FAILED: self._failed}

    def _compared(self, left: Any, relation: str, right: Any) -> Any:
        holds = BY_NAME[relation].holds(left, right)
        self.last = (left, relation, right)
        return holds

    def _failed(self, what: str, side: str, *message: Any) -> AssertionFailed:
        return AssertionFailed(self._facts(what, side, *map(str, message)), *message)

    def _facts(self, what: str, side: str, message: str = "") -> CheckFacts:
        if not side:
            untrue = CheckFacts("check.untrue", {"what": what}) if what else FAILED_FACTS
            return said(message) if message else untrue
        left, relation, right = self.last
        expected, got = (right, left) if side == "left" else (left, right)
        sign = BY_NAME[relation].sign if side == "left" else BY_NAME[relation].turned
        values = {"what": what, "expected": plain(expected), "got": plain(got), "unit": unit(what)}
        key = "check.expected" if sign == "=" else "check.relation"
        values |= {} if sign == "=" else {"relation": sign}
        return (
            CheckFacts(f"{key}_said", {**values, "message": message}) if message else CheckFacts(key, values)
        )


@dataclass
class _Rewriter(ast.NodeTransformer):
    students_names: frozenset[str]
    results: frozenset[str]

    def visit_Assert(self, node: ast.Assert) -> ast.If:
        test, side = node.test, ""
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            side = self._side(test)
            operands = [test.left, ast.Constant(type(test.ops[0]).__name__), test.comparators[0]]
            test = ast.Call(ast.Name(COMPARED, ast.Load()), operands, [])
        told = [ast.Constant(self._what(node.test)), ast.Constant(side), *([node.msg] if node.msg else [])]
        failed = ast.Raise(ast.Call(ast.Name(FAILED, ast.Load()), told, []))
        return ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), test), [failed], []), node)

    def _side(self, test: ast.Compare) -> str:
        """The side that a student's function gave; none where it gave neither or both."""
        given = {
            side: self._is_result(node)
            for side, node in (("left", test.left), ("right", test.comparators[0]))
        }
        return (
            next((side for side, is_given in given.items() if is_given), "")
            if sum(given.values()) == 1
            else ""
        )

    def _is_result(self, node: ast.expr) -> bool:
        return _calls(node, self.students_names) or any(
            isinstance(one, ast.Name) and one.id in self.results for one in ast.walk(node)
        )

    def _what(self, test: ast.expr) -> str:
        """The student's name that the test is about, else the first one in it."""
        names = [one.id for one in ast.walk(test) if isinstance(one, ast.Name)]
        return next((name for name in names if name in self.students_names), "") or next(iter(names), "")


def _results(tree: ast.Module, students_names: Collection[str]) -> frozenset[str]:
    """The names that a test gives to what a student's function returns."""
    return frozenset(
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _calls(node.value, students_names)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    )


def _calls(node: ast.expr, students_names: Collection[str]) -> bool:
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return any(isinstance(function, ast.Name) and function.id in students_names for function in calls)
