"""Three boundaries of time (submission, synchronised wall clock, device events), and honest statistics."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

SAMPLES_FOR_P95 = 60
SAMPLES_FOR_P99 = 300
WIDE_RELATIVE_IQR = 0.10


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

    @property
    def p99_is_supported(self) -> bool:
        return self.n >= SAMPLES_FOR_P99


def percentile(samples_ms: Sequence[float], q: float) -> float:
    """The smallest sample that at least q % of the samples do not exceed (no interpolation)."""
    import numpy

    return float(numpy.percentile(samples_ms, q, method="inverted_cdf"))


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


def summarize(samples_ms: Sequence[float]) -> Summary:
    """Median, order-statistic percentiles, spread and the median's interval of at least one sample."""
    if not samples_ms:
        raise ValueError("samples_ms must hold at least one sample, got none")
    interval = median_interval(samples_ms)
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
