"""The public half of each lesson, a JSON file each beside this module, named as its notebook is.

    {"number": 1,                                      where it stands in the course
     "minutes": 120,                                   for the start page: about how long it takes,
     "needs": {"zh": …, "en": …},                      what one must know before,
     "promise": {"zh": …, "en": …},                    and can do afterwards, a sentence without its full stop
     "exercises": {"cost": ["estimate_cost"], …},      solution cells, and the names that each defines
     "results": ["exp-a", …],                          experiments of which one can be handed in with it
     "experiments": {"exp-a": {                        the first one is what is run unless told otherwise
         "title": {"zh": …, "en": …}, "question": {…}, what it is called, and what it answers
         "profile_id": …, "weights": …,                the machine it is meant for; "published" or "random"
         "free": ["dtype", …],                         what may change without another version
         "workload": {"version": "v1", …}}},           the protocol: fields of `helpers.workload.Workload`
     "programs": {"gemm": "name", …},                  what a measuring program's results are named after
     "pictures": ["name", …],                          recorded measurements that the demo draws
     "hints": {"cost": {"zh": [question, step, shape], "en": […]}, …},   for each exercise, never its answer:
                                                       a question, the step usually missing, the line's shape
     "words": {"concept": {"cost": {"zh": …, "en": …}, …}, "idea": {…}, "case": {…}, "column": {…},
               "fault": {…}, "guess": {…}}}

All but "number", "exercises" and "words" may be left out. `helpers.text` reads the words: concepts name
graded cells and exercises, ideas complete “this is what you get when …”, cases “think yourself of …”, columns
head tables, faults are what is wrong with a report, guesses are questions that a number answers. The secret
half (wrong ideas as mutants, a sample class, builders of data) lies in `course/lessons/` and is never given
out.

Imports: nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Exercise:
    """A cell that a student fills in; `names` are what it defines for the checks."""

    cell: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Lesson:
    """A notebook of the course; `results` are the experiments of which one can be handed in with it."""

    name: str
    exercises: tuple[Exercise, ...]
    results: tuple[str, ...] = ()
    number: int = 0
    minutes: int | None = None
    needs: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    promise: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    pictures: tuple[str, ...] = ()
    hints: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict, compare=False, repr=False)
    experiments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False, repr=False)
    programs: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    words: Mapping[str, Mapping[str, Mapping[str, str]]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @classmethod
    def read(cls, path: Path) -> Lesson:
        """The lesson in a file; one that is written wrongly raises ValueError, which names the file."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                name=path.stem,
                exercises=tuple(Exercise(cell, tuple(names)) for cell, names in data["exercises"].items()),
                results=tuple(data.get("results", ())),
                number=int(data["number"]),
                minutes=data.get("minutes"),
                needs=data.get("needs", {}),
                promise=data.get("promise", {}),
                pictures=tuple(data.get("pictures", ())),
                hints=dict(data.get("hints", {})),
                experiments=data.get("experiments", {}),
                programs=data.get("programs", {}),
                words=data.get("words", {}),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path.name}: {type(error).__name__}: {error}") from None


@cache
def every(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """The lessons in this folder, in the order in which they are taught."""
    found = map(Lesson.read, folder.glob("*.json"))
    return tuple(sorted(found, key=lambda lesson: (lesson.number, lesson.name)))


def named(name: str) -> Lesson | None:
    """The lesson of that name, if there is one."""
    return next((lesson for lesson in every() if lesson.name == name), None)


def with_exercise(cell: str, names: Collection[str] = ()) -> Lesson | None:
    """The lesson that has this exercise: the one that these names belong to, else the first."""
    running = defined_in(names)
    found = [lesson for lesson in every() if any(exercise.cell == cell for exercise in lesson.exercises)]
    return running if running in found else next(iter(found), None)


def stem(program: str) -> str:
    """What the results of a program are named after: as the lesson that uses it says, else its own name."""
    return next((lesson.programs[program] for lesson in every() if program in lesson.programs), program)


def defined_in(names: Collection[str]) -> Lesson | None:
    """The lesson most of whose exercises are among these names; None where no exercise is."""
    best = max(every(), key=lambda lesson: _count(lesson, names), default=None)
    return best if best and _count(best, names) else None


def _count(lesson: Lesson, names: Collection[str]) -> int:
    return sum(name in names for exercise in lesson.exercises for name in exercise.names)
