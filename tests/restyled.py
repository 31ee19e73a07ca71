"""The same function in another style: rewritten by rules that leave its meaning alone.

Seeded; each style is a choice of rules, and of the places where they apply.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from random import Random

FLIPPED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
HELPER = "_as_it_is"
STYLES = "rename commute flip invert widen floor pick wrap print tuple annotate"


def restyled(source: str, seed: object) -> str:
    """The functions of a source in the style of this seed."""
    random = Random(str(seed))
    rules = frozenset(rule for rule in STYLES.split() if random.random() < 0.5) or {"rename"}
    tree = ast.parse(source)
    for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        _Restyler(rules, random, _own_names(function)).visit(function)
        if "print" in rules:
            function.body.insert(1, ast.parse("print('called')").body[0])
        if "annotate" in rules:
            for argument in function.args.args:
                argument.annotation = None
    helper = f"def {HELPER}(value):\n    return value\n\n\n" if "wrap" in rules else ""
    return helper + ast.unparse(ast.fix_missing_locations(tree))


def _own_names(function: ast.FunctionDef) -> dict[str, str]:
    """A new name for each variable that the function binds itself."""
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    own = sorted(stored - {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)})
    return {name: f"{'xyzw'[place % 4]}{place}" for place, name in enumerate(own)}


@dataclass
class _Restyler(ast.NodeTransformer):
    rules: frozenset[str]
    random: Random
    names: dict[str, str]

    def _applies(self, rule: str) -> bool:
        return rule in self.rules and self.random.random() < 0.7

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if "rename" in self.rules and node.id in self.names:
            return ast.Name(self.names[node.id], node.ctx)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        is_list = any(
            isinstance(side, (ast.List, ast.Name, ast.Subscript)) for side in (node.left, node.right)
        )
        if isinstance(node.op, ast.Mult) and self._applies("commute"):
            return ast.BinOp(node.right, node.op, node.left)
        if isinstance(node.op, ast.Add) and not is_list and self._applies("commute"):
            return ast.BinOp(node.right, node.op, node.left)
        if isinstance(node.op, ast.FloorDiv) and self._applies("floor"):
            divided = ast.Call(ast.Name("divmod", ast.Load()), [node.left, node.right], [])
            return ast.Subscript(divided, ast.Constant(0), ast.Load())
        if isinstance(node.op, ast.Div) and self._applies("widen"):
            return ast.BinOp(_call("float", node.left), node.op, node.right)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kind = type(node.ops[0])
        if len(node.ops) == 1 and kind in FLIPPED and self._applies("flip"):
            return ast.Compare(node.comparators[0], [FLIPPED[kind]()], [node.left])
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._applies("invert"):
            return ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_larger = getattr(node.func, "id", "") == "max" and len(node.args) == 2 and not node.keywords
        if is_larger and self._applies("pick"):
            one, other = node.args
            return ast.IfExp(ast.Compare(one, [ast.GtE()], [other]), one, other)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None and self._applies("wrap"):
            node.value = _call(HELPER, node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.ListComp) and self._applies("tuple"):
            node.value = _call("tuple", node.value)
        return node


def _call(name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])
