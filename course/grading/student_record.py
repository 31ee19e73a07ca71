"""StudentRecord: what the gradebook holds of one student in a lesson, as it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class CellGrade:
    """What a graded cell came to, manual score and extra credit included, whether a person must look, and
    the two scores that it is made of."""

    points: float
    max_points: float
    needs_review: bool
    auto_score: float | None = None
    manual_score: float | None = None

    @classmethod
    def of(
        cls, most: float, needs_review: bool, auto: float | None, manual: float | None, extra: float
    ) -> CellGrade:
        """From a row of the gradebook, as nbgrader counts it: a mark by hand goes before the examiner's."""
        score = auto if manual is None else manual
        return _shared(float((score or 0.0) + extra), float(most), bool(needs_review), auto, manual)

    def with_auto(self, score: float | None) -> float:
        """The points that it would come to with another automatic score."""
        return (
            self.points
            if self.manual_score is not None
            else self.points - (self.auto_score or 0.0) + (score or 0.0)
        )


@dataclass(frozen=True)
class StudentRecord:
    """What the gradebook holds of one student in the lesson: grades and manual comments by cell.

    `changed` names the answers that a person has marked and that are others now.
    """

    grades: Mapping[str, CellGrade]
    comments: Mapping[str, str]
    late_penalty: float = 0.0
    changed: frozenset[str] = frozenset()

    @property
    def points(self) -> float:
        """The points, less what being late costs; never below 0, as nbgrader counts them."""
        return max(0.0, sum(grade.points for grade in self.grades.values()) - self.late_penalty)

    @property
    def needs_review(self) -> bool:
        """True when a person still has to look at something."""
        return bool(self.waiting)

    @property
    def waiting(self) -> list[str]:
        """The cells that a person still has to look at."""
        return [cell for cell, grade in self.grades.items() if grade.needs_review]


@lru_cache(maxsize=4096)
def _shared(
    points: float, max_points: float, needs_review: bool, auto: float | None, manual: float | None
) -> CellGrade:
    """One object for equal grades: a large class holds millions of few kinds."""
    return CellGrade(points, max_points, needs_review, auto, manual)
