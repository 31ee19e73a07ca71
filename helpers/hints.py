"""Hints: a question, the step that is usually missing, the shape of the line; one at a time, no answer.

They stand in the lesson's public file. Where the visible check has just named a wrong idea, the first hint is
about that idea.
"""

from __future__ import annotations

from dataclasses import replace

from helpers import lessons, progress, session
from helpers.lessons import Lesson
from helpers.progress import Remembered
from helpers.text import FALLBACK, Language, say_in, spoken


def hint(exercise: str = "") -> None:
    """Print the next hint for an exercise; without a name, for the first that is not right yet."""
    names = session.namespace()
    lesson = lessons.with_exercise(exercise, names) if exercise else session.running(names)
    cell = exercise or (_first_open(lesson) if lesson else "")
    if lesson is None or not steps(lesson, cell, spoken()):
        print(
            say_in(spoken(), "hint.unknown", exercise=cell, known=_listed(lesson or session.running(names)))
        )
        return
    line, after = opened(lesson, cell, progress.read().of(lesson.name, cell), spoken())
    print(line)
    progress.keep(lesson.name, cell, told=after.told, hints=after.hints)


def steps(lesson: Lesson, exercise: str, language: Language) -> tuple[str, ...]:
    """The exercise's hints in this language, else in one that the lesson has; empty where there are none."""
    own = lesson.hints.get(exercise, {})
    return next((tuple(own[one]) for one in (language, *FALLBACK) if own.get(one)), ())


def opened(lesson: Lesson, exercise: str, known: Remembered, language: Language) -> tuple[str, Remembered]:
    """The next hint, and what is known after it; behind the last one they begin again."""
    title = say_in(language, f"concept.{exercise}")
    if known.idea and known.idea != known.told:
        idea = say_in(language, f"idea.{known.idea}")
        return say_in(language, "hint.idea", idea=idea, title=title), replace(known, told=known.idea)
    told = steps(lesson, exercise, language)
    number = known.hints % len(told)
    line = say_in(language, "hint.step", number=number + 1, count=len(told), title=title, text=told[number])
    return line, replace(known, hints=known.hints + 1)


def _first_open(lesson: Lesson) -> str:
    """The first exercise that is not known to be right; the first of all where every one is."""
    known = progress.read()
    cells = [exercise.cell for exercise in lesson.exercises]
    return next((cell for cell in cells if not known.of(lesson.name, cell).right), cells[0])


def _listed(lesson: Lesson | None) -> str:
    return ", ".join(f'checks.hint("{cell}")' for cell in lesson.hints) if lesson else 'checks.hint("…")'
