"""Three boundaries of time (submission, synchronised wall clock, device events), and honest statistics.

Imports: text.
What measures and what reads results call it; torch is handed in.
"""

from helpers.timing.measuring import (
    MIN_SAMPLES_TO_STOP_EARLY,
    Boundary,
    Clock,
    Event,
    Repetition,
    Timed,
    clock_for,
    cold_ms,
    measure,
)
from helpers.timing.samples import (
    DRIFT_LIMIT,
    Remark,
    Summary,
    chance_below_true,
    drift,
    median_interval,
    percentile,
    remarks,
    round_medians,
    rounds_interval,
    submission_is_near,
    summarize,
)

__all__ = [
    "DRIFT_LIMIT",
    "MIN_SAMPLES_TO_STOP_EARLY",
    "Boundary",
    "Clock",
    "Event",
    "Remark",
    "Repetition",
    "Summary",
    "Timed",
    "chance_below_true",
    "clock_for",
    "cold_ms",
    "drift",
    "measure",
    "median_interval",
    "percentile",
    "remarks",
    "round_medians",
    "rounds_interval",
    "submission_is_near",
    "summarize",
]
