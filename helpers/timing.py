"""Three boundaries of time (submission, synchronised wall clock, device events), and honest statistics."""

from __future__ import annotations

import contextlib
import gc
import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from helpers.text import say

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
    try:
        import numpy
    except ImportError:  # the page in a browser without a network: by the definition above
        return min(s for s in samples_ms if 100 * sum(t <= s for t in samples_ms) >= q * len(samples_ms))
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
        raise ValueError(say("timing.no_samples"))
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


def chance_below_true(n: int, q: float) -> float:
    """Probability that the q-th percentile of n samples lies below the true one (20 samples, 95: 0.736)."""
    rank = min(n, math.ceil(round(q / 100 * n, 9)))
    share = q / 100
    return sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(rank, n + 1))


# --- the three boundaries ----------------------------------------------------------------------------

Boundary = Literal["event", "wall"]
MIN_SAMPLES_TO_STOP_EARLY = 10


class Event(Protocol):
    """What a device's timing event can do."""

    def record(self) -> object: ...

    def elapsed_time(self, end: Any, /) -> float: ...


def _nothing(*_: object) -> None:
    return None


@dataclass(frozen=True)
class Clock:
    """How to wait for a device and how to time on it; without events only the wall clock is left."""

    device: Literal["cuda", "mps", "cpu"] = "cpu"
    synchronize: Callable[[], object] = _nothing
    event: Callable[[], Event] | None = None

    @property
    def boundary(self) -> Boundary:
        """The boundary that the samples are taken at: device events where there are some."""
        return "event" if self.event else "wall"


def clock_for(device: str, torch: Any) -> Clock:
    """The clock of "cuda", "mps" or "cpu"; torch is handed in, so that this module never imports it."""
    if device == "cuda":
        return Clock("cuda", torch.cuda.synchronize, lambda: torch.cuda.Event(enable_timing=True))
    if device == "mps":
        return Clock("mps", torch.mps.synchronize, lambda: torch.mps.Event(enable_timing=True))
    if device == "cpu":
        return Clock()
    raise ValueError(say("timing.device", got=repr(device)))


@dataclass(frozen=True)
class Repetition:
    """How often: warm-ups and samples; with a budget (cold call and warm-ups included), fewer of both.

    stop_below: the half width of the median's 95 % interval, relative to the median, that is narrow enough.
    """

    warmup: int = 5
    repeats: int = 20
    min_repeats: int = 3
    budget_s: float | None = None
    stop_below: float | None = None

    def enough(self, samples_ms: Sequence[float], spent_s: float) -> bool:
        """Whether these samples do."""
        n = len(samples_ms)
        if n >= self.repeats:
            return True
        if self.budget_s is not None and n >= self.min_repeats:
            return spent_s + statistics.median(samples_ms) / 1e3 > self.budget_s or self._narrow(samples_ms)
        return self._narrow(samples_ms)

    def _narrow(self, samples_ms: Sequence[float]) -> bool:
        """Whether the median is known well enough."""
        if self.stop_below is None or len(samples_ms) < MIN_SAMPLES_TO_STOP_EARLY:
            return False
        width = summarize(samples_ms).relative_interval
        return width is not None and width < self.stop_below

    def warm(self, done: int, spent_s: float) -> bool:
        """Whether the warm-up is over: all done, or an eighth of the budget spent, the cold call included."""
        return done >= self.warmup or (self.budget_s is not None and spent_s >= self.budget_s / 8)


@dataclass(frozen=True)
class Timed:
    """The samples of one step: the first call apart, the warm-ups counted, each boundary in its own pass."""

    cold_ms: float
    warmups_done: int
    samples_ms: tuple[float, ...]
    boundary: Boundary
    submit_samples_ms: tuple[float, ...]
    wall_samples_ms: tuple[float, ...]
    timed_s: float
    last: Any = field(default=None, repr=False, compare=False)

    @property
    def summary(self) -> Summary:
        return summarize(self.samples_ms)


class _Stopwatch:
    """Runs one step at a time: reset, wait, time; adds up the seconds spent, resets included."""

    def __init__(self, step: Callable[[], Any], reset: Callable[[], object], clock: Clock) -> None:
        self.step, self.reset, self.clock = step, reset, clock
        self.spent_s = 0.0
        self.last: Any = None

    def _ready(self) -> float:
        began = time.perf_counter()
        self.last = None
        self.reset()
        self.clock.synchronize()
        return began

    def wall_ms(self) -> float:
        """Submission, execution and waiting for the end, on the host's clock."""
        began = self._ready()
        start = time.perf_counter()
        self.last = self.step()
        self.clock.synchronize()
        end = time.perf_counter()
        self.spent_s += end - began
        return (end - start) * 1e3

    def submit_ms(self) -> float:
        """The host's time until the step's call returns; on an asynchronous device the work goes on."""
        began = self._ready()
        start = time.perf_counter()
        self.last = self.step()
        submitted = time.perf_counter()
        self.clock.synchronize()
        self.spent_s += time.perf_counter() - began
        return (submitted - start) * 1e3

    def event_ms(self) -> float:
        """The device's time between two events around the step."""
        assert self.clock.event is not None
        began = self._ready()
        start, end = self.clock.event(), self.clock.event()
        start.record()
        self.last = self.step()
        end.record()
        self.clock.synchronize()
        self.spent_s += time.perf_counter() - began
        return float(start.elapsed_time(end))

    def sample_ms(self) -> float:
        return self.event_ms() if self.clock.event else self.wall_ms()


def measure(
    step: Callable[[], Any],
    clock: Clock,
    repetition: Repetition | None = None,
    *,
    reset: Callable[[], object] = _nothing,
    inspect: Callable[[Any], object] = _nothing,
) -> Timed:
    """Time a step: one cold call, warm-ups, samples, then submission and wall clock in passes of their own.

    reset runs before every call, outside the timed region; inspect sees the cold call's result and may
    refuse it. On a CPU the three boundaries are one, so only the wall clock is read.
    """
    plan = repetition or Repetition()
    watch = _Stopwatch(step, reset, clock)
    with _no_collector():
        cold_ms = watch.wall_ms()
        inspect(watch.last)
        warmups = _warm_up(watch, plan)
        samples: list[float] = []
        while not plan.enough(samples, watch.spent_s):
            samples.append(watch.sample_ms())
        few = min(len(samples), MIN_SAMPLES_TO_STOP_EARLY) if clock.event else 0
        submit = tuple(watch.submit_ms() for _ in range(few))
        wall = tuple(watch.wall_ms() for _ in range(few))
    return Timed(cold_ms, warmups, tuple(samples), clock.boundary, submit, wall, watch.spent_s, watch.last)


def _warm_up(watch: _Stopwatch, plan: Repetition) -> int:
    """Untimed calls before the samples; how many there were."""
    done = 0
    while not plan.warm(done, watch.spent_s):
        watch.wall_ms()
        done += 1
    return done


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Keep Python's garbage collector out of the samples."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# --- what a reader must be told ----------------------------------------------------------------------

LAUNCH_BOUND_RATIO = 0.9
DRIFT_LIMIT = 0.05


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
        rank = math.ceil(round(0.95 * summary.n, 9))
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
