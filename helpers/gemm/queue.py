"""A CPU behind a queue: calls return before they are done, as on a GPU, and events have times."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from helpers import timing


class CpuQueue:
    """An asynchronous device made of one thread: calls queue up and run in order."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1)
        self.clock = timing.Clock("cpu", lambda: self.submit(int).result(), lambda: _QueueEvent(self))

    def submit(self, call: Callable[[], Any]) -> Future[Any]:
        """Queue a call; its result comes when its turn does."""
        return self._worker.submit(call)


class _QueueEvent:
    """A moment on the queue's own clock: when everything queued before it is done."""

    def __init__(self, queue: CpuQueue) -> None:
        self._queue = queue
        self._time_s: Future[float] | None = None

    def record(self) -> None:
        self._time_s = self._queue.submit(time.perf_counter)

    def elapsed_time(self, end: Any, /) -> float:
        """Milliseconds from this event to another."""
        return (end._time_s.result() - self._time_s.result()) * 1e3
