"""Sentinels: the same two steps timed again and again; if they change, the machine does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers import timing
from helpers.experiment.cache import hold
from helpers.experiment.device import DeviceRuntime, Load
from helpers.experiment.failure import let_go
from helpers.experiment.model import Loaded
from helpers.experiment.shape import ShapeRun
from helpers.results import Sentinel
from helpers.workload import Shape, Workload

EVERY = 4  # turns, in a short run
MOST = 12  # in a long one
REPEATS = 10
DEVICE_REPEATS = 3
LONG_TOKENS = 4096


def probe(protocol: Workload) -> Shape:
    """The small step: no shape of the matrix, since whoever ran before is not cold any more."""
    smallest = min(protocol.shapes, key=lambda shape: shape.tokens)
    return Shape(_beside(smallest.context_tokens, protocol), smallest.batch)


def _beside(context_tokens: int, protocol: Workload) -> int:
    """A context next to this one that the matrix has not."""
    near = (context_tokens + step for step in (-1, 1, -2, 2, 3))
    return next(c for c in near if c > 0 and c not in protocol.context_lengths)


def long_prefill(protocol: Workload) -> Shape:
    """The step that is bound by the device: one long prefill, no longer than the matrix's own."""
    tokens = min(max(shape.tokens for shape in protocol.shapes), LONG_TOKENS)
    return Shape(_beside(tokens, protocol), 1)


def is_due(position: int, turns: int) -> bool:
    """Whether a sentinel stands before this turn, or after the last one."""
    every = max(EVERY, turns // MOST)
    return turns >= EVERY and (position % every == 0 or position == turns)


def take(
    position: int, loaded: Loaded, protocol: Workload, runtime: DeviceRuntime
) -> tuple[Sentinel, float] | None:
    """The sentinel and the seconds timed; None where it fails, which must not stop the run."""
    try:
        with runtime.torch.inference_mode():
            return _taken(position, loaded, protocol, runtime)
    except Exception as error:
        let_go(error)
    return None


def _taken(
    position: int, loaded: Loaded, protocol: Workload, runtime: DeviceRuntime
) -> tuple[Sentinel, float]:
    small = probe(protocol)
    decode = _decode(ShapeRun(loaded, small, protocol, runtime))
    fields: dict[str, Any] = {}
    spent_s = decode.timed_s
    if runtime.clock.event is not None:
        shape = long_prefill(protocol)
        prefill, load = _prefill(ShapeRun(loaded, shape, protocol, runtime))
        spent_s += prefill.timed_s
        fields = {"prefill_tokens": shape.tokens, "prefill_median_ms": prefill.summary.median_ms}
        fields |= {"sm_clock_mhz": load.sm_clock_mhz, "temperature_c": load.temperature_c}
    sentinel = Sentinel(
        position=position,
        batch=small.batch,
        context_tokens=small.context_tokens,
        decode_median_ms=decode.summary.median_ms,
        **fields,
    )
    return sentinel, spent_s


def _decode(work: ShapeRun) -> timing.Timed:
    cache = work.cache_of(work.forward(work.ids))
    restore = hold(cache, work.shape.context_tokens)
    step: Callable[[], Any] = lambda: work.forward(work.following, cache)  # noqa: E731
    repetition = timing.Repetition(warmup=2, repeats=REPEATS, host_passes=0)
    return timing.measure(step, work.runtime.clock, repetition, reset=restore)


def _prefill(work: ShapeRun) -> tuple[timing.Timed, Load]:
    step: Callable[[], Any] = lambda: work.forward(work.ids)  # noqa: E731
    repetition = timing.Repetition(warmup=1, repeats=DEVICE_REPEATS, host_passes=0)
    timed = timing.measure(step, work.runtime.clock, repetition)
    return timed, work.runtime.under_load(step, lambda: None)


def warm_up(loaded: Loaded, protocol: Workload, runtime: DeviceRuntime) -> None:
    """One small prefill and decode step before the first turn: loading kernels is nobody's cold start."""
    with runtime.torch.inference_mode():
        work = ShapeRun(loaded, probe(protocol), protocol, runtime)
        work.forward(work.following, work.cache_of(work.forward(work.ids)))
