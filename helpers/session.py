"""The live session of a notebook: IPython's shell, its names, and the sources that it ran."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from helpers import lessons
from helpers import notebook as notebooks
from helpers.lessons import Exercise, Lesson
from helpers.notebook import defining

CHECKED = re.compile(r'\bchecks\.(?:passed|formed)\(\s*"([^"\n]+)"')


def ipython() -> Any | None:
    """IPython's shell, if it is there: of a notebook, a terminal, the grader."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None


def shell() -> Any | None:
    """IPython's shell of a notebook; None where no kernel runs it: a terminal, a script, the grader."""
    found = ipython()
    return found if getattr(found, "kernel", None) is not None else None


def namespace() -> Mapping[str, Any]:
    """The notebook's `globals()`; nothing without a notebook."""
    found = shell()
    return found.user_ns if found is not None else {}


def sources(names: Mapping[str, Any]) -> list[str]:
    """What the session ran, in order."""
    return [str(source) for source in names.get("In", ())]


def checked_by(source: str) -> str | None:
    """The exercise whose visible check this source is; None for any other."""
    found = CHECKED.search(source)
    return found[1] if found else None


def exercise_of(lesson: Lesson, cell: str) -> Exercise:
    """The lesson's exercise of this name."""
    return next(exercise for exercise in lesson.exercises if exercise.cell == cell)


def definition(exercise: Exercise, ran: Iterable[str]) -> str | None:
    """What these sources define for the exercise, the last version that could run; None if nothing."""
    return "\n\n".join(defining([*ran], exercise.names)) or None


def digest(source: str) -> str:
    """A short fingerprint of a definition; blank lines around it and blanks at line ends do not count."""
    lines = (line.rstrip() for line in source.strip().splitlines())
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]


def running(names: Mapping[str, Any]) -> Lesson | None:
    """The lesson that this session works on: the one that most names belong to, else the notebook's file."""
    found = lessons.defined_in(names)
    if found is None:
        file = notebooks.find(names, Path("."))
        found = file.lesson if file else None
    return found
