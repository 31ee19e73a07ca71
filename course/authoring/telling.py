"""What a hint would give away: a line of the reference solution, or an expression of it that is an answer.

Sources are compared without blanks and with a formula's signs as Python writes them; an expression also with
its names replaced, so that an answer in other words is one too. What students see anyway (texts, stubs,
visible checks) gives nothing away.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from nbformat import NotebookNode

from course.authoring import mutants
from course.lesson import cells, regions

OPERATIONS = (ast.BinOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Call, ast.GeneratorExp, ast.ListComp)
LEAST_CHARACTERS, LEAST_OPERATIONS = 12, 2
SPAN = re.compile(r"`+([^`\n]+)`+")
SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "≤": "<=", "≥": ">=", "（": "(", "）": ")",
                       "，": ",", "：": ":", "‘": "'", "’": "'", "“": '"', "”": '"'})  # fmt: skip

Hints = Mapping[str, Mapping[str, Sequence[str]]]


def of(master: NotebookNode, hints: Hints) -> Iterator[tuple[str, str, str]]:
    """(exercise, language, what is given away) for each hint that gives something of a reference away."""
    references, shown = mutants.references(master), squeezed(shown_of(master))
    secrets = [secret for source in references.values() for secret in secrets_of(source, shown)]
    shapes = {shape for source in references.values() for shape in _shapes(source, shown)}
    for exercise, editions in hints.items():
        for language, texts in editions.items():
            for text in texts:
                found = given_away(text, secrets, shapes)
                if found:
                    yield exercise, language, found


def given_away(text: str, secrets: Sequence[str], shapes: set[str]) -> str:
    """What this text holds of these; empty for a text that holds nothing."""
    plain = squeezed(text)
    found = next((secret for secret in secrets if secret in plain), "")
    if found:
        return found
    spans = (span for span in SPAN.findall(text.translate(SIGNS)) if _shapes(span, "") & shapes)
    return next(spans, "")


def squeezed(source: str) -> str:
    """Without blanks, with one kind of quotes, and a formula's signs as Python has them."""
    return re.sub(r"\s+", "", source.translate(SIGNS)).replace('"', "'")


def shown_of(master: NotebookNode) -> str:
    """What students see of the master: all texts, and what is visible of its code."""
    parts = (
        "\n".join(regions.visible(cell.source)) if cells.is_code(cell) else cell.source
        for cell in master.cells
    )
    return "\n".join(parts)


def secrets_of(source: str, shown: str) -> set[str]:
    """The reference's lines, and its expressions with more than one operation, as far as nobody sees them."""
    lines = {
        squeezed(line) for line in source.splitlines() if not line.strip().startswith(("#", "def ", '"""'))
    }
    expressions = {squeezed(ast.unparse(node)) for node in _expressions(source)}
    return {one for one in lines | expressions if len(one) >= LEAST_CHARACTERS and one not in shown}


def _shapes(source: str, shown: str) -> set[str]:
    """The expressions with at least three operations, each name replaced by the order of its first use."""
    found = (node for node in _expressions(source, least=LEAST_OPERATIONS + 1))
    return {_shape(node) for node in found if squeezed(ast.unparse(node)) not in shown}


def _expressions(source: str, least: int = LEAST_OPERATIONS) -> Iterator[ast.expr]:
    try:
        tree = ast.parse(source.strip())
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, OPERATIONS) and sum(isinstance(n, OPERATIONS) for n in ast.walk(node)) >= least:
            yield node


def _shape(node: ast.expr) -> str:
    order: dict[str, str] = {}
    made = ast.parse(ast.unparse(node), mode="eval")
    for one in ast.walk(made):
        if isinstance(one, ast.Name):
            one.id = order.setdefault(one.id, f"n{len(order)}")
    return ast.unparse(made)
