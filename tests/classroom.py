"""Builders for submissions of lesson 1: an honest one, and ways to spoil it."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from pathlib import Path

from course.lesson.assignment import Assignment
from course.lesson.cells import source as source_of

LESSON = "iteration-budget"
ROOT = Path(__file__).parents[1]
SOLUTIONS = ("cost", "bounds", "knee", "measured-decision", "decision")
FULL = 26.0


def master_path(language: str) -> Path:
    return ROOT / "source" / language / LESSON / f"{LESSON}.ipynb"


def released_path(language: str) -> Path:
    return ROOT / "release" / language / LESSON / f"{LESSON}.ipynb"


@cache
def bundle() -> Assignment:
    languages = ("zh", "en")
    return Assignment.read(
        LESSON, {k: master_path(k) for k in languages}, {k: released_path(k) for k in languages}
    )


@cache
def _text(path: Path) -> str:
    return path.read_text("utf-8")


def blank(language: str = "zh") -> dict:
    """The notebook as it is given out."""
    notebook = json.loads(_text(released_path(language)))
    for cell in notebook["cells"]:
        cell["source"] = source_of(cell)
    return notebook


def honest(language: str = "zh", **answers: str) -> dict:
    """A notebook with every answer right, but for those given here by the name of their cell."""
    notebook = blank(language)
    for name in SOLUTIONS:
        cell(notebook, name)["source"] = answers.get(name, answer(name))
    return notebook


@cache
def answer(name: str) -> str:
    """The master's own answer."""
    source = source_of(cell(json.loads(_text(master_path("zh"))), name))
    return re.sub(r"^ *### (?:BEGIN|END) SOLUTION\n?", "", source, flags=re.MULTILINE)


def cell(notebook: dict, name: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def index(notebook: dict, name: str) -> int:
    return notebook["cells"].index(cell(notebook, name))


def code(source: str, name: str = "") -> dict:
    return {
        "cell_type": "code", "id": name or f"new-{abs(hash(source)) % 10**9}", "metadata": {},
        "source": source, "outputs": [], "execution_count": None,
    }  # fmt: skip


def with_cell(notebook: dict, source: str, before: str) -> dict:
    """The notebook with a code cell of the student's own put in."""
    changed = copy.deepcopy(notebook)
    changed["cells"].insert(index(changed, before), code(source))
    return changed


def useless() -> dict:
    """Functions that know nothing: what an attacker may earn without an attack."""
    return honest(
        cost="def estimate_iteration_cost(*a, **k):\n    return {}",
        bounds="def compute_batch_bounds(*a, **k):\n    return {}",
        knee="def select_operating_knee(*a, **k):\n    return {}",
        decision="decision = {}",
        **{"measured-decision": "measured_decision = None"},
    )
