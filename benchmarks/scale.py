"""How large a class the coordinator, the gradebook and the report take, by replay.

Some submissions are graded, and their outcomes are written down for as many students as asked for, into a
PostgreSQL server of the script's own.

    python benchmarks/scale.py                                  # 1,000 and 10,000 submissions
    python benchmarks/scale.py --submissions 10000 100000
    python benchmarks/scale.py --sqlite                         # into a file instead
    python benchmarks/scale.py --quick                          # the smallest form: 12 submissions

Everything happens in a temporary folder: 10,000 submissions take 1 GB of it.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import glob
import hashlib
import json
import os
import pickle
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from grading import LESSON, ROOT, make_course, submission

from course.grading import grade, graders
from course.grading.grading_run import GradingOptions
from course.grading.pool import GradingSettings, Outcome, Pool, Task
from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

RECORD = "outcomes.pickle"
KINDS = 12  # different submissions, each replayed for every twelfth student
MEGABYTE = 1_000_000


def main() -> None:
    options = _options()
    if options.replay:
        replay(Path(options.replay[0]), options.replay[1])
        return
    reason = unavailable() or (None if options.sqlite else _no_server())
    if reason:
        print(f"skipped: {reason}")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the server is ended then too
    for count in options.submissions:
        with tempfile.TemporaryDirectory(prefix="scale-") as space, _gradebook(options.sqlite) as url:
            ours = Path(space, "course")
            make_class(ours, count)
            steps(ours, count, url)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--submissions", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--sqlite", action="store_true", help="a file instead of a PostgreSQL server")
    parser.add_argument("--quick", action="store_true", help="the smallest form: --submissions 12")
    parser.add_argument("--replay", nargs=2, metavar=("COURSE", "URL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.submissions = [KINDS] if options.quick else options.submissions
    if min(options.submissions) < 1:
        parser.error(f"--submissions must be >= 1, got {min(options.submissions)}")
    return options


def make_class(ours: Path, count: int) -> None:
    """A course whose students have handed in; what they handed in is a name, since it is not graded again."""
    make_course(ours)
    for number in range(count):
        path = ours / "submitted" / f"s{number:07d}" / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"number": number}))


def steps(ours: Path, count: int, url: str) -> None:
    """Replay, then what is made of the class, each as a process of its own."""
    rest = ["--gradebook", url]
    table = ours.parent / "class.csv"
    (ours / RECORD).write_bytes(pickle.dumps(outcomes(CourseFolder(ours))))
    seconds = _measured("coordinator and gradebook", count, [__file__, "--replay", str(ours), url], ours)
    rows = _rows(url)
    print(f"  {rows} rows, {rows / seconds:.0f} a second", flush=True)
    again = ["-c", "from course.cli import main; main()"]
    _measured("nothing new to grade", count, [*again, "grade", LESSON, *rest], ours)
    _measured("report and table", count, [*again, "report", LESSON, "--csv", str(table), *rest], ours)
    _measured("feedback", count, [*again, "feedback", LESSON, *rest], ours)


def _measured(name: str, count: int, words: list[str], folder: Path) -> float:
    """Run a Python program; say its seconds, processor seconds, rate and peak memory, itself alone."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        running = subprocess.Popen(
            [sys.executable, *words], cwd=folder, env=environment, stdout=said, stderr=said
        )
        _, status, used = os.wait4(running.pid, 0)
        seconds = time.perf_counter() - started
        running.returncode = os.waitstatus_to_exitcode(status)
        if status:
            said.seek(0)
            print(f"{name}, {count} submissions: FAILED\n{said.read()[-1500:].decode(errors='replace')}")
    busy = used.ru_utime + used.ru_stime
    print(
        f"{name}, {count} submissions: {seconds:.1f} s, {busy:.1f} processor seconds, "
        f"{count / seconds:.0f} a second, peak {used.ru_maxrss * 1024 / MEGABYTE:.0f} MB",
        flush=True,
    )
    return seconds


