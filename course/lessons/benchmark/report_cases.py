"""A report to take apart: what is shipped of it, and the answer, which is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.lessons.benchmark.report_words import WORDS
from helpers.text import Phrase

Json = dict[str, Any]


@dataclass(frozen=True)
class ReportCase:
    """A report's figures, and what is wrong with it; its sentences are those of the fault.

    value: what the claimed number (the only entry of `claimed`) should be; relative: how far a repaired one
    may lie from it; origin: where each figure comes from.
    """

    fault: str
    setup: Json
    figures: Json
    rows: list[Json]
    claimed: dict[str, float]
    value: float
    origin: Mapping[str, str]
    relative: float = 1e-3

    @property
    def shipped(self) -> Json:
        """The report as a student reads it."""
        words, (claimed,) = WORDS[self.fault], self.claimed.values()
        return {
            "title": _both(words.title),
            "notes": list(map(_both, words.notes)),
            "setup": self.setup,
            "figures": self.figures,
            "rows": self.rows,
            "claim": _both(words.claim, claimed=claimed),
            "claimed": self.claimed,
            "source": _both(words.source),
        }


def _both(phrase: Phrase, **values: object) -> Json:
    return {language: phrase.in_language(language, **values) for language in ("zh", "en")}
