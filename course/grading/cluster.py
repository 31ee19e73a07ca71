"""The pure step on an existing Dask cluster: batches of submissions go out, assessments come back.

Workers get the assignment once, and then submissions; no gradebook, no course folder. A worker that is lost
takes no submission with it, since the scheduler gives its work to another.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, Future, WorkerPlugin, as_completed, get_worker

from course.grading.pool import GradingSettings, Outcome, Task, WorkerFailure, outcome
from course.lesson import files_beside
from course.sandbox.sandbox import Sandbox
from course.sandbox.unsandboxed import Unsandboxed

RETRIES = 3
AHEAD = 3  # batches a worker, so that none waits for the coordinator
MOST_IN_A_BATCH = 8


class GradingPlugin(WorkerPlugin):
    """What every worker has during a run: the settings, and a sandbox for each thread, once it has work."""

    def __init__(self, settings: GradingSettings) -> None:
        self.settings, self.name = settings, f"grading-{uuid.uuid4().hex}"

    def setup(self, worker: Any) -> None:
        self.of_thread, self.opened, self.at_hand = threading.local(), [], contextlib.ExitStack()
        self.at_hand.enter_context(files_beside.at_hand(self.settings.assignment.files))

    def teardown(self, worker: Any) -> None:
        """End the sandboxes; a cluster outlives its runs."""
        while self.opened:
            self.opened.pop().close()
        self.at_hand.close()

    def outcomes(self, batch: tuple[Task, ...]) -> list[tuple[str, Outcome]]:
        """Each submission's name with what it came to."""
        sandbox = self._sandbox()
        return [(name, outcome(data, self.settings, sandbox)) for name, data in batch]

    def _sandbox(self) -> Sandbox | Unsandboxed:
        if not hasattr(self.of_thread, "sandbox"):
            self.of_thread.sandbox = self.settings.sandbox()
            self.opened.append(self.of_thread.sandbox)
        return self.of_thread.sandbox


@dataclass
class Cluster:
    """Workers somewhere else; the same interface as a local pool. `tasks` are the submissions to expect."""

    address: str
    settings: GradingSettings
    tasks: int = 1
    _client: Any = None
    _plugin: str = ""
    _sent: dict[Future, tuple[Task, ...]] = field(default_factory=dict)

    def __enter__(self) -> Cluster:
        self._client = Client(self.address, timeout="20s", set_as_default=False)
        plugin = GradingPlugin(self.settings)
        self._client.register_plugin(plugin)
        self._plugin = plugin.name
        return self

    def __exit__(self, *_: object) -> None:
        self._client.unregister_worker_plugin(self._plugin)
        self._client.close()

    @property
    def size(self) -> int:
        """The number of submissions that can be graded at once."""
        return max(1, sum(self._client.nthreads().values()))

    def run(self, submissions: Iterable[Task]) -> Iterator[tuple[str, Outcome]]:
        """Each submission's name with what it came to, in the order in which they get done."""
        size = self.size
        batches = _batches(submissions, max(1, min(MOST_IN_A_BATCH, self.tasks // (size * AHEAD * 2))))
        first = [self._submit(batch) for batch in itertools.islice(batches, size * AHEAD)]
        done = as_completed(first, loop=self._client.loop, raise_errors=False)
        for future in done:
            batch = self._sent.pop(future)
            if future.status == "finished":
                yield from future.result()
            elif len(batch) == 1:
                yield batch[0][0], WorkerFailure(str(future.exception())[:400])
            else:  # one of them may be to blame: each gets tries of its own
                done.update([self._submit((task,)) for task in batch])
            future.release()
            done.update([self._submit(batch) for batch in itertools.islice(batches, 1)])

    def _submit(self, batch: tuple[Task, ...]) -> Future:
        future = self._client.submit(_graded, self._plugin, batch, retries=RETRIES, pure=False)
        self._sent[future] = batch
        return future


def _batches(submissions: Iterable[Task], size: int) -> Iterator[tuple[Task, ...]]:
    waiting = iter(submissions)
    while batch := tuple(itertools.islice(waiting, size)):
        yield batch


def _graded(plugin: str, batch: tuple[Task, ...]) -> list[tuple[str, Outcome]]:
    return get_worker().plugins[plugin].outcomes(batch)
