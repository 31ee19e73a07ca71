"""The sandbox from the inside, as a hostile student, and from the outside, as the one who has to clean up."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
import small

from course.sandbox.channel import Closed, Late
from course.sandbox.limits import ResourceLimits
from course.sandbox.memory import MemoryWatch, family
from course.sandbox.process import Process
from course.sandbox.sandbox import FIRST_UID, UIDS, Sandbox, unavailable
from course.sandbox.view import SandboxView

_found = ctypes.util.find_library("seccomp")
SECCOMP = ctypes.CDLL(_found) if _found else None
UNKNOWN = -1
# The files of the course that a student's process may read; none of them decides anything.
INSIDE = [
    *("causes.py", "channel.py", "fork_server.py", "isolation.py", "libc.py", "limits.py", "outputs.py"),
    *("pictures.py", "remainder.py", "session.py", "shell.py", "system_calls.py", "wire.py"),
]
pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
# What stands in a student's /tmp: nothing, or the way to a Python that lives below the real one.
OWN = sorted({Path(home).parts[2] for home in (sys.prefix, sys.base_prefix) if home.startswith("/tmp/")})
LIMITS = ResourceLimits(memory_bytes=700_000_000, disk_bytes=8_000_000, file_bytes=4_000_000, processes=24)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, modules=()) as opened:
        yield opened


def run(process: Process, source: str, seconds: float = 20.0) -> dict:
    order = {"do": "run", "source": textwrap.dedent(source), "quiet": False, "definitions_only": False}
    return process.ask(order, seconds)


def printed(process: Process, source: str, seconds: float = 20.0) -> str:
    outputs = run(process, source, seconds)["outputs"]
    return "".join(output.get("text", output.get("evalue", "")) for output in outputs)


def status(process: Process) -> dict[str, str]:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines)


def family_of(process: Process) -> set[int]:
    """Every process of the student's namespace that is not dead."""
    return {member.pid for member in family(process) if is_alive(member.pid)}


