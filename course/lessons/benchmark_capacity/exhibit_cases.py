"""A report to take apart: what is shipped of it, and the answer, which is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from course.lessons.benchmark_capacity.exhibit_words import WORDS
from course.lessons.benchmark_capacity.traces import Json
from helpers import recorded
from helpers.text import Phrase

WRITTEN = "The report around them was written for this exercise."


@dataclass(frozen=True)
class ExhibitAnswer:
    """What is wrong with a report, and what its number should say.

    relative: how far from `value` a repaired number may lie; origin: where each figure comes from.
    """

    fault: recorded.Fault
    entry: str
    value: float
    origin: Mapping[str, str]
    relative: float = 1e-3


@dataclass(frozen=True)
class ExhibitCase:
    """A report as shipped and the answer that is not."""

    report: Json
    answer: ExhibitAnswer


def exhibit_case(figures: Json, answer: ExhibitAnswer) -> ExhibitCase:
    """The report with its sentences, in the order in which it is read."""
    words, claimed = WORDS[answer.fault], figures["claimed"][answer.entry]
    report = {
        "title": _both(words.title),
        "notes": [_both(note) for note in words.notes],
        **{part: figures[part] for part in ("setup", "figures", "rows")},
        "claim": _both(words.claim, claimed=claimed),
        **{part: figures[part] for part in ("claimed", "source", "licence")},
    }
    return ExhibitCase(report, answer)


def _both(phrase: Phrase, **values: object) -> Json:
    return {
        "zh": phrase.in_language("zh", **values),
        "en": phrase.in_language("en", **values),
    }


def source_line(text: str) -> str:
    return f"{text} {WRITTEN}"
