"""How fast a class is graded: plain `nbgrader autograde` and `course grade` on the same submissions, in
turns.

    python benchmarks/grading.py                      # 60 submissions, two rounds
    python benchmarks/grading.py --students 12 --rounds 1 --scaling
    python benchmarks/grading.py --quick              # the smallest form: one submission, one round

Everything happens in a temporary folder. Plain nbgrader runs students' code unguarded: the class is our own.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from course.authoring import release  # noqa: E402
from course.grading.assessment import assess  # noqa: E402
from course.grading.pool import GradingSettings, Pool, workers  # noqa: E402
from course.lesson import cells  # noqa: E402
from course.lesson.folder import CourseFolder  # noqa: E402
from course.sandbox.sandbox import Sandbox, unavailable  # noqa: E402
from course.submission.hand_in import HandIn  # noqa: E402

LESSON = "iteration-budget"
STRICT = "c.Examine.follow_through = False\n"  # plain nbgrader knows of none
PLAIN = """
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.course_id = "plain"
"""
MISTAKES = {
    "cost": ("* 1e9) * 1e3", "* 2**30) * 1e3"),
    "bounds": ("// ", "/ "),
    "knee": ("<", "<="),
}


def main() -> None:
    options = _options()
    if unavailable() is not None:
        print(f"skipped: {unavailable()}")
        return
    with tempfile.TemporaryDirectory(prefix="grading-") as space:
        plain, ours = Path(space, "plain"), Path(space, "ours")
        make_courses(plain, ours, options.students)
        rounds = [one_round(plain, ours, options) for _ in range(options.rounds)]
        same = points(plain) == points(ours)
        anatomy(ours, options.students)
        for size in (1, 2):
            processor_seconds(ours, size)
        if options.scaling:
            scaling(ours, options.students)
        plain_rate, our_rate, every = (statistics.median(rates) for rates in zip(*rounds, strict=True))
        print(
            f"points of {options.students} submissions: {'equal' if same else 'DIFFERENT'} in both gradebooks"
        )
        print(
            f"{plain_rate:.1f} submissions a minute by plain nbgrader, {our_rate:.1f} by course grade, "
            f"{every:.1f} with --every-cell"
        )
        print(
            f"ratio {our_rate / plain_rate:.1f}; like for like, every cell run, {every / plain_rate:.1f} "
            f"(isolated, {workers()} workers; plain nbgrader runs one)"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--scaling", action="store_true", help="1 and 2 workers, local and on a Dask cluster")
    parser.add_argument("--quick", action="store_true", help="the smallest form: --students 1 --rounds 1")
    options = parser.parse_args()
    if options.quick:
        options.students = options.rounds = 1
    for name in ("students", "rounds"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be >= 1, got {getattr(options, name)}")
    return options


def make_courses(plain: Path, ours: Path, students: int) -> None:
    """The same lesson and the same class twice: for plain nbgrader, and for us."""
    make_course(ours)
    plain.mkdir()
    shutil.copytree(ROOT / "source" / "zh" / LESSON, plain / "source" / LESSON)
    (plain / "nbgrader_config.py").write_text(PLAIN.format(root=str(plain)), encoding="utf-8")
    _nbgrader(plain, "generate_assignment", LESSON)
    for number in range(students):
        data = json.dumps(submission(ours, number), ensure_ascii=False).encode()
        for folder in (plain, ours):
            path = folder / "submitted" / f"s{number:03d}" / LESSON / f"{LESSON}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(data)


def make_course(folder: Path) -> None:
    """The course's own lesson, released."""
    folder.mkdir()
    shutil.copytree(ROOT / "source", folder / "source")
    config = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    (folder / "nbgrader_config.py").write_text(f"{config}{STRICT}", encoding="utf-8")
    release.release(CourseFolder(folder), [LESSON])