def replay(ours: Path, url: str) -> None:
    """The coordinator as it is, with outcomes from a record in the place of workers."""
    folder = CourseFolder(ours)
    recorded = Recorded(pickle.loads((ours / RECORD).read_bytes()))
    graders.of = lambda settings, options, tasks: recorded
    grade.grade(folder, LESSON, options=GradingOptions(gradebook=url))


def outcomes(folder: CourseFolder) -> list[Outcome]:
    """The reference and some submissions, graded in the sandbox."""
    languages = [submission(folder.root, number) for number in range(KINDS)]
    tasks = [(f"{number:02d}", json.dumps(found).encode()) for number, found in enumerate(languages, 1)]
    tasks.insert(0, ("00", folder.master(LESSON).read_bytes()))
    with Pool(GradingSettings(folder.assignment(LESSON)), 2) as pool:
        return [outcome for _, outcome in sorted(pool.run(tasks), key=lambda pair: pair[0])]


@dataclasses.dataclass
class Recorded:
    """Workers that need no time."""

    outcomes: list[Any]

    def __enter__(self) -> Recorded:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, submissions: Iterable[Task]) -> Iterator[tuple[str, Outcome]]:
        """The reference's outcome for the reference, and for students one after the other."""
        for number, (name, data) in enumerate(submissions):
            found = self.outcomes[1 + number % KINDS] if name else self.outcomes[0]
            yield name, dataclasses.replace(found, submission_sha256=hashlib.sha256(data).hexdigest())


def _rows(url: str) -> int:
    from sqlalchemy import MetaData, create_engine, func, select

    tables, engine = MetaData(), create_engine(url)
    names = ("student", "submitted_assignment", "submitted_notebook", "grade", "comment")
    tables.reflect(engine, only=names)
    with engine.connect() as connection:
        counts = (select(func.count()).select_from(tables.tables[name]) for name in names)
        found = sum(connection.execute(count).scalar() for count in counts)
    engine.dispose()
    return found


def _program(name: str) -> str | None:
    """Debian keeps the server's programs off the path."""
    found = [shutil.which(name), *sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))]
    return next((os.path.realpath(path) for path in found if path), None)


def _no_server() -> str | None:
    if _program("initdb") is None:
        return "PostgreSQL is not installed"
    return "PostgreSQL does not run as root" if os.geteuid() == 0 and not shutil.which("setpriv") else None


@contextlib.contextmanager
def _gradebook(sqlite: bool) -> Iterator[str]:
    """The URL of an empty database; a server is ended by its own program."""
    with tempfile.TemporaryDirectory(prefix="scale-database-") as space:
        if sqlite:
            yield f"sqlite:///{space}/gradebook.db"
            return
        drop = _given_away(Path(space))
        data = f"{space}/data"
        how = ["-U", "course", "-A", "trust", "-E", "UTF8", "--locale=C"]
        _quiet([*drop, _program("initdb"), "-D", data, *how])
        control = [*drop, _program("pg_ctl"), "-D", data, "-w"]
        port = _free_port()
        where = f"-p {port} -k '' -c listen_addresses=127.0.0.1"
        _quiet([*control, "-l", f"{space}/log", "-o", where, "start"])
        try:
            yield f"postgresql+psycopg://course@127.0.0.1:{port}/postgres"
        finally:
            _quiet([*control, "-m", "fast", "stop"])


def _given_away(space: Path) -> list[str]:
    """The server does not run as root: how its programs are started instead."""
    if os.geteuid() != 0:
        return []
    owner = pwd.getpwnam("nobody")
    os.chown(space, owner.pw_uid, owner.pw_gid)
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]


def _quiet(command: list[str]) -> None:
    """pg_ctl's server keeps what it inherits open: it gets nothing."""
    done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"{command[-1]} failed")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


if __name__ == "__main__":
    main()
