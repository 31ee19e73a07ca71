"""A student's own time: a stolen processor, a stopped sandbox and a grader that stands still cost nobody
anything; sleeping and computing do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from copying import ASSIGNMENT, FULL, OF_COPY, answer, honest

from course.grading.assessment import assess
from course.sandbox.limits import ResourceLimits
from course.sandbox.own_time import OwnTime, Reading, own_seconds, reading
from course.sandbox.sandbox import Sandbox, unavailable

HOGS = 6
BUSY = """
import time
until = time.process_time() + 0.25
while time.process_time() < until:
    pass

"""


@pytest.mark.parametrize(
    ("elapsed", "computed", "stopped", "ready", "own"),
    [
        (0.25, 0.25, False, True, 0.25),  # it computes
        (0.25, 0.10, False, True, 0.10),  # the processor was given to others more than half of the time
        (0.25, 0.00, False, True, 0.05),  # all of the time: a fifth, lest it go on for ever
        (0.25, 0.00, False, False, 0.25),  # it sleeps
        (0.25, 0.00, True, False, 0.00),  # somebody stopped it
        (125.0, 0.00, False, False, 0.25),  # the grader was stopped meanwhile
        (125.0, 0.05, True, False, 0.05),  # both were
        (125.0, 100.0, False, True, 100.0),  # the grader was stopped, and it went on computing
    ],
)
def test_what_is_a_students_own_time(
    elapsed: float, computed: float, stopped: bool, ready: bool, own: float
) -> None:
    found = Reading(processor_seconds=computed, stopped=stopped, ready=ready)
    assert own_seconds(elapsed, 0.25, computed, found) == pytest.approx(own)


class Program:
    """A process of the test's own."""

    def __init__(self, source: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", source])

    @property
    def pid(self) -> int:
        return self.process.pid


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Iterator[Program]:
    made = Program(request.param)
    yield made
    made.process.kill()
    made.process.wait()


@pytest.mark.parametrize("program", ["import time; time.sleep(60)"], indirect=True)
def test_a_stopped_process_has_all_its_time_left(program: Program) -> None:
    own = OwnTime(program, 10.0)
    own.left()
    os.kill(program.pid, 19)
    while not reading(program).stopped:
        time.sleep(0.01)
    time.sleep(1.5)
    own.left()
    assert own.used_seconds < 1.0  # it was stopped for 1.5 s; a start of Python takes less


@pytest.mark.parametrize("program", ["import time; time.sleep(60)"], indirect=True)
def test_a_sleeping_process_has_none_left_in_the_end(program: Program) -> None:
    own, looks = OwnTime(program, 1.0), 0
    while (seconds := own.left()) > 0:
        time.sleep(seconds)
        looks += 1
    assert 4 <= looks <= 20


def test_a_process_that_is_gone_cannot_be_read() -> None:
    class Gone:
        @property
        def pid(self) -> int:
            raise ProcessLookupError

    assert reading(Gone()) is None


@pytest.fixture
def stolen_processor() -> Iterator[None]:
    """This process on one core, and others there that take most of it away."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(HOGS)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
        os.sched_setaffinity(0, cores)


@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
def test_a_stolen_processor_costs_nobody_points(copying_words: None, stolen_processor: None) -> None:
    """Half a second of computing takes at least seven times as long; the cell may take two."""
    data = json.dumps(honest("en", copy=BUSY + answer("copy") + BUSY)).encode()
    with Sandbox(ResourceLimits(cell_seconds=2.0, call_seconds=2.0, total_seconds=60.0)) as sandbox:
        assessment = assess(data, ASSIGNMENT, sandbox)
    assert assessment.points == FULL
    assert "TimeoutError" not in assessment.notebook.decode()


@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
def test_a_sleeper_and_a_loop_still_end(copying_words: None) -> None:
    for endless in ("__import__('time').sleep(999)", "[0 for _ in iter(int, 1)]"):
        source = f"def copy_time(*a, **k):\n    {endless}"
        data = json.dumps(honest("en", copy=source)).encode()
        with Sandbox(ResourceLimits(cell_seconds=1.0, call_seconds=0.5, total_seconds=20.0)) as sandbox:
            assert assess(data, ASSIGNMENT, sandbox).points == FULL - OF_COPY