def submission(course: Path, number: int) -> dict:
    """Every second one in English; of six, three are right, and three have one thing wrong."""
    language = ("zh", "en")[number % 2]
    notebook = json.loads((course / "release" / language / LESSON / f"{LESSON}.ipynb").read_text("utf-8"))
    master = json.loads((course / "source" / language / LESSON / f"{LESSON}.ipynb").read_text("utf-8"))
    answers = {cell["id"]: cells.source(cell) for cell in master["cells"]}
    wrong = (*MISTAKES, None, None, None)[number // 2 % 6]
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            source = re.sub(r"^ *### (?:BEGIN|END) SOLUTION\n?", "", answers[cell["id"]], flags=re.MULTILINE)
            cell["source"] = source.replace(*MISTAKES[wrong]) if cell["id"] == wrong else source
            cell["source"] += f"\n# {number}"
    return notebook


def one_round(plain: Path, ours: Path, options: argparse.Namespace) -> tuple[float, float, float]:
    """Submissions a minute by each, from the start of its command to the end. Our points are those of the run
    that skips cells."""
    ways = (
        ("plain nbgrader", plain, _plain_command()),
        ("course grade --every-cell", ours, [*_our_command(), "--every-cell"]),
        ("course grade", ours, _our_command()),
    )
    rates = {}
    for name, folder, command in ways:
        started = time.perf_counter()
        _run(folder, command)
        seconds = time.perf_counter() - started
        rates[name] = options.students / seconds * 60
        print(
            f"{name}: {options.students} in {seconds:.1f} s, {seconds / options.students * 1e3:.0f} ms each",
            flush=True,
        )
    return rates["plain nbgrader"], rates["course grade"], rates["course grade --every-cell"]


def _plain_command() -> list[str]:
    return [sys.executable, "-m", "nbgrader", "autograde", LESSON, "--force"]


def _our_command() -> list[str]:
    start = "from course.cli import main; main()"
    return [sys.executable, "-c", start, "grade", LESSON, "--regrade"]


def _nbgrader(folder: Path, *words: str) -> None:
    _run(folder, [sys.executable, "-m", "nbgrader", *words])


def _run(folder: Path, command: list[str]) -> None:
    commands = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])


