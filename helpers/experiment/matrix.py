"""Goes through the shapes that are not done, one after the other, and writes each down at once."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import replace

from helpers import timing
from helpers.experiment.budget import Budget, effort
from helpers.experiment.cache import hold
from helpers.experiment.device import DeviceRuntime
from helpers.experiment.failure import ShapeFailure, attempt, let_go, recovered
from helpers.experiment.log import RunLog, now
from helpers.experiment.model import Loaded
from helpers.experiment.planning import gb, memory_bytes
from helpers.experiment.shape import ShapeRun, token_ids
from helpers.results import Report, Sentinel, ShapeRecord
from helpers.text import say
from helpers.workload import Shape, Workload

Progress = Callable[[str], object]
SENTINEL_EVERY = 4
SENTINEL_REPEATS = 10
DEATHS_ALLOWED = 2


def order_of(protocol: Workload) -> tuple[Shape, ...]:
    """The shapes in an order drawn from the seed, so that neither cold start nor heat lands on one size."""
    shapes = list(protocol.shapes)
    random.Random(protocol.seed).shuffle(shapes)
    return tuple(shapes)


class MatrixRun:
    """Goes through the shapes that are not done, one after the other, and writes each down at once."""

    def __init__(
        self, loaded: Loaded, protocol: Workload, runtime: DeviceRuntime, log: RunLog, progress: Progress
    ) -> None:
        self.loaded, self.protocol, self.runtime = loaded, protocol, runtime
        self.log, self.progress = log, progress
        done = {record.shape for record in log.records}
        self.todo = [shape for shape in order_of(protocol) if shape not in done]
        self.budget = Budget(protocol, list(self.todo), log.wall_s)
        self.done_effort = self.spent_s = 0.0

    def run(self) -> Report:
        """Every shape left; stops when the device does not recover from running out of memory."""
        if self.todo:
            self._warm_up()
        for shape in list(self.todo):
            self._sentinel_if_due()
            record = self._one(shape)
            if record.oom_recovered is False:
                return self.log.report(say("experiment.not_recovered", shape=shape))
        self._sentinel_if_due(last=True)
        return self.log.report()

    def _warm_up(self) -> None:
        """One small pass before the first shape, so that loading kernels is nobody's cold start."""

        def pass_() -> ShapeRecord | None:
            with self.runtime.torch.inference_mode():
                small = min(self.protocol.shapes, key=lambda shape: shape.tokens)
                vocabulary = self.loaded.config.vocab_size
                ids, _ = token_ids(small, self.protocol.seed, vocabulary, self.runtime.torch)
                self.loaded.model(input_ids=ids.to(self.loaded.model.device), logits_to_keep=1)

        attempt(pass_)  # type: ignore[arg-type]
        self.runtime.release()

    def _one(self, shape: Shape) -> ShapeRecord:
        """Measure a shape, whatever comes, and write it down."""
        began = time.perf_counter()
        position = len(self.log.records)
        died = self.log.begun.get(shape, 0)
        self.log.begin(shape)
        run_s = [0.0]
        outcome = (
            self._too_deadly(died) or self._too_large(shape) or attempt(lambda: self._measure(shape, run_s))
        )
        if isinstance(outcome, ShapeFailure):
            outcome = self._failed(shape, outcome)
        record = outcome.model_copy(update={"position": position, "finished_at": now()})
        self.runtime.release()
        wall_s = time.perf_counter() - began
        self.log.add(record, run_s[0], wall_s)
        self._tell(record, wall_s)
        return record

    def _measure(self, shape: Shape, run_s: list[float]) -> ShapeRecord:
        prefill, decode = self.budget.repetitions(shape)
        with self.runtime.torch.inference_mode():
            work = ShapeRun(self.loaded, shape, self.protocol, self.runtime)
            try:
                return work.measure(prefill, decode)
            finally:
                run_s[0] = work.timed_s

    @staticmethod
    def _too_deadly(died: int) -> ShapeFailure | None:
        """A shape that ended the process again and again is not tried for ever."""
        if died < DEATHS_ALLOWED + 1:
            return None
        return ShapeFailure("error", say("experiment.deadly", times=died))

    def _too_large(self, shape: Shape) -> ShapeFailure | None:
        """On the host's memory a shape that cannot fit is not tried: the system would end the process."""
        if self.runtime.kind == "cuda":
            return None
        need, free = memory_bytes(self.loaded.sizes, shape), self.runtime.free_bytes()
        if free is None or need <= free:
            return None
        return ShapeFailure("oom", "OOM: " + say("experiment.too_large", need=gb(need), free=gb(free)))

    def _failed(self, shape: Shape, failure: ShapeFailure) -> ShapeRecord:
        """The record of a failed shape; after running out of memory the device is checked."""
        recovery = None
        if failure.kind == "oom":
            recovery = recovered(self.runtime, self.baseline_bytes)
        return ShapeRecord(
            batch=shape.batch,
            context_tokens=shape.context_tokens,
            series=shape.series,
            status="failed",
            failure=failure.message,
            failure_kind=failure.kind,
            oom_recovered=recovery,
        )

    @property
    def baseline_bytes(self) -> int | None:
        """What the allocator holds when only the weights are there."""
        return None if self.runtime.allocated_bytes() is None else self.loaded.info.weight_bytes

    def _sentinel_if_due(self, last: bool = False) -> None:
        """Time the smallest shape again every few shapes: if it changes, the machine does."""
        done = len(self.log.records)
        seen = {sentinel.position for sentinel in self.log.sentinels}
        if (
            done in seen
            or len(self.protocol.shapes) < SENTINEL_EVERY
            or not (done % SENTINEL_EVERY == 0 or last)
        ):
            return
        began = time.perf_counter()
        shape = min(self.protocol.shapes, key=lambda s: s.tokens)
        shape = replace(shape, series="dynamic")
        timed = _quietly(lambda: self._sentinel(shape))
        if timed is None:
            return
        sentinel = Sentinel(
            position=done,
            batch=shape.batch,
            context_tokens=shape.context_tokens,
            decode_median_ms=timed.summary.median_ms,
        )
        self.log.add_sentinel(sentinel, timed.timed_s, time.perf_counter() - began)

    def _sentinel(self, shape: Shape) -> timing.Timed:
        with self.runtime.torch.inference_mode():
            work = ShapeRun(self.loaded, shape, self.protocol, self.runtime)
            cache = work.cache_of(work.forward(work.ids))
            restore = hold(cache, shape.context_tokens)
            step = work._step(cache, restore)
            repetition = timing.Repetition(warmup=2, repeats=SENTINEL_REPEATS)
            return timing.measure(step, self.runtime.clock, repetition, reset=restore)

    def _tell(self, record: ShapeRecord, wall_s: float) -> None:
        """One line of progress, with the time left."""
        self.budget.finish(record.shape, wall_s)
        self.spent_s += wall_s
        self.done_effort += sum(effort(record.shape))
        done, total = len(self.log.records), len(self.protocol.shapes)
        left_s = self.budget.left_s(self.done_effort, self.spent_s)
        self.progress(progress_line(record, done, total, left_s))


def _quietly(work: Callable[[], timing.Timed]) -> timing.Timed | None:
    """The timing, or None: a sentinel that fails must not stop the run."""
    try:
        return work()
    except Exception as error:
        let_go(error)
    return None


def progress_line(record: ShapeRecord, done: int, total: int, left_s: float | None) -> str:
    """What a student reads when a shape is done."""
    left = "" if not left_s else say("experiment.left", left=_duration(left_s))
    place = f"[{done}/{total}] {record.shape}"
    if record.status == "failed":
        return say("experiment.line_failed", place=place, why=record.failure, left=left)
    if record.prefill_median_ms is None:
        return say("experiment.line_decode", place=place, decode=f"{record.decode_median_ms:.2f}", left=left)
    return say(
        "experiment.line",
        place=place,
        prefill=f"{record.prefill_median_ms:.1f}",
        decode=f"{record.decode_median_ms:.2f}",
        left=left,
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
