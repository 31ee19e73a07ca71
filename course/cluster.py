"""The pure step on an existing Dask cluster: submissions go out as bytes, assessments come back.

Workers get the bundle and the submission, and nothing else: no gradebook, no course folder. A worker that
is lost takes no submission with it, since the scheduler gives its work to another.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from course.pool import Failure, Outcome, Terms, outcome
from course.sandbox import Sandbox, Trust

RETRIES = 3
AHEAD = 4


@dataclass
class Cluster:
    """Workers somewhere else; the same interface as a local pool."""

    address: str
    terms: Terms
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
        terms = self._client.submit(_known, self.terms, pure=False)
        self._client.replicate(terms)
        waiting = iter(submissions)
        names: dict[Any, str] = {}
        first = itertools.islice(waiting, self.size * AHEAD)
        done = as_completed(
            [self._submit(task, terms, names) for task in first], loop=self._client.loop, raise_errors=False
        )
        for future in done:
            name = names.pop(future)
            yield (
                name,
                future.result() if future.status == "finished" else Failure(str(future.exception())[:400]),
            )
            future.release()
            for task in itertools.islice(waiting, 1):
                done.add(self._submit(task, terms, names))

    def _submit(self, task: tuple[str, bytes], terms: Any, names: dict[Any, str]) -> Any:
        name, data = task
        future = self._client.submit(_on_worker, data, terms, retries=RETRIES, pure=False)
        names[future] = name
        return future


class _Local(threading.local):
    """One sandbox for each thread of a worker, started on first use."""

    sandbox: Sandbox | Trust | None = None


_local = _Local()
_opened: list[Sandbox | Trust] = []


def _known(terms: Terms) -> Terms:
    return terms


def _on_worker(data: bytes, terms: Terms) -> Outcome:
    if _local.sandbox is None:
        _local.sandbox = terms.sandbox()
        _opened.append(_local.sandbox)
    return outcome(data, terms, _local.sandbox)


def _close_sandboxes() -> None:
    while _opened:
        _opened.pop().close()
    _local.sandbox = None
