"""Mutants: wrong ideas as edits of the reference; the hidden checks must catch each."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping

from nbformat import NotebookNode

from course.authoring import frame
from course.lesson import cells, notebooks, regions
from course.lesson.wrong_ideas import Mutant
from helpers.checks import CheckFailed
from helpers.facts import CheckFacts


def references(master: NotebookNode) -> dict[str, str]:
    """The reference solution of each exercise."""
    return {
        cells.name(cell): regions.without(cell.source, "marker")
        for cell in master.cells
        if cells.is_solution(cell)
    }


def judge(master: NotebookNode, exercise: str, answer: str) -> dict[str, CheckFacts]:
    """What the hidden checks find in an answer, by concept; empty when it passes them all."""
    names = setup(master)
    exec(compile(answer, exercise, "exec"), names)
    exercises = notebooks.exercise_of(master)
    checks = [cell for cell in master.cells if exercises.get(cells.name(cell)) == exercise]
    found = {cells.name(cell): found_by(cell.source, names) for cell in checks}
    return {concept: facts for concept, facts in found.items() if facts is not None}


def caught(mutant: Mutant, master: NotebookNode) -> Mapping[str, CheckFacts]:
    """The concepts whose check fails for this mutant, with what it finds."""
    return judge(master, mutant.exercise, mutant.applied(references(master)[mutant.exercise]))


def stays_green(mutant: Mutant, master: NotebookNode) -> bool:
    """True when the checks that students see say nothing of this wrong idea."""
    names = setup(master)
    answer = mutant.applied(references(master)[mutant.exercise])
    exec(compile(answer, mutant.exercise, "exec"), names)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return all(found_by(check, names) is None for check in visible_checks(master, mutant.exercise))
    except Exception:  # the wrong idea's own, which a student sees
        return False


def visible_checks(master: NotebookNode, exercise: str) -> list[str]:
    """The checks that students see below an exercise: the instructor's cells that say that it passed."""
    found, current = [], ""
    for cell in master.cells:
        current = cells.name(cell) if cells.is_solution(cell) else current
        if current == exercise and cells.owner(cell) == "instructor" and not cells.is_grade(cell):
            found += [cell.source] if "checks." in cell.source else []
    return found


def setup(master: NotebookNode) -> dict[str, object]:
    """The names that the lesson's set-up cells give: what they import, but not the language they set."""
    names: dict[str, object] = {}
    for cell in master.cells:
        in_frame = cells.name(cell) in frame.FILES
        if cells.is_setup(cell) and not cells.sets_language(cell) and not in_frame:
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


def found_by(check: str, names: dict[str, object]) -> CheckFacts | None:
    """What a check finds in these names; None when it passes."""
    try:
        exec(compile(check, "check", "exec"), dict(names))
    except CheckFailed as problem:
        return problem.facts
    return None
