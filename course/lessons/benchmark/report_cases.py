"""A report to take apart: what is shipped of it, and the answer, which is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from helpers.text import Phrase

Json = dict[str, Any]
VLLM_SOURCE = Phrase(
    "时间：github.com/casys-kaist/LLMServingSim @5daddb2（bench/examples/）记录的 vLLM 0.19.0。报告的文字是"
    "为这道题写的。",
    "Times: vLLM 0.19.0 as recorded by github.com/casys-kaist/LLMServingSim @5daddb2, bench/examples/. The "
    "report around them was written for this exercise.",
)
CONSTRUCTED = Phrase(
    "数字是照着一个公开的例子构造的，没有人测过。",
    "The figures are constructed after a public case; nobody measured them.",
)


@dataclass(frozen=True)
class ReportCase:
    """A report with its sentences and figures, and what is wrong with it.

    value: what the claimed number (the only entry of `claimed`) should be; relative: how far a repaired one
    may lie from it; origin: where each figure comes from.
    """

    fault: str
    title: Phrase
    notes: tuple[Phrase, ...]
    claim: Phrase
    setup: Json
    figures: Json
    rows: list[Json]
    claimed: dict[str, float]
    value: float
    source: Phrase
    origin: Mapping[str, str]
    relative: float = 1e-3

    @property
    def shipped(self) -> Json:
        """The report as a student reads it."""
        (claimed,) = self.claimed.values()
        return {
            "title": _both(self.title),
            "notes": list(map(_both, self.notes)),
            "setup": self.setup,
            "figures": self.figures,
            "rows": self.rows,
            "claim": _both(self.claim, claimed=claimed),
            "claimed": self.claimed,
            "source": _both(self.source),
        }


def _both(phrase: Phrase, **values: object) -> Json:
    return {language: phrase.in_language(language, **values) for language in ("zh", "en")}
