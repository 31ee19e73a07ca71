"""How much memory a class takes: the peaks of `course grade` and `course report`, some of the class hostile.

    python benchmarks/memory.py                       # 300 submissions, ten of them hostile
    python benchmarks/memory.py --students 30
    python benchmarks/memory.py --quick               # the smallest form: two submissions, one hostile

The hostile ones print, return, raise, hand in and hold as much as they can. Everything happens in a temporary
folder; students' code runs in its sandbox. Each peak is the system's own (VmHWM), looked up while the process
lives; "together" is what all processes of a command held at one moment, shared pages counted once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from grading import LESSON, make_course, points, submission

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

ROOT = Path(__file__).resolve().parents[1]
LOOK_SECONDS = 0.1
FEWEST_STUDENTS = 2
MOST_HOSTILE = 10
WORKER, SANDBOX = "spawn_main", "fork_server"
FUNCTION = "estimate_iteration_cost"
# What stands in the place of the first answer.
HOSTILE_CODE = (
    "print('x' * 60_000_000)",
    "held = []\nwhile True:\n    held.append(bytearray(10**7))",
    f"def {FUNCTION}(*a, **k):\n    return list(range(10**6))",
    f"def {FUNCTION}(*a, **k):\n    raise ValueError('x' * 10**7)",
    "import os\nwhile True:\n    os.fork()",
    "import socket\nheld = []\nwhile True:\n    a, b = socket.socketpair()\n    a.setblocking(False)\n"
    "    held.append((a, b))\n    a.send(bytes(200_000))",
    "from IPython.display import HTML\nfor _ in range(3_000):\n    display(HTML('<b>x</b>' * 3_000))",
)


def _long_series(notebook: dict) -> None:
    """A result file as long as one may be."""
    series = ",".join(["0"] * 99_000)
    result = f'{{"schema_version": "inference-mechanism-gpu/v3", "workload": {{"series": [{series}]}}}}'
    notebook["metadata"].setdefault("iteration_budget", {})["results"] = {"mine.json": result}


def _large_file(notebook: dict) -> None:
    """Outputs that nearly fill the largest file that is read."""
    stream = {"output_type": "stream", "name": "stdout", "text": "x" * 30_000_000}
    notebook["cells"][1].setdefault("outputs", []).append(stream)


def _many_cells(notebook: dict) -> None:
    """As many cells as are read, each with as many names as fit."""
    source = "\n".join(f"name_{number} = {number}" for number in range(200))
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
    notebook["cells"] += [{**cell, "id": f"more-{number}"} for number in range(900)]


HOSTILE_FILES: tuple[Callable[[dict], None], ...] = (_long_series, _large_file, _many_cells)


@dataclass
class Peaks:
    """The most bytes that a command's process, one of its workers, one of its sandboxes and all together
    held."""

    by_kind: dict[str, int] = field(default_factory=dict)
    together: int = 0
    seconds: float = 0.0

    def look(self, program: psutil.Process) -> None:
        """See what its processes have held at most so far, and hold now."""
        held = 0
        for process in [program, *program.children(recursive=True)]:
            with contextlib.suppress(psutil.Error, OSError, KeyError):
                words = " ".join(process.cmdline())
                kind = "worker" if WORKER in words else "sandbox" if SANDBOX in words else "command"
                kind = kind if process == program or kind != "command" else "other"
                self.by_kind[kind] = max(self.by_kind.get(kind, 0), _peak_bytes(process.pid))
                held += process.memory_full_info().pss
        self.together = max(self.together, held)


def main() -> None:
    options = _options()
    if unavailable() is not None:
        print(f"skipped: {unavailable()}")
        return
    with tempfile.TemporaryDirectory(prefix="memory-") as space:
        folder = Path(space, "course")
        hostile = make_class(folder, options.students)
        graded = measured(folder, "grade", LESSON)
        reported = measured(folder, "report", LESSON)
        whole = CourseFolder(folder).assignment(LESSON).max_points
        full = sum(sum(cells.values()) == whole for cells in points(folder).values())
    print(f"{options.students} submissions, {hostile} of them hostile; {full} with all points")
    _say("course grade", graded, ("command", "worker", "sandbox"))
    _say("course report", reported, ("command",))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--quick", action="store_true", help="the smallest form: --students 2")
    options = parser.parse_args()
    if options.quick:
        options.students = FEWEST_STUDENTS
    if options.students < FEWEST_STUDENTS:
        parser.error(f"--students must be >= {FEWEST_STUDENTS}, got {options.students}")
    return options


def make_class(folder: Path, students: int) -> int:
    """A course and its class; returns how many of it are hostile."""
    make_course(folder)
    count = min(MOST_HOSTILE, students // 2)
    for number in range(students):
        notebook = submission(folder, number)
        if number < count:
            _turn_hostile(notebook, number)
        path = CourseFolder(folder).submitted(f"s{number:03d}", LESSON)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")
    return count


def _turn_hostile(notebook: dict, number: int) -> None:
    deeds = len(HOSTILE_CODE) + len(HOSTILE_FILES)
    if number % deeds < len(HOSTILE_CODE):
        answers = (cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("solution"))
        next(answers)["source"] = HOSTILE_CODE[number % deeds]
    else:
        HOSTILE_FILES[number % deeds - len(HOSTILE_CODE)](notebook)


def measured(folder: Path, *words: str) -> Peaks:
    """Run `course` with these words to its end, and look at its memory meanwhile."""
    start = "from course.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    peaks, started = Peaks(), time.perf_counter()
    with tempfile.TemporaryFile() as said:
        program = subprocess.Popen(
            [sys.executable, "-c", start, *words], cwd=folder, env=environment, stdout=said, stderr=said
        )
        while program.poll() is None:
            with contextlib.suppress(psutil.Error):
                peaks.look(psutil.Process(program.pid))
            time.sleep(LOOK_SECONDS)
        if program.returncode:
            said.seek(0)
            sys.exit(said.read().decode(errors="replace")[-2000:])
    peaks.seconds = time.perf_counter() - started
    return peaks


def _peak_bytes(pid: int) -> int:
    """The most that a process has held at any moment."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    return 1024 * int(found["VmHWM"].split()[0])


def _say(name: str, peaks: Peaks, kinds: tuple[str, ...]) -> None:
    parts = [f"{kind} {peaks.by_kind.get(kind, 0) / 1e6:.0f} MB" for kind in kinds]
    print(
        f"{name}: {', '.join(parts)} at most; together {peaks.together / 1e6:.0f} MB ({peaks.seconds:.0f} s)"
    )


if __name__ == "__main__":
    main()
