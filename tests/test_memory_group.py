"""The memory control group: the kernel's own memory counts, and no group is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from copying import ASSIGNMENT, FULL, honest
from handout import with_cell

from course.doctor import examine as doctor
from course.grading.examiner import examine
from course.sandbox import memory_group
from course.sandbox.limits import ResourceLimits
from course.sandbox.memory_group import MemoryGroup, parents_in, possible_parents, sweep
from course.sandbox.sandbox import Sandbox, unavailable
from course.submission.rebuilding import rebuild
from course.text import say, say_in

FILLS_SOCKETS = """
import os, socket, time
for _ in range(24):
    if os.fork() == 0:
        kept = []
        for _ in range(18):
            one, other = socket.socketpair()
            one.setblocking(False)
            kept.append((one, other))
            try:
                while True:
                    one.send(b"x" * 2048)
            except BlockingIOError:
                pass
        time.sleep(10)
time.sleep(10)
"""
needs_group = pytest.mark.skipif(
    unavailable() is not None or not memory_group.is_permitted(),
    reason="no sandbox, or no memory control group is permitted here",
)


def groups() -> list[Path]:
    """This process's own: other graders' groups come and go meanwhile."""
    own = f"course-students-{os.getpid()}-*"
    return [folder for parent in possible_parents() for folder in parent.glob(own)]


@needs_group
def test_a_submission_that_fills_sockets_is_ended_by_the_kernel_and_named(monkeypatch, copying_words):
    """With a watch that sees nothing of it: what sockets hold counts as it is written."""
    monkeypatch.setattr("course.sandbox.memory.held_bytes", lambda process: 0)
    limits = ResourceLimits(memory_bytes=120_000_000, cell_seconds=8)
    before = groups()
    with Sandbox(limits, modules=()) as sandbox:
        rebuilt = rebuild(with_cell(honest("en"), FILLS_SOCKETS, "walls-text"), ASSIGNMENT)
        peak = _peak_of(sandbox, rebuilt)
    assert peak <= limits.memory_bytes
    assert groups() == before


def _peak_of(sandbox: Sandbox, rebuilt: object) -> int:
    examined = examine(rebuilt, sandbox)
    shown = str([cell.get("outputs") for cell in examined.notebook["cells"]])
    assert say_in("en", "examiner.cell_memory") in shown
    assert sum(verdict.score for verdict in examined.verdicts) == FULL
    folder = sandbox._group.folder
    peaks = (folder / name for name in ("memory.peak", "memory.max_usage_in_bytes"))
    return int(next(path for path in peaks if path.exists()).read_text())


@needs_group
def test_a_group_whose_maker_was_killed_is_swept_away_and_one_in_use_is_not():
    made = "import time; from course.sandbox.memory_group import MemoryGroup; "
    made += "print(MemoryGroup.made(1 << 30).folder, flush=True); time.sleep(60)"
    maker = subprocess.Popen([sys.executable, "-c", made], stdout=subprocess.PIPE, text=True)
    folder, own = Path(maker.stdout.readline().strip()), MemoryGroup.made(1 << 30)
    try:
        sweep()
        assert folder.is_dir()
    finally:
        maker.kill()
        maker.wait()
        maker.stdout.close()
    sweep()
    assert not folder.exists()
    assert own.folder.is_dir()
    own.remove()
    assert not own.folder.exists()


@pytest.mark.parametrize(
    ("own", "mounts", "parents"),
    [
        (
            "5:cpu:/\n4:memory:/a/b\n0::/\n",
            "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
            "32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            ["/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/unified"],
        ),
        (
            "0::/user.slice/user-7.slice/session.scope\n",
            "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
            [
                "/sys/fs/cgroup/user.slice/user-7.slice/session.scope",
                "/sys/fs/cgroup/user.slice/user-7.slice",
            ],
        ),
        (
            "4:memory:/docker/x\n",
            "31 25 0:27 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            ["/sys/fs/cgroup/memory"],
        ),
        ("4:memory:/a\n", "31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", []),
    ],
)
def test_a_group_is_made_below_our_own_or_beside_it(own, mounts, parents):
    assert [str(parent) for parent in parents_in(own, mounts)] == parents


def test_where_no_group_is_permitted_there_is_none_and_the_doctor_says_so(tmp_path, monkeypatch):
    assert MemoryGroup.made(1 << 30, (tmp_path, tmp_path / "missing")) is None
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(memory_group, "possible_parents", tuple)
    finding = next(finding for finding in doctor() if finding.name == say("doctor.memory_group"))
    assert finding.way_out == say("doctor.no_memory_group")
    assert not finding.missing
