"""What one student's process may take of the machine that no limit of a process counts, and what it may tell
others by it."""

from __future__ import annotations

import textwrap
import threading
from pathlib import Path

import pytest

from course.sandbox.channel import Closed
from course.sandbox.limits import ResourceLimits
from course.sandbox.memory import SCARCE_BYTES, MemoryWatch, held_bytes, socket_bytes, sockets
from course.sandbox.process import Process
from course.sandbox.sandbox import Sandbox, unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))


def ask(process: Process, source: str, watch: MemoryWatch | None = None) -> str:
    """What a cell prints."""
    order = {"do": "run", "source": textwrap.dedent(source), "quiet": False, "definitions_only": False}
    if watch:
        threading.Thread(target=watch.run, daemon=True).start()
    return "".join(
        output.get("text", output.get("evalue", "")) for output in process.ask(order, 30)["outputs"]
    )


def uids(process: Process) -> set[int]:
    ask(process, "x = 1")  # it is isolated now
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return set(map(int, next(line for line in lines if line.startswith("Uid:")).split()[1:]))


def test_full_sockets_on_their_way_between_processes_count_as_memory():
    """Sockets that hang in each other's queues belong to no process, and to no limit on open files."""
    with Sandbox(ResourceLimits(), modules=()) as opened:
        process = opened.student()
        source = """
            import socket
            carriers = socket.socketpair()
            for _ in range(20):
                pair = socket.socketpair()
                socket.send_fds(carriers[0], [b"x"], [end.fileno() for end in pair])
                for end in pair:
                    end.close()
            print("made")
        """
        assert ask(process, "print('before')") == "before\n"
        before, held = sockets(process), held_bytes(process)
        assert ask(process, source) == "made\n"
        assert sockets(process) - before == 2 + 20 * 2
        assert held_bytes(process) - held >= 42 * socket_bytes()


def test_a_process_that_fills_sockets_is_ended():
    limits = ResourceLimits(memory_bytes=300_000_000)
    with Sandbox(limits, modules=()) as opened:
        process = opened.student()
        source = """
            import os, socket, time
            for _ in range(20):
                if os.fork() == 0:
                    pairs = [socket.socketpair() for _ in range(18)]
                    time.sleep(25)
            time.sleep(25)
        """
        with pytest.raises(Closed):
            ask(process, source, MemoryWatch(process, 0.1))
        assert process.died_of_memory


def test_processes_and_open_files_together_are_few():
    limits = ResourceLimits()
    with Sandbox(limits, modules=()) as opened:
        source = "import os\nfound = []\ntry:\n    while True:\n        found.append(os.dup(0))\n"
        source += "except OSError:\n    print(len(found))"
        assert int(ask(opened.student(), source)) < limits.open_files
    assert limits.processes * limits.open_files <= 2_000


@pytest.mark.parametrize(("left", "ends"), [(SCARCE_BYTES // 2, True), (SCARCE_BYTES * 4, False)])
def test_where_the_machine_has_little_left_a_process_may_hold_a_quarter(left, ends):
    with Sandbox(ResourceLimits(memory_bytes=800_000_000), modules=()) as opened:
        process = opened.student()
        watch = MemoryWatch(process, 0.1, available_bytes=lambda: left)
        source = "import time\nx = b'x' * 300_000_000\ntime.sleep(1)\nprint('held')"
        if ends:
            with pytest.raises(Closed):
                ask(process, source, watch)
        else:
            assert ask(process, source, watch) == "held\n"
        assert process.died_of_memory == ends


def test_no_student_has_the_user_id_of_the_one_before():
    with Sandbox(ResourceLimits(), modules=()) as first, Sandbox(ResourceLimits(), modules=()) as second:
        if 0 in (found := uids(first.student())):
            pytest.skip(f"only root gives user ids: {found}")
        found = [uids(sandbox.student()).pop() for sandbox in (first, second) for _ in range(8)]
        assert len(set(found)) == 16


@pytest.mark.parametrize(
    "take",
    [
        "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)",
    ],
)
def test_a_lock_on_a_shared_file_is_seen_by_nobody(take):
    """Two students who are graded at the same time share the system's files, and with them their locks."""
    source = "import fcntl, os\nfile = open(os.__file__)\n" + take + "\nprint('taken')"
    with Sandbox(ResourceLimits(), modules=()) as first, Sandbox(ResourceLimits(), modules=()) as second:
        one, other = first.student(), second.student()
        assert ask(one, source) == ask(other, source) == "taken\n"
        locks = Path("/proc/locks").read_text()
        inode = ask(other, "import os\nprint(os.stat(os.__file__).st_ino)").strip()
        assert f":{inode} " not in locks
        watch = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        watch += "print(libc.inotify_init1(0), ctypes.get_errno())"
        assert ask(other, watch) == "-1 1\n"
