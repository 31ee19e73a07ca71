"""Every exercise draws: a table of all hidden calls of one class, with their right results, earns all points
that functions can earn there, and none in the next class."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
import small
from nbformat import NotebookNode

from course.authoring import mutants, release
from course.lesson import cells, notebooks
from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable
from helpers.drawing import drawing
from helpers.names import functions

COURSE = CourseFolder(small.ROOT)
LOOKED_UP = """
def looked_up(name, positional, named):
    found = TABLE.get(repr((name, positional, sorted(named.items()))))
    if found is None:
        raise ValueError("never seen")
    return found[0]
"""
ANSWER = """
def {name}(*positional, **named):
    return looked_up({name!r}, positional, named)
"""

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))


def heard(function: Callable, name: str, table: dict[str, list]) -> Callable:
    def hearing(*positional, **named):
        key = repr((name, positional, sorted(named.items())))
        result = function(*positional, **named)  # what is refused is not in the table, so it is refused there
        table[key] = [copy.deepcopy(result)]
        return result

    return hearing


def answers(master: NotebookNode, seed: str) -> dict[str, str]:
    """For each exercise with functions an answer that looks up what this class's hidden tests ask."""
    homes, found = notebooks.exercise_of(master), {}
    for exercise, reference in mutants.references(master).items():
        defined, table = functions(reference), {}
        if not defined:
            continue
        names = mutants.setup(master)
        exec(compile(reference, exercise, "exec"), names)
        names |= {name: heard(names[name], name, table) for name in defined}
        for cell in (cell for cell in master.cells if homes.get(cells.name(cell)) == exercise):
            with drawing(seed):
                assert mutants.found_by(cell.source, names) is None
        parts = [ANSWER.format(name=name) for name in sorted(defined)]
        found[exercise] = f"TABLE = {table!r}\n{LOOKED_UP}{''.join(parts)}"
    return found


def seeded(made: CourseFolder, seed: str) -> None:
    """Give the class this seed in place of the one it drew: two that are drawn may agree in a number."""
    with closing(sqlite3.connect(made.gradebook)) as book, book:
        assert len(book.execute("SELECT seed FROM class_seed").fetchall()) == 1
        book.execute("UPDATE class_seed SET seed = ?", (seed,))


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_a_table_learned_in_one_class_earns_nothing_in_the_next(lesson, tmp_path):
    master = notebooks.load(COURSE.master(lesson))
    classes = [small.copied(lesson, tmp_path / name) for name in "ab"]
    for made in classes:
        release.release(made, [lesson])
        small.hand_in(made, "honest", json.loads(COURSE.master(lesson).read_bytes()))
        small.run(made, "grade", lesson)
        seeded(made, made.root.name)
    learned = answers(master, classes[0].root.name)
    homes = notebooks.exercise_of(master)
    concepts = {concept for concept, home in homes.items() if home in learned}
    for made in classes:
        notebook = notebooks.load(made.released(lesson, "zh"))
        for exercise, answer in learned.items():
            small.cell(notebook, exercise).source = answer
        small.hand_in(made, "table", notebook)
        small.run(made, "grade", lesson)
    first, second = (small.scores(made.gradebook)["table"] for made in classes)
    assert {concept for concept in concepts if first[concept]} == concepts
    assert {concept for concept in concepts if second[concept]} == set()
    honest = [small.scores(made.gradebook)["honest"] for made in classes]
    assert honest[0] == honest[1]
    assert all(honest[0].values())
