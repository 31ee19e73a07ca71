"""ItemAnalysis: what each graded concept tells about the class, by classical test theory.

Every figure is a function of how often each student counts: once each gives the figure, and draws of the
class with replacement give its interval, the middle 95 % of `DRAWS` (the percentile bootstrap, Efron 1979).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from course.reporting.marks import Marks

Floats = NDArray[np.float64]
Verdict = Literal["good", "weak", "against", "unclear", "easy", "hard"]

SMALLEST_CLASS = 10  # students; below, every interval is as wide as its scale
GROUP_SHARE = 0.27  # of the class, in the upper and in the lower group (Kelley 1939)
LEAST_CORRELATION = 0.2  # an item below it hardly tells who knows more (Ebel and Frisbie 1991)
TOO_WIDE = 0.4  # an interval that reaches so far does not show that an item fails to tell
EXTREME = 0.05  # of the class on one side: too few to tell anything by
NUMBERS_AT_ONCE = 1_000_000
DRAWS = 1_000
SEED = 20_251_201
NORMAL_95 = 1.959963984540054  # the standard normal's 97.5 % quantile


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Item:
    """One concept: the share of its points that the class got, and how it goes with the other concepts.

    `item_rest` and `discrimination` are None where everyone has the same points.
    """

    concept: str
    difficulty: Estimate
    item_rest: Estimate | None
    discrimination: Estimate | None

    @property
    def verdict(self) -> Verdict:
        """What the figures say about the concept's check."""
        if self.item_rest is None or not EXTREME < self.difficulty.value < 1 - EXTREME:
            return "easy" if self.difficulty.value > 0.5 else "hard"
        if self.item_rest.high < 0:
            return "against"
        if self.item_rest.value >= LEAST_CORRELATION:
            return "good"
        return "weak" if self.item_rest.high < TOO_WIDE else "unclear"


@dataclass(frozen=True)
class ItemAnalysis:
    """The class's figures; without items where the class or the lesson is too small for them.

    `reliability` is KR-20 where every concept gives 0 or 1 point, else Cronbach's alpha, of which KR-20
    is a case; `error_points` is the standard error of a student's points, sd·√(1 − reliability).
    """

    students: int
    items: tuple[Item, ...] = ()
    reliability: Estimate | None = None
    error_points: float | None = None
    is_kr20: bool = True

    @property
    def pointed_at(self) -> tuple[Item, ...]:
        """Concepts whose check an instructor should look at."""
        return tuple(item for item in self.items if item.verdict in ("against", "weak", "hard"))


def of(graded: Sequence[Marks]) -> ItemAnalysis:
    """The analysis of everyone with a readable notebook, over the concepts that wait for nobody's review."""
    readable = [found for found in graded if found.readable]
    if len(readable) < SMALLEST_CLASS:
        return ItemAnalysis(len(readable))
    rows = [{mark.concept: mark for mark in found.concepts} for found in readable]
    names = [name for name in rows[0] if all(name in row and not row[name].needs_review for row in rows)]
    if len(names) < 2:
        return ItemAnalysis(len(readable))
    points = np.array([[row[name].points for name in names] for row in rows], float)
    return analyse(names, points, np.array([rows[0][name].max_points for name in names], float))


def analyse(names: Sequence[str], points: Floats, max_points: Floats) -> ItemAnalysis:
    """The analysis of `points` (students, items), of which each item gives at most `max_points` (items)."""
    students = len(points)
    shares = points / np.where(max_points > 0, max_points, 1)
    difficulty = [wilson(float(share), students) for share in shares.mean(axis=0)]
    item_rest = _estimates(points, _item_rest)
    discrimination = _estimates(points, lambda weights, points: _discrimination(weights, points, shares))
    (reliability,) = _estimates(points, _alpha)
    spread = float(points.sum(axis=1).std(ddof=1))
    return ItemAnalysis(
        students,
        tuple(map(Item, names, difficulty, item_rest, discrimination)),
        reliability,
        spread * math.sqrt(max(0.0, 1 - reliability.value)) if reliability else None,
        bool(np.isin(points, (0, 1)).all()),
    )


