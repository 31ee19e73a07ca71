"""The lessons and their exercises: which cell, which names it defines, which results belong to it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


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


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "iteration-budget",
        (
            Exercise("cost", ("estimate_iteration_cost",)),
            Exercise("bounds", ("compute_batch_bounds",)),
            Exercise("knee", ("select_operating_knee",)),
            Exercise("measured-decision", ("measured_decision",)),
            Exercise("decision", ("decision",)),
        ),
        results=("inf-iteration-budget", "inf-iteration-budget-cpu", "inf-iteration-budget-extended"),
    ),
    Lesson(
        "benchmark-capacity",
        (
            Exercise("boundary", ("classify_boundary",)),
            Exercise("stats", ("summarize_samples",)),
            Exercise(
                "kv",
                (
                    "kv_bytes_per_token",
                    "kv_bytes_of_context",
                    "latent_kv_bytes_per_token",
                    "quantized_kv_bytes_per_token",
                ),
            ),
            Exercise("capacity", ("token_capacity", "request_capacity")),
            Exercise("goodput", ("request_goodput",)),
            Exercise("quantile", ("histogram_quantile",)),
            Exercise("verdicts", ("verdicts",)),
        ),
    ),
)


def named(name: str) -> Lesson | None:
    """The lesson of that name, if there is one."""
    return next((lesson for lesson in LESSONS if lesson.name == name), None)


def defined_in(names: Collection[str]) -> Lesson | None:
    """The lesson most of whose exercises are among these names; None where no exercise is."""
    counts = {lesson: _count(lesson, names) for lesson in LESSONS}
    best = max(LESSONS, key=lambda lesson: counts[lesson])
    return best if counts[best] else None


def _count(lesson: Lesson, names: Collection[str]) -> int:
    return sum(name in names for exercise in lesson.exercises for name in exercise.names)
