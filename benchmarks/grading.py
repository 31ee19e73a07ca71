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
        if options.scaling:
            scaling(ours, options.students)
        plain_rate, our_rate = (statistics.median(rates) for rates in zip(*rounds, strict=True))
        print(
            f"points of {options.students} submissions: {'equal' if same else 'DIFFERENT'} in both gradebooks"
        )
        print(f"{plain_rate:.1f} submissions a minute by plain nbgrader, {our_rate:.1f} by course grade")
        print(f"ratio {our_rate / plain_rate:.1f} (isolated, {workers()} workers; plain nbgrader runs one)")


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
    make_ours(ours)
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


def make_ours(ours: Path) -> None:
    """A course folder with the lesson released."""
    ours.mkdir()
    shutil.copytree(ROOT / "source", ours / "source")
    shutil.copy(ROOT / "nbgrader_config.py", ours)
    release.release(CourseFolder(ours), [LESSON])


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


def one_round(plain: Path, ours: Path, options: argparse.Namespace) -> tuple[float, float]:
    """Submissions a minute by both, each from the start of its command to the end."""
    rates = []
    for name, command in (("plain nbgrader", _plain_command()), ("course grade", _our_command())):
        folder = plain if name.startswith("plain") else ours
        started = time.perf_counter()
        _run(folder, command)
        seconds = time.perf_counter() - started
        rates.append(options.students / seconds * 60)
        print(
            f"{name}: {options.students} in {seconds:.1f} s, {seconds / options.students * 1e3:.0f} ms each",
            flush=True,
        )
    return rates[0], rates[1]


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
    """Where the time of one submission goes, beside fork-and-run alone: a process is forked and runs the
    cells."""
    bundle = CourseFolder(ours).assignment(LESSON)
    data = (ours / "submitted" / f"s{min(6, students - 1):03d}" / LESSON / f"{LESSON}.ipynb").read_bytes()
    with Sandbox() as sandbox:
        for _ in range(2):
            assess(data, bundle, sandbox)
        whole = _median(lambda: assess(data, bundle, sandbox))
        rebuild = _median(lambda: HandIn.of(data, bundle))
        rebuilt = HandIn.of(data, bundle).rebuilt
        pieces = [piece.runs for piece in rebuilt.pieces if piece.is_students and piece.runs]
        forked = _median(lambda: sandbox.student().ask(_order("0"), 10))
        alone = _median(lambda: _fork_and_run(sandbox, pieces))
    print(f"one submission: {whole:.1f} ms, of which reading and rebuilding {rebuild:.1f} ms")
    print(
        f"a process of its own, forked and answering: {forked:.1f} ms; "
        f"fork-and-run of the student's cells alone: {alone:.1f} ms"
    )
    print(f"the rest, {whole - rebuild - 2 * alone:.1f} ms: other cells twice, visible checks, hidden tests")


def _order(source: str) -> dict:
    return {"do": "run", "source": source, "quiet": True, "definitions_only": False}


def _fork_and_run(sandbox: Sandbox, sources: list[str]) -> None:
    process = sandbox.student()
    process.ask(_order("from collections.abc import Sequence\nfrom helpers import checks"), 10)
    for source in sources:
        process.ask(_order(source), 10)


def _median(task: object, times: int = 15) -> float:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        task()
        taken.append((time.perf_counter() - started) * 1e3)
    return statistics.median(taken)


def scaling(ours: Path, students: int) -> None:
    """1 and 2 workers, local and on a cluster: rate from the first outcome on, efficiency, memory."""
    settings = GradingSettings(CourseFolder(ours).assignment(LESSON))
    paths = sorted((ours / "submitted").glob(f"*/{LESSON}/{LESSON}.ipynb"))
    tasks = [(path.parent.parent.name, path.read_bytes()) for path in paths]
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
        return _steady_rate(Cluster(address, settings), tasks)


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
