"""A pool of local workers: each a trusted process with a sandbox of its own, fed one submission at a time.

A worker that dies takes no submission with it: what it had in hand goes to the next one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from course.grading.assessment import Assessment, assess
from course.grading.clock import is_stopped, stood_still
from course.lesson import files_beside
from course.lesson.assignment import Assignment
from course.sandbox import memory_group
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import NoSandbox, Sandbox
from course.sandbox.unsandboxed import Unsandboxed
from course.sandbox.view import NotConcealed

TRIES = 3
LOOK_SECONDS = 1.0
PATIENCE = 3.0  # times the seconds that one run of a submission may take; there are two


@dataclass(frozen=True)
class GradingSettings:
    """How submissions are graded: the assignment, the limits, what is concealed, whether students' code is
    trusted."""

    assignment: Assignment
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    trusted: bool = False
    every_cell: bool = False
    follow_through: bool = True
    hidden: tuple[Path, ...] = ()  # folders that no student's process may see where they exist

    def sandbox(self) -> Sandbox | Unsandboxed:
        """The place where students' code runs."""
        files = self.assignment.files
        if self.trusted:
            return Unsandboxed(self.limits, files=files)
        return Sandbox(self.limits, self.hidden, files=files)


@dataclass(frozen=True)
class WorkerFailure:
    """A submission that no worker could grade."""

    reason: str


Outcome = Assessment | WorkerFailure
Task = tuple[str, bytes]


@dataclass
class _Worker:
    """A process, and the submission that it has in hand since a moment."""

    process: Any
    pipe: Connection
    place: int
    task: Task | None = None
    since: float = 0.0
    briefed: bool = False

    @property
    def handles(self) -> tuple[Any, Any]:
        """What becomes ready when the worker has an outcome, or when it dies."""
        return self.pipe, self.process.sentinel

    def brief(self, settings: GradingSettings) -> None:
        """Tell it how submissions are graded, once: a large message waits until the process reads."""
        if not self.briefed:
            self.briefed = True
            with contextlib.suppress(OSError):
                self.pipe.send(settings)

    def take(self, task: Task) -> None:
        """One task at a time: a busy worker does not read, and a full pipe would hold up everybody."""
        self.task, self.since = task, time.monotonic()
        with contextlib.suppress(OSError):
            self.pipe.send(task)

    def forget(self) -> None:
        """Let go of a process that is dead or dying."""
        self.pipe.close()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


@dataclass
class Pool:
    """`size` workers; a context manager, which does not wait for their start. Submissions go in by name,
    outcomes come out as they are ready."""

    settings: GradingSettings
    size: int
    _workers: list[_Worker] = field(default_factory=list)
    _tries: Counter[str] = field(default_factory=Counter)
    _space: Any = None

    def __enter__(self) -> Pool:
        self._space = tempfile.TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True)
        self._workers = [self._started(place) for place in range(self.size)]
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.forget()
        self._workers = []
        memory_group.sweep()  # workers end without a word
        self._space.cleanup()

    def run(self, submissions: Iterable[Task]) -> Iterator[tuple[str, Outcome]]:
        """Each submission's name with what it came to, in the order in which they get done."""
        waiting, again, looked = iter(submissions), deque(), time.monotonic()
        while True:
            for worker in self._workers:
                worker.brief(self.settings)
                task = None if worker.task else again.popleft() if again else next(waiting, None)
                if task is not None:
                    worker.take(task)
            busy = [worker for worker in self._workers if worker.task]
            if not busy:
                return
            ready = wait([handle for worker in busy for handle in worker.handles], LOOK_SECONDS)
            self._end_the_slow(busy, stood_still(time.monotonic() - looked, LOOK_SECONDS))
            looked = time.monotonic()
            for worker in busy:
                if not set(worker.handles).isdisjoint(ready):
                    yield from self._collect(worker, again)

    def _end_the_slow(self, busy: Iterable[_Worker], gap_seconds: float) -> None:
        """Whatever the reason, no submission may hold up the class: its worker is ended, and it with it. The
        seconds in which this process stood still count for nobody."""
        patience = PATIENCE * self.settings.limits.total_seconds
        for worker in busy:
            worker.since += gap_seconds
            if time.monotonic() - worker.since > patience and worker.process.is_alive():
                if not is_stopped(worker.process.pid):  # else nobody knows how long it would have taken
                    self._tries[worker.task[0]] = TRIES
                worker.process.kill()

    def _collect(self, worker: _Worker, again: deque[Task]) -> Iterator[tuple[str, Outcome]]:
        """Its outcome; what a dead worker had in hand is tried again, and given up at the third death."""
        task, worker.task = worker.task, None
        name, _ = task
        try:
            came = worker.pipe.recv()
        except (EOFError, OSError):
            worker.forget()
            self._workers[worker.place] = self._started(worker.place)
            self._tries[name] += 1
            if self._tries[name] < TRIES:
                again.append(task)
                return
            came = WorkerFailure("worker died")
        yield name, came

    def _started(self, place: int) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, place, self._space.name), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, place)


def _work(pipe: Connection, place: int, space: str) -> None:
    """A worker's life: learn the settings, take a submission, grade it, hand it back, until the coordinator
    hangs up. What it keeps for a while lies in `space`, which goes with the pool."""
    tempfile.tempdir = space
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    _keep_to_one_core(place)
    settings = pipe.recv()
    with settings.sandbox() as sandbox, files_beside.at_hand(settings.assignment.files):
        with contextlib.suppress(NoSandbox, NotConcealed):  # each outcome will say so
            sandbox.student()
        with contextlib.suppress(EOFError, OSError):
            while True:
                _, data = pipe.recv()
                pipe.send(outcome(data, settings, sandbox))


def _keep_to_one_core(place: int) -> None:
    """A worker and its students' processes take turns: on one core they need not wake another."""
    with contextlib.suppress(AttributeError, OSError):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[place % len(cores)]})


def outcome(data: bytes, settings: GradingSettings, sandbox: Sandbox | Unsandboxed) -> Outcome:
    """The assessment of one submission; whatever goes wrong is an outcome too."""
    try:
        return assess(
            data,
            settings.assignment,
            sandbox,
            every_cell=settings.every_cell,
            follow_through=settings.follow_through,
        )
    except Exception as problem:
        return WorkerFailure(f"{type(problem).__name__}: {problem}"[:400])


def workers() -> int:
    """As many as this process may use processors."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:
        return os.cpu_count() or 1
