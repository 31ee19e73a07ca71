"""Runs of `course grade`: cut off, repeated, narrowed, by nbgrader's own command, elsewhere, into another
database."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import pwd
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import copying
import pytest
import small
from copying import FULL, LESSON, OF_COPY, OF_STOP, blank, honest, useless

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
CLASS = {
    "a-lin": (lambda: honest("zh"), FULL),
    "b-maria": (lambda: honest("en"), FULL),
    "c-blank": (lambda: blank("en"), 0.0),
    "d-useless": (useless, 0.0),
    "e-half": (lambda: honest("zh", copy="def copy_time(*a, **k):\n    return 1"), FULL - OF_COPY),
    "f-wu": (lambda: honest("en", stop="1 / 0"), FULL - OF_STOP - 2),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A released course with a class's submissions, not graded yet."""
    made = copying.course(tmp_path_factory.mktemp("template") / "course")
    small.run(made, "release", LESSON)
    for student, (notebook, _) in CLASS.items():
        small.hand_in(made, student, notebook())
    return made


@pytest.fixture
def course(template: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(template, tmp_path / "course")


@pytest.fixture(scope="module")
def undisturbed(template: CourseFolder, tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """The same course graded in one run."""
    made = small.again(template, tmp_path_factory.mktemp("undisturbed") / "course")
    small.run(made, "grade", LESSON)
    return made


def graded(course: CourseFolder, student: str) -> str:
    """The text of the graded notebook."""
    return course.autograded(student, LESSON).read_text("utf-8")


def expected() -> dict[str, float]:
    return {student: worth for student, (_, worth) in CLASS.items()}


def test_a_class_gets_its_points(undisturbed: CourseFolder) -> None:
    assert small.points(undisturbed.gradebook) == expected()


def test_a_second_run_grades_nobody_anew(undisturbed: CourseFolder) -> None:
    logs = {path: path.stat().st_mtime_ns for path in undisturbed.root.rglob("graded.json")}
    assert "6 unchanged" in small.run(undisturbed, "grade", LESSON)
    assert {path: path.stat().st_mtime_ns for path in undisturbed.root.rglob("graded.json")} == logs


def test_a_new_version_is_graded_and_the_others_are_kept(course: CourseFolder) -> None:
    small.run(course, "grade", LESSON)
    small.hand_in(course, "c-blank", honest("en"))
    assert "5 unchanged" in small.run(course, "grade", LESSON)
    assert small.points(course.gradebook) == {**expected(), "c-blank": FULL}


def test_only_names_who_is_graded(course: CourseFolder) -> None:
    small.run(course, "grade", LESSON, "--only", "b-maria")
    assert small.points(course.gradebook) == {"b-maria": FULL}


def test_since_leaves_out_what_did_not_change(course: CourseFolder) -> None:
    for student in CLASS:
        path = course.submitted(student, LESSON)
        if student != "e-half":
            os.utime(path, (1_500_000_000, 1_500_000_000))
    small.run(course, "grade", LESSON, "--since", "2020-01-01")
    assert set(small.points(course.gradebook)) == {"e-half"}
    assert "2020-13" in small.run(course, "grade", LESSON, "--since", "2020-13-01", expect=2)


def test_manual_scores_survive_and_the_gradebook_is_copied_first(course: CourseFolder) -> None:
    small.run(course, "grade", LESSON)
    with contextlib.closing(sqlite3.connect(course.gradebook)) as book:
        book.execute(
            "UPDATE grade SET manual_score = 0.5, extra_credit = 2 WHERE id IN (SELECT id FROM grade LIMIT 3)"
        )
        book.execute("UPDATE comment SET manual_comment = 'well done'")
        book.commit()
    manual = [small.scores(course.gradebook, what) for what in ("manual_score", "extra_credit")]
    before = small.scores(course.gradebook)
    small.run(course, "grade", LESSON, "--regrade")
    assert [small.scores(course.gradebook, what) for what in ("manual_score", "extra_credit")] == manual
    assert small.scores(course.gradebook) == before
    copies = sorted(course.root.glob("gradebook.db.before-*"))
    assert small.scores(copies[-1], "manual_score") == manual[0]


def test_a_lost_gradebook_is_filled_again(course: CourseFolder) -> None:
    small.run(course, "grade", LESSON)
    (course.gradebook).unlink()
    small.run(course, "grade", LESSON)
    assert small.points(course.gradebook) == expected()


def test_two_runs_at_a_time_are_refused(course: CourseFolder) -> None:
    import fcntl

    with (course.root / ".grading.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "Another" in small.run(course, "grade", LESSON, expect=2)


def test_ctrl_c_keeps_what_is_graded(course: CourseFolder) -> None:
    running = small.start(course, "grade", LESSON)
    _wait_for(lambda: any((course.root / "autograded").rglob("graded.json")) or running.poll() is not None)
    running.send_signal(signal.SIGINT)
    assert running.wait(60) in (0, 130)
    kept = small.points(course.gradebook)
    assert kept
    small.run(course, "grade", LESSON)
    assert small.points(course.gradebook) == expected()


def test_kill_minus_nine_at_any_moment_changes_nothing_in_the_end(
    course: CourseFolder, undisturbed: CourseFolder
) -> None:
    dice = random.Random(4)
    for _ in range(int(os.environ.get("KILLS", "3"))):
        running = small.start(course, "grade", LESSON, "--regrade" if dice.random() < 0.5 else "--workers=1")
        time.sleep(dice.uniform(0.3, 4.0))
        os.killpg(running.pid, signal.SIGKILL) if dice.random() < 0.5 else running.kill()
        running.wait()
    small.run(course, "grade", LESSON)
    assert small.scores(course.gradebook) == small.scores(undisturbed.gradebook)
    for student in CLASS:
        assert graded(course, student) == graded(undisturbed, student)
    assert not list((course.root / "autograded").rglob(".*.part"))


def test_a_worker_that_is_killed_takes_no_submission_with_it(course: CourseFolder) -> None:
    import psutil

    running = small.start(course, "grade", LESSON)
    tree = psutil.Process(running.pid)
    _wait_for(lambda: _workers(tree) or running.poll() is not None)
    for worker in _workers(tree)[:1]:
        worker.kill()
    assert running.wait(120) == 0
    assert small.points(course.gradebook) == expected()


def _workers(tree: object) -> list:
    import psutil

    with contextlib.suppress(psutil.Error):
        return [child for child in tree.children() if "spawn_main" in " ".join(child.cmdline())]
    return []


def _wait_for(condition: object, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)


def test_nbgraders_own_command_takes_the_same_way(course: CourseFolder, undisturbed: CourseFolder) -> None:
    """formgrader's Autograde button runs the same converter with the same configuration."""
    command = [sys.executable, "-m", "nbgrader", "autograde", LESSON]
    done = subprocess.run(
        command, cwd=course.root, env=small.environment(), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert small.scores(course.gradebook) == small.scores(undisturbed.gradebook)
    ours, theirs = (json.loads(graded(each, "e-half")) for each in (undisturbed, course))
    errors = [
        [
            output["evalue"]
            for cell in notebook["cells"]
            for output in cell.get("outputs", [])
            if "evalue" in output
        ]
        for notebook in (ours, theirs)
    ]
    assert errors[0] == errors[1]


def test_without_a_sandbox_grading_is_refused_unless_trusted(course: CourseFolder) -> None:
    path = course.root / "bin"
    path.mkdir()
    for name in ("sh", "env"):
        (path / name).symlink_to(shutil.which(name))
    command = small.command("grade", LESSON, "--only", "e-half")
    without = {**small.environment(), "PATH": str(path)}
    done = subprocess.run(command, cwd=course.root, env=without, capture_output=True, text=True, timeout=600)
    assert done.returncode == 2
    assert "install bubblewrap" in done.stderr
    assert "--trust-submissions" in done.stderr
    done = subprocess.run(
        [*command, "--trust-submissions"],
        cwd=course.root,
        env=without,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "unguarded" in done.stdout
    assert small.points(course.gradebook) == {"e-half": FULL - OF_COPY}
    log = json.loads((course.autograded("e-half", LESSON).with_name("graded.json")).read_text("utf-8"))
    assert log["isolated"] is False


@contextlib.contextmanager
def dask(space: Path, count: int) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """A scheduler and workers, started as an administrator would; workers have no course folder."""
    port = _free_port()
    address = f"tcp://127.0.0.1:{port}"
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "cwd": space,
        "env": small.environment(),
    }
    started = [
        subprocess.Popen(_dask_command("dask_scheduler", "--port", str(port), "--no-dashboard"), **quiet)
    ]
    try:
        for _ in range(count):
            words = (address, "--nthreads", "1", "--no-dashboard", "--local-directory", str(space))
            started.append(
                subprocess.Popen(_dask_command("dask_worker", *words), start_new_session=True, **quiet)
            )
        _wait_for(lambda: _workers_of(address) >= count)
        yield address, started
    finally:
        for program in reversed(started):
            with contextlib.suppress(ProcessLookupError):
                program.terminate()
        for program in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(20)
            program.kill()
            program.wait()


def _dask_command(name: str, *words: str) -> list[str]:
    return [sys.executable, "-c", f"from distributed.cli.{name} import main; main()", *words]


def _workers_of(address: str) -> int:
    from distributed import Client

    with contextlib.suppress(Exception), Client(address, timeout="2s", set_as_default=False) as client:
        return len(client.scheduler_info(n_workers=-1)["workers"])
    return 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.mark.filterwarnings("default")
def test_a_cluster_grades_the_same_and_survives_a_lost_worker(
    course: CourseFolder, undisturbed: CourseFolder, tmp_path: Path
) -> None:
    space = tmp_path / "elsewhere"
    space.mkdir()
    with dask(space, 2) as (address, started):
        running = small.start(course, "grade", LESSON, "--cluster", address)
        _wait_for(
            lambda: any((course.root / "autograded").rglob("graded.json")) or running.poll() is not None
        )
        os.killpg(started[-1].pid, signal.SIGKILL)
        assert running.wait(180) == 0
    assert small.scores(course.gradebook) == small.scores(undisturbed.gradebook)
    assert not list(space.rglob("*.ipynb"))
    assert not list(space.rglob("gradebook.db"))


def _postgres_program(name: str) -> str | None:
    """Debian keeps the server's programs off the path."""
    found = [shutil.which(name), *sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))]
    return next((os.path.realpath(path) for path in found if path), None)


@pytest.fixture
def postgres() -> Iterator[str]:
    """A PostgreSQL server of the test's own; it does not run as root."""
    initdb, server = _postgres_program("initdb"), _postgres_program("postgres")
    if initdb is None or server is None:
        pytest.skip("PostgreSQL is not installed")
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL does not run as root")
    data, port = Path(tempfile.mkdtemp(prefix="course-pg-")), _free_port()
    drop: list[str] = []
    if os.geteuid() == 0:
        owner = pwd.getpwnam("nobody")
        os.chown(data, owner.pw_uid, owner.pw_gid)
        drop = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
    made = subprocess.run(
        [*drop, initdb, "-D", str(data), "-U", "course", "-A", "trust", "-E", "UTF8", "--locale=C"],
        cwd="/", capture_output=True, text=True,
    )  # fmt: skip
    if made.returncode:
        pytest.skip(f"PostgreSQL cannot be started here: {made.stderr[-200:]}")
    running = subprocess.Popen(
        [*drop, server, "-D", str(data), "-p", str(port), "-k", "", "-F"],
        cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait_for(lambda: _accepts(port))
        yield f"postgresql+psycopg://course@127.0.0.1:{port}/postgres"
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(30)
        shutil.rmtree(data, ignore_errors=True)


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False


@pytest.mark.filterwarnings("default")
def test_the_gradebook_may_be_a_postgresql_database(postgres: str, course: CourseFolder) -> None:
    from sqlalchemy import create_engine, text

    small.run(course, "grade", LESSON, "--gradebook", postgres)
    small.run(course, "grade", LESSON, "--gradebook", postgres, "--regrade")
    engine = create_engine(postgres)
    query = "SELECT sa.student_id, SUM(g.auto_score) FROM grade g "
    query += "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
    query += "JOIN submitted_assignment sa ON sa.id = sn.assignment_id GROUP BY 1"
    with engine.connect() as connection:
        rows = dict(connection.execute(text(query)).all())
    engine.dispose()
    assert rows == expected()
    copies = sorted(course.root.glob("gradebook.db.before-*"))
    assert small.points(copies[-1]) == expected()
    small.run(course, "feedback", LESSON, "--gradebook", postgres)
    assert len(list((course.root / "feedback").rglob("*.html"))) == len(CLASS)
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as settings:
        settings.write(f"\nc.CourseDirectory.db_url = {postgres!r}\n")
    assert f"{len(CLASS)} unchanged" in small.run(course, "grade", LESSON)
    assert "b-maria" in small.run(course, "report", LESSON)
