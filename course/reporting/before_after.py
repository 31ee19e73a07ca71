"""BeforeAfter: what a class guessed and what it computed then, question by question, as a strip of points.

Nobody's marks depend on it. What a student sent as guesses is bounded and holds finite numbers, or is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from course.lesson.folder import CourseFolder
from course.submission import attachments
from helpers.guessing import Guess

FEWEST = 3  # students; one point tells nothing of a class, and whose it is
DECADES = 3  # the strip reaches from a thousandth to a thousandfold; what is further out stands at its end
WIDTH, MARGIN = 600.0, 14.0


@dataclass(frozen=True)
class BeforeAfter:
    """One question: guesses, and what came out, each divided by what came out for most."""

    question: str
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median guess."""
        return median(self.before)

    @staticmethod
    def place(factor: float) -> float:
        """Where a factor stands on the strip, from its left end."""
        decades = max(-DECADES, min(DECADES, math.log10(factor)))
        return round(MARGIN + (WIDTH - 2 * MARGIN) * (decades + DECADES) / (2 * DECADES), 1)


def of(folder: CourseFolder, lesson: str, students: Sequence[str]) -> tuple[BeforeAfter, ...]:
    """Each question of the lesson that a few students guessed at."""
    asked = folder.public_half(lesson).words.get("guess", {})
    found = [_handed_in(folder, lesson, student) for student in students] if asked else []
    rows = (_row(key, [guesses[key] for guesses in found if key in guesses]) for key in asked)
    return tuple(row for row in rows if row is not None)


def _row(key: str, guesses: Iterable[Guess]) -> BeforeAfter | None:
    whole = [one for one in guesses if one.factor is not None]
    if len(whole) < FEWEST:
        return None
    came = median(one.computed for one in whole)
    before = [one.guessed / came for one in whole]
    after = [one.computed / came for one in whole]
    drawn = all(0 < factor < math.inf for factor in (*before, *after))
    return BeforeAfter(key, tuple(sorted(before)), tuple(sorted(after))) if drawn else None


def _handed_in(folder: CourseFolder, lesson: str, student: str) -> Mapping[str, Guess]:
    """The guesses in a submission; those of an unreadable one are none."""
    return attachments.guesses_in(attachments.carrier(folder.submitted(student, lesson), folder.root))