def points(folder: Path) -> dict[str, dict[str, float]]:
    """Every student's automatic points, by the name of the cell."""
    with contextlib.closing(sqlite3.connect(folder / "gradebook.db")) as book:
        rows = book.execute(
            "SELECT sa.student_id, c.name, g.auto_score FROM grade g JOIN base_cell c ON c.id = g.cell_id "
            "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        ).fetchall()
    found: dict[str, dict[str, float]] = {}
    for student, cell, score in rows:
        found.setdefault(student, {})[cell] = score
    return found


def anatomy(ours: Path, students: int) -> None:
    """Where the processor's time goes in one submission: here, and in the student's processes."""
    bundle = CourseFolder(ours).assignment(LESSON)
    data = (ours / "submitted" / f"s{min(6, students - 1):03d}" / LESSON / f"{LESSON}.ipynb").read_bytes()
    rebuilt = HandIn.of(data, bundle).rebuilt
    pieces = [piece.runs for piece in rebuilt.pieces if piece.is_students and piece.runs]
    with Sandbox() as sandbox:
        for _ in range(2):
            assess(data, bundle, sandbox)
        whole = _processor_ms(lambda: assess(data, bundle, sandbox), sandbox)
        every = _processor_ms(lambda: assess(data, bundle, sandbox, every_cell=True), sandbox, 3)
        forked = _processor_ms(lambda: sandbox.student().ask(_order("0"), 10), sandbox)
        alone = _processor_ms(lambda: _fork_and_run(sandbox, pieces), sandbox)
        rebuild = _processor_ms(lambda: HandIn.of(data, bundle), sandbox)
    print(f"one submission, in processor ms: {sum(whole):.0f} ({sum(every):.0f} with --every-cell)")
    print(
        f"  trusted: {whole[0]:.0f}, of which reading and rebuilding {rebuild[0]:.1f}, "
        "the rest hidden tests, messages and outputs"
    )
    print(
        f"  in the student's two processes: {whole[1]:.0f}, of which "
        f"forking and isolating {2 * forked[1]:.0f}, the student's own cells "
        f"{2 * (alone[1] - forked[1]):.0f}, the rest other cells and answers"
    )


def _processor_ms(task: object, sandbox: Sandbox, times: int = 20) -> tuple[float, float]:
    """What a task takes here and in the sandbox, a time."""
    here, there = time.process_time(), _sandbox_seconds(sandbox)
    for _ in range(times):
        task()
    sandbox.student()  # the one before it is counted once it has ended
    here, there = time.process_time() - here, _sandbox_seconds(sandbox) - there
    return here / times * 1e3, there / times * 1e3


def _sandbox_seconds(sandbox: Sandbox) -> float:
    """What everything under the sandbox has used until now."""
    return _tree_seconds(sandbox._server.pid) if sandbox._server else 0.0


def _tree_seconds(pid: int) -> float:
    import psutil

    first = psutil.Process(pid)
    return sum(_used_seconds(process) for process in (first, *first.children(recursive=True)))


def _used_seconds(process: object) -> float:
    """Its own time, and that of children which have ended."""
    import psutil

    with contextlib.suppress(psutil.Error):
        used = process.cpu_times()
        return used.user + used.system + used.children_user + used.children_system
    return 0.0


def processor_seconds(ours: Path, size: int) -> None:
    """Processor time a submission: of the coordinator, of so many trusted workers, of students' processes."""
    import psutil

    tasks, parts = _tasks(ours), []
    with Pool(GradingSettings(CourseFolder(ours).assignment(LESSON)), size) as pool:
        for number, _ in enumerate(pool.run([*tasks[: 2 * size], *tasks]), 1):
            if number in (min(2 * size, len(tasks)), len(tasks) + min(2 * size, len(tasks))):
                roots = [psutil.Process(worker.process.pid) for worker in pool._workers]
                trusted = sum(_used_seconds(root) for root in roots)
                below = [child for root in roots for child in root.children(recursive=True)]
                parts.append((time.process_time(), trusted, sum(map(_used_seconds, below))))
    spent = [(after - before) / len(tasks) * 1e3 for before, after in zip(*parts, strict=True)]
    print(
        f"{size} worker{'s' * (size > 1)}: {sum(spent):.0f} processor ms a submission: "
        f"coordinator {spent[0]:.1f}, trusted workers {spent[1]:.0f}, students' processes {spent[2]:.0f}",
        flush=True,
    )


def _tasks(ours: Path) -> list[tuple[str, bytes]]:
    paths = sorted((ours / "submitted").glob(f"*/{LESSON}/{LESSON}.ipynb"))
    return [(path.parent.parent.name, path.read_bytes()) for path in paths]


def _order(source: str) -> dict:
    return {"do": "run", "source": source, "quiet": True, "definitions_only": False}


def _fork_and_run(sandbox: Sandbox, sources: list[str]) -> None:
    process = sandbox.student()
    process.ask(_order("from collections.abc import Sequence\nfrom helpers import checks"), 10)
    for source in sources:
        process.ask(_order(source), 10)


def scaling(ours: Path, students: int) -> None:
    """1 and 2 workers, local and on a cluster: rate from the first outcome on, efficiency, memory."""
    settings = GradingSettings(CourseFolder(ours).assignment(LESSON))
    tasks = _tasks(ours)
    rates = {size: _steady_rate(Pool(settings, size), tasks) for size in (1, 2)}
    _say_scaling("local workers", rates)
    print(f"memory of one worker with its sandbox: {_worker_megabytes(settings, tasks):.0f} MB")
    ideal = rates[2] / 2 * 16
    print(f"at that rate a worker, 16 workers grade 10,000 submissions in {10_000 / ideal * 60:.0f} s")
    with contextlib.redirect_stderr(io.StringIO()):
        _say_scaling("Dask workers", {size: _dask_rate(settings, tasks, size) for size in (1, 2)})


def _say_scaling(name: str, rates: dict[int, float]) -> None:
    efficiency = rates[2] / rates[1] / 2
    print(
        f"{name}: {rates[1]:.0f} a minute by 1, {rates[2]:.0f} by 2; efficiency {efficiency:.0%}", flush=True
    )


def _steady_rate(pool: object, tasks: list[tuple[str, bytes]]) -> float:
    """Submissions a minute once everyone is at work: the start is paid once, whatever the size of the
    class."""
    warm = 2 * getattr(pool, "size", 2)
    with pool:
        for number, _ in enumerate(pool.run([*tasks[:warm], *tasks])):
            if number == warm - 1:
                started = time.perf_counter()
        return len(tasks) / (time.perf_counter() - started) * 60


def _dask_rate(settings: GradingSettings, tasks: list[tuple[str, bytes]], size: int) -> float:
    from course.grading.cluster import Cluster

    with _dask(size) as address:
        return _steady_rate(Cluster(address, settings, len(tasks)), tasks)


@contextlib.contextmanager
def _dask(size: int) -> Iterator[str]:
    from distributed import LocalCluster

    os.environ["PYTHONPATH"] = str(ROOT)
    with LocalCluster(
        n_workers=size, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def _worker_megabytes(settings: GradingSettings, tasks: list[tuple[str, bytes]]) -> float:
    import psutil

    with Pool(settings, 1) as pool:
        for number, _ in enumerate(pool.run(tasks[:6])):
            if number == 4:
                root = psutil.Process(pool._workers[0].process.pid)
                family = [root, *root.children(recursive=True)]
                return sum(_private_bytes(process) for process in family) / 1e6
    raise AssertionError


def _private_bytes(process: object) -> int:
    import psutil

    with contextlib.suppress(psutil.Error):
        return process.memory_full_info().pss
    return 0


if __name__ == "__main__":
    main()
