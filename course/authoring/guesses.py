"""Guesses: answers that know nothing of an exercise and must earn nothing, whatever the lesson.

One refuses every input. Another is right for the first input that a test shows it, and refuses all that
differs: it would earn the points for bad input if the test asked about bad input only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from nbformat import NotebookNode

from course.authoring import mutants
from course.lesson import cells, notebooks
from helpers.names import functions as defined_functions

Functions = dict[str, Callable[..., Any]]


def earning(master: NotebookNode, exercise: str) -> Iterator[tuple[str, str]]:
    """Each graded check of the exercise that a guess passes, with the guess."""
    reference = mutants.references(master)[exercise]
    if not defined_functions(reference):
        return  # a decision
    names = mutants.setup(master)
    before = set(names)
    exec(compile(reference, exercise, "exec"), names)
    functions = {
        key: value for key, value in names.items() if key not in before and type(value) is FunctionType
    }
    homes = notebooks.exercise_of(master)
    own = (
        cell for cell in master.cells if homes.get(cells.name(cell)) == exercise and "checks." in cell.source
    )
    for cell in own:  # a test that asserts for itself is its author's affair
        yield from ((cells.name(cell), guess) for guess in _passing(cell.source, names, functions))


def _passing(check: str, names: dict[str, object], functions: Functions) -> Iterator[str]:
    """The guesses that pass this check."""
    asked = _Asked()
    _passes(check, names | {key: asked.heard(function) for key, function in functions.items()})
    if not asked.calls:
        return
    if _passes(check, names | dict.fromkeys(functions, _refuse)):
        yield "refuses"
    only_first = {key: _OnlyFirst(function, asked.refusal) for key, function in functions.items()}
    if asked.refusal is not None and _passes(check, names | only_first):
        yield "only_first"


def _passes(check: str, names: dict[str, object]) -> bool:
    try:
        return mutants.found_by(check, names) is None
    except Exception:
        return False


def _refuse(*_: object, **__: object) -> None:
    raise ValueError("no")


@dataclass
class _Asked:
    """What a check asks of the reference, and what the reference refuses with."""

    calls: int = 0
    refusal: type[Exception] | None = None

    def heard(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*positional: Any, **named: Any) -> Any:
            self.calls += 1
            try:
                return function(*positional, **named)
            except Exception as problem:
                self.refusal = type(problem)
                raise

        return asked


@dataclass
class _OnlyFirst:
    """Right for the input that it hears first; every other one is refused."""

    function: Callable[..., Any]
    refusal: type[Exception] | None
    first: str = field(default="")

    def __call__(self, *positional: Any, **named: Any) -> Any:
        heard = repr((positional, sorted(named.items())))
        self.first = self.first or heard
        if heard != self.first:
            raise self.refusal("no")
        return self.function(*positional, **named)
