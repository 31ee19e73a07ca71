"""What a list of samples says, and what a reader of them must be told before concluding anything."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helpers.text import say

SAMPLES_FOR_P95 = 60
WIDE_RELATIVE_IQR = 0.10
LAUNCH_BOUND_RATIO = 0.9
DRIFT_LIMIT = 0.05
LEAST_ROUNDS = 3
STUDENT_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # two-sided, 1 to 9 degrees


@dataclass(frozen=True)
class Summary:
    """What a list of samples says; percentiles are order statistics (the smallest sample that q % reach)."""

    n: int
    median_ms: float
    p95_ms: float
    p99_ms: float
    iqr_ms: float
    min_ms: float
    max_ms: float
    median_low_ms: float | None
    median_high_ms: float | None

    @property
    def relative_iqr(self) -> float:
        """Interquartile range ÷ median."""
        return self.iqr_ms / self.median_ms

    @property
    def spread_is_wide(self) -> bool:
        """True when the middle half of the samples spans more than 10 % of the median."""
        return self.relative_iqr > WIDE_RELATIVE_IQR

    @property
    def relative_interval(self) -> float | None:
        """Half the width of the median's 95 % interval ÷ median; None below six samples."""
        if self.median_low_ms is None or self.median_high_ms is None:
            return None
        return (self.median_high_ms - self.median_low_ms) / (2 * self.median_ms)

    @property
    def p95_is_supported(self) -> bool:
        """From 60 samples on; below, the P95 is named but bounds nothing."""
        return self.n >= SAMPLES_FOR_P95


def percentile(samples_ms: Sequence[float], q: float) -> float:
    """The smallest sample that at least q % of the samples do not exceed (no interpolation)."""
    return float(sorted(samples_ms)[_rank(len(samples_ms), q) - 1])


def _rank(n: int, q: float) -> int:
    """How many of n samples are at least q %, and never none."""
    return max(1, min(n, math.ceil(round(q / 100 * n, 9))))


def median_interval(samples_ms: Sequence[float]) -> tuple[float, float] | None:
    """Two samples that enclose the true median with at least 95 % confidence; None below six samples."""
    ordered = sorted(samples_ms)
    n = len(ordered)
    tail, below = 0.0, 0
    while below < n // 2:
        tail += math.comb(n, below) / 2**n
        if tail > 0.025:
            break
        below += 1
    return (ordered[below - 1], ordered[n - below]) if below else None


def round_medians(samples_ms: Sequence[float], sizes: Sequence[int]) -> tuple[float, ...]:
    """The median of each round, the samples being those of all rounds in order."""
    starts = itertools.accumulate(sizes, initial=0)
    parts = (samples_ms[start : start + size] for start, size in zip(starts, sizes, strict=False))
    return tuple(statistics.median(part) for part in parts if part)


def rounds_interval(samples_ms: Sequence[float], sizes: Sequence[int]) -> tuple[float, float] | None:
    """95 % interval of the mean of the rounds' medians (Student's t); None below three rounds.

    Samples of one burst share whatever the machine did just then: only rounds apart in time say how far
    an honest repeat may lie.
    """
    medians = round_medians(samples_ms, sizes)
    if len(medians) < LEAST_ROUNDS:
        return None
    quantile = STUDENT_95[min(len(medians) - 1, len(STUDENT_95)) - 1]
    half = quantile * statistics.stdev(medians) / math.sqrt(len(medians))
    middle = statistics.fmean(medians)
    return max(middle - half, 0.0), middle + half


def summarize(samples_ms: Sequence[float], rounds: Sequence[int] = ()) -> Summary:
    """Median, order-statistic percentiles, spread and the median's interval of at least one sample.

    The interval is that of the rounds where their sizes are given, else the one of independent samples.
    """
    if not samples_ms:
        raise ValueError(say("timing.no_samples"))
    interval = rounds_interval(samples_ms, rounds) if rounds else median_interval(samples_ms)
    return Summary(
        n=len(samples_ms),
        median_ms=statistics.median(samples_ms),
        p95_ms=percentile(samples_ms, 95),
        p99_ms=percentile(samples_ms, 99),
        iqr_ms=percentile(samples_ms, 75) - percentile(samples_ms, 25),
        min_ms=min(samples_ms),
        max_ms=max(samples_ms),
        median_low_ms=interval[0] if interval else None,
        median_high_ms=interval[1] if interval else None,
    )


def chance_below_true(n: int, q: float) -> float:
    """Probability that the q-th percentile of n samples lies below the true one (20 samples, 95: 0.736)."""
    rank = _rank(n, q)
    share = q / 100
    return sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(rank, n + 1))


@dataclass(frozen=True)
class Remark:
    """Something a reader of the samples must know before concluding anything."""

    key: str
    values: Mapping[str, object]

    @property
    def text(self) -> str:
        return say(self.key, **self.values)


def drift(values: Sequence[float]) -> float:
    """Median of the last third ÷ median of the first third − 1; 0 below six values."""
    third = len(values) // 3
    if third < 2:
        return 0.0
    return statistics.median(values[-third:]) / statistics.median(values[:third]) - 1


def submission_is_near(submit_ms: float, device_ms: float) -> bool:
    """True when the host needs about as long to submit as the device to run: launches set the pace."""
    return submit_ms / device_ms > LAUNCH_BOUND_RATIO


def remarks(samples_ms: Sequence[float], submit_samples_ms: Sequence[float] = ()) -> tuple[Remark, ...]:
    """Few samples, a wide spread, drift, launch-bound: each only where it holds."""
    summary = summarize(samples_ms)
    found = []
    if not summary.p95_is_supported:
        rank = _rank(summary.n, 95)
        chance = chance_below_true(summary.n, 95)
        found.append(Remark("timing.few", {"n": summary.n, "rank": rank, "percent": f"{chance:.1%}"}))
    if summary.spread_is_wide:
        found.append(Remark("timing.wide", {"percent": f"{summary.relative_iqr:.1%}"}))
    if abs(drift(samples_ms)) > DRIFT_LIMIT:
        found.append(Remark("timing.drift", {"percent": f"{drift(samples_ms):+.1%}"}))
    if submit_samples_ms and submission_is_near(statistics.median(submit_samples_ms), summary.median_ms):
        ratio = statistics.median(submit_samples_ms) / summary.median_ms
        found.append(Remark("timing.launch", {"ratio": f"{ratio:.2f}"}))
    return tuple(found)
