"""What a notebook's first cell opens: its language, calm TODOs, and an eye on the visible checks.

A check that passes is remembered (`helpers.progress`), one that fails takes that back, and where the lesson
has hints a line says how to open one. Nothing of it happens in the grader, which runs no kernel.
"""

from __future__ import annotations

from typing import Any

from helpers import lessons, platforms, progress, session, todo
from helpers.text import Language, say, speak


def begin(language: Language, wheel: str = "") -> None:
    """Speak the notebook's language, and say where it runs and what was right here before."""
    speak(language)
    todo.calm()
    shell = session.shell()
    if shell is not None:
        shell.events.register("post_run_cell", after_cell)
    print(platforms.line(wheel))
    for line in lines():
        print(line)


def lines() -> list[str]:
    """What was right when the lesson was last open, in a line; nothing for a lesson that is new."""
    known, running = progress.read(), session.running(session.namespace())
    if known.is_damaged:
        return [say("progress.damaged", name=known.path.name)]
    names = [running.name] if running else [*known.lessons]
    return [line for name in names if (line := _line(known, name))]


def _line(known: progress.Progress, name: str) -> str:
    lesson = lessons.named(name)
    cells = [exercise.cell for exercise in lesson.exercises] if lesson else []
    right = [say(f"concept.{cell}") for cell in cells if known.of(name, cell).right]
    return say("progress.right", right=len(right), count=len(cells), names=" · ".join(right)) if right else ""


def after_cell(result: Any) -> None:
    """Remember what a visible check found, and say how to get a hint."""
    source, names = str(result.info.raw_cell or ""), session.namespace()
    problem = result.error_before_exec or result.error_in_exec
    cell = session.checked_by(source) or todo.exercise(problem)
    lesson = lessons.with_exercise(cell, names) if cell else None
    if lesson is None:
        return
    if problem is None:
        wrote = session.definition(session.exercise_of(lesson, cell), session.sources(names))
        progress.keep(lesson.name, cell, right=session.digest(wrote or ""), idea="", told="")
        return
    facts = getattr(problem, "facts", None)
    progress.keep(lesson.name, cell, right="", idea=getattr(facts, "idea", None) or "")
    if cell in lesson.hints:
        print(say("hint.how", exercise=cell))