def wilson(share: float, students: int) -> Estimate:
    """A share of a class with its score interval (Wilson 1927), which 0 % and 100 % have as well."""
    z2 = NORMAL_95**2 / students
    middle = (share + z2 / 2) / (1 + z2)
    half = NORMAL_95 / (1 + z2) * math.sqrt(share * (1 - share) / students + z2 / (4 * students))
    return Estimate(share, min(share, middle - half), max(share, middle + half))


def _estimates(points: Floats, figure: Callable[[Floats, Floats], Floats]) -> list[Estimate | None]:
    """A figure with its interval, item by item; None where it is not defined for the class itself."""
    students = len(points)
    values = figure(np.ones((1, students)), points)[0]
    many = np.concatenate([figure(weights, points) for weights in _drawn(students)])
    return [
        None if math.isnan(value) else Estimate(float(value), *_middle(column))
        for value, column in zip(values, many.T, strict=True)
    ]


def _drawn(students: int) -> Iterator[Floats]:
    """How often each student is in each class drawn from this one, (draws, students): in parts, since
    a large class drawn a thousand times takes more memory than everything else."""
    source, even = np.random.default_rng(SEED), np.full(students, 1 / students)
    for start in range(0, DRAWS, step := max(1, NUMBERS_AT_ONCE // students)):
        yield source.multinomial(students, even, min(step, DRAWS - start)).astype(float)


def _middle(values: Floats) -> tuple[float, float]:
    low, high = np.nanpercentile(values, (2.5, 97.5))
    return float(low), float(high)


def _item_rest(weights: Floats, points: Floats) -> Floats:
    """Pearson's r of each item's points with the points of all others, (draws, items)."""
    rest = points.sum(axis=1, keepdims=True) - points
    item, rest = points - points.mean(axis=0), rest - rest.mean(axis=0)
    together = _mean(weights, item * rest) - _mean(weights, item) * _mean(weights, rest)
    return _ratio(together, np.sqrt(_variance(weights, item) * _variance(weights, rest)))


def _discrimination(weights: Floats, points: Floats, shares: Floats) -> Floats:
    """The upper group's mean share of each item less the lower group's, (draws, items); else NaN."""
    totals = points.sum(axis=1).round(9)
    difference = _group(weights, -totals) @ shares - _group(weights, totals) @ shares
    return np.where(np.ptp(shares, axis=0) > 0, difference, np.nan)


def _group(weights: Floats, order: Floats) -> Floats:
    """How much each student counts in the mean of the group with the lowest `order`, (draws, students).

    Students who tie at the edge share the places that are left: the order of the files plays no part.
    """
    levels, level = np.unique(order, return_inverse=True)
    size = GROUP_SHARE * weights.shape[1]
    counts = weights @ np.eye(len(levels))[level]
    before = counts.cumsum(axis=1) - counts
    taken = np.clip(size - before, 0, counts) / np.maximum(counts, 1)
    return weights * taken[:, level] / size


def _alpha(weights: Floats, points: Floats) -> Floats:
    """Cronbach's alpha (1951), k/(k−1)·(1 − Σ item variances / variance of the total), (draws, 1)."""
    count = points.shape[1]
    centred = points - points.mean(axis=0)
    total = _variance(weights, centred.sum(axis=1, keepdims=True))
    items = _variance(weights, centred).sum(axis=1, keepdims=True)
    return count / (count - 1) * (1 - _ratio(items, total))


def _mean(weights: Floats, values: Floats) -> Floats:
    return weights @ values / values.shape[0]


def _variance(weights: Floats, centred: Floats) -> Floats:
    return np.maximum(0, _mean(weights, centred**2) - _mean(weights, centred) ** 2)


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where nothing varies."""
    varies = below > 1e-12
    return np.where(varies, above / np.where(varies, below, 1), np.nan)
