"""The pure step on an existing Dask cluster: submissions go out as bytes, assessments come back.

Workers get the assignment and the submission, and nothing else: no gradebook, no course folder. A worker that
is lost takes no submission with it, since the scheduler gives its work to another.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from course.grading.pool import GradingSettings, Outcome, WorkerFailure, outcome
from course.sandbox.sandbox import Sandbox
from course.sandbox.unsandboxed import Unsandboxed

RETRIES = 3
AHEAD = 4


@dataclass
class Cluster:
    """Workers somewhere else; the same interface as a local pool."""

    address: str
    settings: GradingSettings
    _client: Any = None

    def __enter__(self) -> Cluster:
        from distributed import Client

        self._client = Client(self.address, timeout="20s", set_as_default=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._client.run(_close_sandboxes)
        self._client.close()

    @property
    def size(self) -> int:
        """The number of submissions that can be graded at once."""
        return max(1, sum(self._client.nthreads().values()))

    def run(self, submissions: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Outcome]]:
        """Each submission's name with what it came to, in the order in which they get done."""
        from distributed import as_completed

        # Unlike scattered data, a result is made anew when its worker is lost. Held by one worker only, it
        # would draw all the work there.
        settings = self._client.submit(_known, self.settings, pure=False)
        self._client.replicate(settings)
        waiting = iter(submissions)
        names: dict[Any, str] = {}
        first = itertools.islice(waiting, self.size * AHEAD)
        done = as_completed(
            [self._submit(task, settings, names) for task in first],
            loop=self._client.loop,
            raise_errors=False,
        )
        for future in done:
            name = names.pop(future)
            yield (
                name,
                future.result()
                if future.status == "finished"
                else WorkerFailure(str(future.exception())[:400]),
            )
            future.release()
            for task in itertools.islice(waiting, 1):
                done.add(self._submit(task, settings, names))

    def _submit(self, task: tuple[str, bytes], settings: Any, names: dict[Any, str]) -> Any:
        name, data = task
        future = self._client.submit(_on_worker, data, settings, retries=RETRIES, pure=False)
        names[future] = name
        return future


class _Local(threading.local):
    """One sandbox for each thread of a worker, started on first use."""

    sandbox: Sandbox | Unsandboxed | None = None


_local = _Local()
_opened: list[Sandbox | Unsandboxed] = []


def _known(settings: GradingSettings) -> GradingSettings:
    return settings


def _on_worker(data: bytes, settings: GradingSettings) -> Outcome:
    if _local.sandbox is None:
        _local.sandbox = settings.sandbox()
        _opened.append(_local.sandbox)
    return outcome(data, settings, _local.sandbox)


def _close_sandboxes() -> None:
    while _opened:
        _opened.pop().close()
    _local.sandbox = None
