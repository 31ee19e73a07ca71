"""Goes through the turns that are not done, one after the other, and writes each down at once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from helpers.experiment import sentinel
from helpers.experiment.budget import Budget
from helpers.experiment.device import DeviceRuntime
from helpers.experiment.failure import ShapeFailure, attempt, recovered, released
from helpers.experiment.graph import Graphs
from helpers.experiment.log import RunLog, now
from helpers.experiment.model import Loaded
from helpers.experiment.planning import gb, memory_bytes
from helpers.experiment.shape import ShapeRun
from helpers.experiment.visit import Visit
from helpers.results import Report, ShapeRecord
from helpers.schedule import Turn, schedule
from helpers.text import say
from helpers.workload import Shape, Workload

Progress = Callable[[str], object]
DEATHS_ALLOWED = 2


class MatrixRun:
    """Goes through the turns that are not done, one after the other, and writes each down at once."""

    def __init__(
        self, loaded: Loaded, protocol: Workload, runtime: DeviceRuntime, log: RunLog, progress: Progress
    ) -> None:
        self.loaded, self.protocol, self.runtime = loaded, protocol, runtime
        self.log, self.progress = log, progress
        self.turns = schedule(protocol)
        self.graphs = Graphs(runtime)
        self.budget = Budget(protocol, [turn for turn in self.turns if not log.has(turn)], log.wall_s)
        self.baseline_bytes: int | None = None
        self.good_series: set[str] = set()

    def run(self) -> Report:
        """Every turn left; stops when the device does not recover from running out of memory."""
        if self.budget.left:
            attempt(lambda: sentinel.warm_up(self.loaded, self.protocol, self.runtime))
            self._set_baseline("")
        for turn in list(self.budget.left):
            if self._is_needless(turn):
                self.budget.finish(turn, 0.0)
                continue
            self._sentinel_if_due(turn.position)
            if self._one(turn) is False:
                return self.log.report(say("experiment.not_recovered", shape=turn.shape))
        self.log.settle()
        self._sentinel_if_due(len(self.turns))
        return self.log.report()

    def _is_needless(self, turn: Turn) -> bool:
        """A shape that has failed, or another round when the time is up."""
        return self.log.has(turn) or (self.budget.is_over and not turn.is_first)

    def _set_baseline(self, series: str) -> None:
        """What stays allocated after one good pass of a series: weights, and the libraries' workspaces."""
        if series not in self.good_series and released(self.runtime):
            self.good_series.add(series)
            self.baseline_bytes = self.runtime.allocated_bytes()

    def _one(self, turn: Turn) -> bool | None:
        """Take a turn, whatever comes, and write it down; False if the device did not recover."""
        began = time.perf_counter()
        died = self.log.begun.get(turn.shape, 0)
        self.log.begin(turn.shape)
        run_s = [0.0]
        outcome = (
            self._too_deadly(died)
            or self._too_large(turn.shape)
            or attempt(lambda: self._measure(turn, run_s))
        )
        released(self.runtime)
        if isinstance(outcome, ShapeFailure):
            record = self._failed(turn, outcome)
            self._finish(turn, record, began)
            self.log.add(record, run_s[0], time.perf_counter() - began)
            return record.oom_recovered
        self._set_baseline(turn.shape.series)
        self._finish(turn, outcome, began)
        visit = outcome.model_copy(update={"finished_at": now()})
        self.log.add_visit(visit, run_s[0], time.perf_counter() - began)
        return None

    def _measure(self, turn: Turn, run_s: list[float]) -> Visit:
        prefill, decode = self.budget.repetitions(turn)
        with self.runtime.torch.inference_mode():
            work = ShapeRun(self.loaded, turn.shape, self.protocol, self.runtime, self.graphs)
            try:
                return work.measure(turn, prefill, decode)
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

    def _failed(self, turn: Turn, failure: ShapeFailure) -> ShapeRecord:
        """The record of a failed shape; after running out of memory the device is checked."""
        recovery = None
        if failure.kind == "oom":
            recovery = recovered(self.runtime, self.baseline_bytes)
        return ShapeRecord(
            batch=turn.shape.batch,
            context_tokens=turn.shape.context_tokens,
            series=turn.shape.series,
            status="failed",
            failure=failure.message,
            failure_kind=failure.kind,
            oom_recovered=recovery,
            position=turn.position,
            finished_at=now(),
        )

    def _sentinel_if_due(self, position: int) -> None:
        seen = {taken.position for taken in self.log.sentinels}
        if position in seen or not sentinel.is_due(position, len(self.turns)):
            return
        began = time.perf_counter()
        taken = sentinel.take(position, self.loaded, self.protocol, self.runtime)
        released(self.runtime)
        if taken is not None:
            self.log.add_sentinel(*taken, time.perf_counter() - began)

    def _finish(self, turn: Turn, got: Visit | ShapeRecord, began: float) -> None:
        """One line of progress, with the time left."""
        self.budget.finish(turn, time.perf_counter() - began)
        done = len(self.turns) - len(self.budget.left)
        self.progress(progress_line(got, done, len(self.turns), self.budget.left_s))


def progress_line(got: Visit | ShapeRecord, done: int, total: int, left_s: float | None) -> str:
    """What a student reads when a turn is done."""
    left = "" if not left_s else say("experiment.left", left=_duration(left_s))
    values: dict[str, Any] = {"place": f"[{done}/{total}] {got.shape}", "left": left}
    if got.status == "failed":
        return say("experiment.line_failed", why=got.failure, **values)
    values["decode"] = f"{got.decode_median_ms:.2f}"
    if got.prefill_median_ms is None:
        return say("experiment.line_decode", **values)
    return say("experiment.line", prefill=f"{got.prefill_median_ms:.1f}", **values)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