def is_alive(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def eventually(condition: object, seconds: float = 5.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_cell_runs_as_in_a_notebook(sandbox: Sandbox) -> None:
    process = sandbox.student()
    reply = run(process, "print('一')\n1 + 1")
    assert reply["ok"]
    assert reply["outputs"] == [
        {"output_type": "stream", "name": "stdout", "text": "一\n"},
        {"output_type": "execute_result", "data": {"text/plain": "2"}},
    ]


def test_magics_shell_commands_and_await_work(sandbox: Sandbox) -> None:
    process = sandbox.student()
    assert "Wall time" in printed(process, "%%time\nx = 1")
    assert printed(process, "!echo hello") == "hello\n"
    assert (
        printed(process, "%pip install torch\n!pip install torch\n%matplotlib inline\nprint('on')") == "on\n"
    )
    waited = "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 5\nprint(await f())"
    assert printed(process, waited) == "5\n"
    assert printed(process, "%%bash\necho $((40 + 2))") == "42\n"


def test_there_is_no_network(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        attempts = f"""
            import socket
            for family, kind, address in (
                (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", {port})),
                (socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
                (socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)),
                (socket.AF_INET6, socket.SOCK_STREAM, ("::1", {port})),
                (40, socket.SOCK_STREAM, (2, 80)),
                (16, socket.SOCK_RAW, (0, 0)),
                (17, socket.SOCK_RAW, ("lo", 0)),
            ):
                try:
                    with socket.socket(family, kind) as s:
                        s.settimeout(2)
                        s.connect(address)
                        s.send(b"x")
                    print("reached", family, address)
                except OSError:
                    pass
            print("done")
        """
        assert printed(sandbox.student(), attempts) == "done\n"


def test_nothing_of_the_course_the_home_or_the_environment_is_visible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "source" / "answers.txt"
    secret.parent.mkdir()
    secret.write_text("the answer")
    monkeypatch.setenv("COURSE_SECRET", "token")
    with Sandbox(LIMITS, modules=()) as opened:
        process = opened.student()
        seen = printed(
            process,
            f"""
            import os
            from pathlib import Path
            print(sorted(os.environ))
            print(Path({str(secret)!r}).exists(), Path({str(tmp_path)!r}).exists())
            print(sorted(os.listdir("/home")), sorted(os.listdir("/tmp")), os.listdir("/run"))
            print([p for p in ("/etc/passwd", "/var", "/sys", "/mnt", "/boot") if os.path.exists(p)])
            print(sorted(os.listdir("/run/examiner/course")))
            print(sorted(os.listdir("/run/examiner/course/sandbox")))
            import importlib.util
            print(importlib.util.find_spec("course.authoring"), importlib.util.find_spec("course.grading"))
            """,
        )
    assert "COURSE" not in seen
    assert "NBGRADER" not in seen
    assert "False False" in seen
    assert f"['student'] {OWN} ['examiner']" in seen
    assert "\n[]\n" in seen
    assert "['__init__.py', 'sandbox']" in seen
    assert str(sorted([*INSIDE, "__init__.py"])) in seen
    assert "None None" in seen


def test_a_course_folder_inside_a_shown_folder_is_covered(tmp_path: Path) -> None:
    inside = next(path for path in Path("/usr/share").iterdir() if path.is_dir() and not path.is_symlink())
    assert SandboxView((inside,)).covered() == [inside]
    assert SandboxView((tmp_path,)).covered() == []


def test_the_process_is_another_user_without_capabilities(sandbox: Sandbox) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a process another user")
    process = sandbox.student()
    run(process, "x = 1")
    seen = status(process)
    uids = {int(uid) for uid in seen["Uid"].split()}
    assert len(uids) == 1
    assert FIRST_UID <= uids.pop() < FIRST_UID + UIDS
    assert set(seen["Groups"].split()) == set()
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(seen[kind], 16) == 0
    assert seen["NoNewPrivs"].strip() == "1"
    assert seen["Seccomp"].strip() == "2"


def test_only_private_folders_can_be_written(sandbox: Sandbox) -> None:
    source = """
        import os
        found = set()
        for top in ("/", ):
            for folder, folders, files in os.walk(top):
                if folder.startswith(("/proc", "/usr/share", "/usr/lib")):
                    folders[:] = []
                    continue
                try:
                    path = os.path.join(folder, "written")
                    open(path, "w").close()
                    os.unlink(path)
                    found.add(folder)
                except OSError:
                    pass
        print(sorted(found))
    """
    assert printed(sandbox.student(), source, 60) == "['/dev/shm', '/home/student', '/tmp']\n"


def test_no_other_process_can_be_seen_or_signalled(sandbox: Sandbox) -> None:
    with Sandbox(LIMITS, modules=()) as second:
        neighbour, process = second.student(), sandbox.student()
        run(neighbour, "import time")
        seen = printed(
            process,
            """
            import os, signal
            print([p for p in os.listdir("/proc") if p.isdigit()], os.getpid(), os.getppid())
            for pid in [0, *range(2, 3000)]:
                try:
                    os.kill(pid, signal.SIGUSR1 if pid else 0)
                    if pid:
                        print("reached", pid)
                except OSError:
                    pass
            try:
                os.kill(-1, signal.SIGKILL)
            except OSError as problem:
                print(type(problem).__name__)
            """,
        )
        assert seen == "['1'] 1 0\nProcessLookupError\n"
        assert run(neighbour, "x = 1")["ok"]
        assert run(sandbox.student(), "x = 1")["ok"]


def test_a_student_leaves_nothing_for_the_next(sandbox: Sandbox) -> None:
    dirty = """
        import builtins, os, sys, json, IPython, helpers.checks
        for folder in ("/tmp", "/dev/shm", "/home/student"):
            open(folder + "/left", "w").write("left")
        os.makedirs("/home/student/.ipython/profile_default/startup", exist_ok=True)
        open("/home/student/.ipython/profile_default/startup/00.py", "w").write("left = 1")
        builtins.left = json.left = helpers.checks.left = 1
        helpers.checks.close = lambda *a, **k: None
        get_ipython().ast_transformers.append("left")
        sys.path.append("/left")
    """
    run(sandbox.student(), dirty)
    seen = printed(
        sandbox.student(),
        """
        import builtins, os, sys, json, helpers.checks
        print([os.listdir(f) for f in ("/tmp", "/dev/shm", "/home/student")])
        print([hasattr(m, "left") for m in (builtins, json, helpers.checks)], "left" in globals())
        print(helpers.checks.close.__name__, get_ipython().ast_transformers, "/left" in sys.path)
        """,
    )
    assert seen == f"[{OWN}, [], []]\n[False, False, False] False\nclose [] False\n"


def test_no_process_outlives_its_student(sandbox: Sandbox) -> None:
    process = sandbox.student()
    source = """
        import os, subprocess, time
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(600)
                os._exit(0)
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        print("forked")
    """
    assert printed(process, source) == "forked\n"
    assert eventually(lambda: len(family_of(process)) >= 5)  # the grandchildren start on their own time
    family = family_of(process)
    process.end()
    assert eventually(lambda: not any(map(is_alive, family)))


def test_killing_the_grader_leaves_no_process() -> None:
    source = (
        "import time; from course.sandbox.sandbox import Sandbox; s = Sandbox(modules=()); p = s.student(); "
    )
    source += "print(s._server.pid, p.pid, flush=True); time.sleep(60)"
    grader = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in grader.stdout.readline().split()]
    assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    grader.send_signal(signal.SIGKILL)
    grader.wait()
    grader.stdout.close()
    assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


@pytest.mark.parametrize(
    "call",
    [
        "libc.unshare(0x10000000)",
        "libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None)",
        "libc.ptrace(16, 1, 0, 0)",
        "libc.syscall(250, 0, -3, 1)",
        "libc.syscall(425, 8, 0)",
        "libc.syscall(321, 0, 0, 0)",
        "libc.syscall(56, 0x10000011, 0, 0, 0, 0)",
        "libc.syscall(435, 0, 0)",
        "libc.syscall(319, b'x', 0)",
        "libc.shmget(0, 4096, 0o1600)",
        "libc.setresuid(12, 12, 12)",
        "libc.chroot(b'/tmp')",
        "libc.syscall(41, 38, 5, 0)",
    ],
)
def test_a_dangerous_system_call_is_refused(sandbox: Sandbox, call: str) -> None:
    source = "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
    source += f"print({call}, ctypes.get_errno() in (1, 22, 38, 97))"
    assert printed(sandbox.student(), source) == "-1 True\n"


def named(machine: str, name: str) -> int:
    """The number of a system call, as libseccomp knows it."""
    from course.sandbox import system_calls

    return SECCOMP.seccomp_syscall_resolve_name_arch(system_calls.AUDIT[machine], name.encode())


@pytest.mark.skipif(SECCOMP is None, reason="no libseccomp to compare with")
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_numbers_of_system_calls_are_those_of_libseccomp(machine: str) -> None:
    from course.sandbox import system_calls

    table = system_calls.FORBIDDEN[machine] | system_calls.ABSENT
    table |= {"socket": system_calls.SOCKET[machine], "clone": system_calls.CLONE[machine]}
    numbers = {name: named(machine, name) for name in table}
    known = {name: number for name, number in numbers.items() if number != UNKNOWN}
    assert known.items() <= table.items()
    assert len(known) > len(table) - 6  # an older library does not know the newest


def test_memory_disk_files_and_processes_are_bounded(sandbox: Sandbox) -> None:
    seen = printed(
        sandbox.student(),
        """
        import os
        try:
            x = bytearray(2_000_000_000)
        except MemoryError:
            print("memory")
        try:
            open("/tmp/large", "wb").write(b"x" * 6_000_000)
        except OSError:
            print("file")
        try:
            for i in range(10):
                open(f"/home/student/{i}", "wb").write(b"x" * 3_000_000)
        except OSError:
            print("disk")
        """,
        60,
    )
    assert seen == "memory\nfile\ndisk\n"


def test_a_fork_bomb_stays_in_its_namespace(sandbox: Sandbox) -> None:
    process = sandbox.student()
    with pytest.raises((Late, Closed)):
        run(
            process,
            "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
            1.0,
        )
    family = family_of(process)
    assert 2 <= len(family) <= LIMITS.processes
    process.end()
    assert eventually(lambda: not any(map(is_alive, family)), 20)
    assert run(sandbox.student(), "x = 1")["ok"]


def test_many_processes_together_may_not_hold_more_memory_than_one() -> None:
    with Sandbox(ResourceLimits(memory_bytes=500_000_000), modules=()) as opened:
        process = opened.student()
        source = """
            import os, time
            for _ in range(6):
                if os.fork() == 0:
                    x = bytearray(os.urandom(1) * 150_000_000)
                    time.sleep(60)
            time.sleep(60)
        """
        watch = MemoryWatch(process, 0.1)
        with pytest.raises(Closed):
            _ask_watched(process, source, watch)
        assert process.died_of_memory


def _ask_watched(process: Process, source: str, watch: MemoryWatch) -> None:
    import threading

    thread = threading.Thread(target=watch.run)
    thread.start()
    try:
        run(process, source, 30)
    finally:
        thread.join()


def test_a_flood_of_output_is_cut(sandbox: Sandbox) -> None:
    reply = run(sandbox.student(), "for i in range(300_000):\n    print('x' * 100)", 60)
    assert sum(len(output["text"]) for output in reply["outputs"]) <= 100_000
    assert reply["dropped"] > 10_000_000


def test_a_dead_process_is_noticed_at_once_and_a_fresh_one_answers(sandbox: Sandbox) -> None:
    for source in ("import os; os._exit(0)", "import ctypes; ctypes.string_at(0)", "import os; os.abort()"):
        started = time.monotonic()
        with pytest.raises(Closed):
            run(sandbox.student(), source)
        assert time.monotonic() - started < 5
    assert printed(sandbox.student(), "print('alive')") == "alive\n"


def test_a_hanging_process_is_left_in_time(sandbox: Sandbox) -> None:
    process = sandbox.student()
    source = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    with pytest.raises(Late):
        run(process, source, 0.5)
    assert printed(sandbox.student(), "print('alive')") == "alive\n"


def test_messages_that_are_no_messages_end_the_process(sandbox: Sandbox) -> None:
    from course.sandbox.wire import BadData

    flood = "import os, glob\nfor fd in range(3, 60):\n    try:\n        os.write(fd, %s)\n"
    flood += "    except OSError:\n        pass\n"
    for junk in (r"b'\xff' * 100", r"b'\x00\x00\x00\x02{]'", "b'\\x00\\x00\\x00\\x05' + b'[' * 5"):
        with pytest.raises((BadData, Closed, Late)):
            run(sandbox.student(), flood % junk, 3)
    assert run(sandbox.student(), "x = 1")["ok"]


def test_no_path_on_this_machine_changes_its_owner_or_mode(tmp_path: Path) -> None:
    watched = [Path("/tmp"), Path("/home"), Path.home(), Path(sys.prefix), tmp_path, Path.cwd()]
    before = [(path.stat().st_uid, path.stat().st_gid, path.stat().st_mode) for path in watched]
    with Sandbox(LIMITS, modules=()) as opened:
        run(opened.student(), "x = 1")
    assert [(path.stat().st_uid, path.stat().st_gid, path.stat().st_mode) for path in watched] == before


def test_hidden_arguments_of_a_closed_sandbox_do_not_keep_it_from_starting_again() -> None:
    opened = Sandbox(LIMITS, modules=())
    assert run(opened.student(), "x = 1")["ok"]
    opened.close()
    assert run(opened.student(), "x = 1")["ok"]
    opened.close()


TRIAL = """
from course.sandbox.sandbox import Sandbox, unavailable
reason = unavailable()
if reason is None:
    with Sandbox(modules=()) as sandbox:
        assert sandbox.student().ask({"do": "names", "names": []}, 20) == {"names": {}}
print(reason)
"""


def tried(*command: str) -> str:
    done = subprocess.run(
        [*command, "-c", TRIAL], cwd=small.ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("within", [(), ("unshare", "-r"), ("unshare", "-r", "-n")], ids="-".join)
def test_a_sandbox_that_is_said_to_be_there_works(within: tuple[str, ...]) -> None:
    """In a namespace with fewer rights bubblewrap may start, and still no student can be isolated."""
    if within and subprocess.run([*within, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no user namespaces")
    assert tried(*within, sys.executable)


def test_an_interpreter_that_lives_in_tmp_is_found() -> None:
    """Conda and virtual environments may lie anywhere, below the folder too that students get empty, and may
    lead to Python by way of another one."""
    space = Path(tempfile.mkdtemp(prefix="interpreter-", dir="/tmp"))
    try:
        venv.create(space / "one", symlinks=True)
        venv.create(space / "two", symlinks=True)
        python = space / "two" / "bin" / "python"
        python.unlink()
        python.symlink_to(space / "one" / "bin" / "python")
        for environment in ("one", "two"):
            assert found_from(space / environment / "bin" / "python") == "None"
    finally:
        shutil.rmtree(space)


def found_from(python: Path) -> str:
    program = "from course.sandbox.sandbox import unavailable; print(unavailable())"
    done = subprocess.run(
        [str(python), "-c", program], cwd=small.ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or done.stderr
