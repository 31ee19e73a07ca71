"""Timing one step: a device's clock, how often, and the three boundaries each in a pass of its own."""

from __future__ import annotations

import contextlib
import gc
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from helpers.text import say
from helpers.timing.samples import Summary, summarize

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
    host_passes: calls, apart from the samples, that time submission and wall clock where there are events.
    """

    warmup: int = 5
    repeats: int = 20
    min_repeats: int = 3
    budget_s: float | None = None
    stop_below: float | None = None
    host_passes: int = MIN_SAMPLES_TO_STOP_EARLY

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
    """The samples of one step: the first call apart, the warm-ups counted, the device's and the host's clock
    in passes of their own. `dropped` counts readings that no clock should give (0, negative, not finite)."""

    cold_ms: float | None
    warmups_done: int
    samples_ms: tuple[float, ...]
    boundary: Boundary
    submit_samples_ms: tuple[float, ...]
    wall_samples_ms: tuple[float, ...]
    timed_s: float
    dropped: int = 0
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

    def host_ms(self) -> tuple[float, float]:
        """The host's time until the step's call returns, and until the device has run it too."""
        began = self._ready()
        start = time.perf_counter()
        self.last = self.step()
        submitted = time.perf_counter()
        self.clock.synchronize()
        end = time.perf_counter()
        self.spent_s += end - began
        return (submitted - start) * 1e3, (end - start) * 1e3

    def wall_ms(self) -> float:
        """Submission, execution and waiting for the end, on the host's clock."""
        return self.host_ms()[1]

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

    def sample_ms(self) -> float | None:
        """One sample; None where the clock read what no step can take."""
        value = self.event_ms() if self.clock.event else self.wall_ms()
        return value if 0 < value < math.inf else None


def cold_ms(
    step: Callable[[], Any],
    clock: Clock,
    *,
    reset: Callable[[], object] = _nothing,
    inspect: Callable[[Any], object] = _nothing,
) -> float:
    """Milliseconds of a step's first call, on the host's clock; inspect sees its result and may refuse it."""
    watch = _Stopwatch(step, reset, clock)
    with _no_collector():
        value = watch.wall_ms()
        inspect(watch.last)
    return value


def measure(
    step: Callable[[], Any],
    clock: Clock,
    repetition: Repetition | None = None,
    *,
    reset: Callable[[], object] = _nothing,
    inspect: Callable[[Any], object] = _nothing,
    cold: bool = True,
) -> Timed:
    """Time a step: one cold call, warm-ups, samples, then submission and wall clock in passes of their own.

    reset runs before every call, outside the timed region; inspect sees the cold call's result and may
    refuse it; without `cold` the step has been called before. On a CPU the three boundaries are one, so only
    the wall clock is read. Raises RuntimeError where the clock gives more bad readings than samples.
    """
    plan = repetition or Repetition()
    watch = _Stopwatch(step, reset, clock)
    with _no_collector():
        first_ms = watch.wall_ms() if cold else None
        if cold:
            inspect(watch.last)
        warmups = _warm_up(watch, plan)
        samples, dropped = _samples(watch, plan)
        few = min(len(samples), plan.host_passes) if clock.event else 0
        host = [watch.host_ms() for _ in range(few)]
    submit, wall = tuple(one for one, _ in host), tuple(one for _, one in host)
    return Timed(
        first_ms, warmups, samples, clock.boundary, submit, wall, watch.spent_s, dropped, last=watch.last
    )


def _samples(watch: _Stopwatch, plan: Repetition) -> tuple[tuple[float, ...], int]:
    """The samples, and how many readings were dropped."""
    samples: list[float] = []
    dropped = 0
    while not plan.enough(samples, watch.spent_s):
        value = watch.sample_ms()
        if value is not None:
            samples.append(value)
            continue
        dropped += 1
        if dropped > plan.repeats:
            raise RuntimeError(say("timing.clock", n=dropped))
    return tuple(samples), dropped


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
