"""Runs inside the sandbox, after the fork: namespaces, private folders, limits, another user, no capability.

All of it stands before a line of a student's code runs, or there is no process.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import struct
import sys
from collections.abc import Iterator
from itertools import cycle

from course.sandbox import libc, system_calls
from course.sandbox.limits import ResourceLimits

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
NEW_NAMESPACES = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 1 << 18
PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 4, 24, 38
LAST_CAPABILITY = 63
LATER_SECONDS = 5  # the processor's clock ends what the supervisor's did not
HOME = "/home/student"
BESIDE = "/run/beside"  # the lesson's files, where it has some


def read(settings: str) -> tuple[ResourceLimits, Iterator[int | None]]:
    """The limits of every student's process and the user ids to give them, as the command line brings them:
    no student has that of the one before."""
    found = json.loads(settings)
    first, count = found["uids"] or (None, 0)
    return ResourceLimits(**found["limits"]), cycle(range(first, first + count) if count else (None,))


def trial(limits: ResourceLimits, uids: Iterator[int | None]) -> None:
    """Isolate one child as for a submission; where that fails, say why on stderr and end."""
    namespace = os.open("/proc/self/ns/pid", os.O_RDONLY)
    libc.call("unshare", CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        try:
            isolate(limits, next(uids))
            os._exit(0)
        except BaseException as problem:
            os.write(2, f"{problem}\n".encode())
            os._exit(1)
    libc.call("setns", namespace, CLONE_NEWPID)
    os.close(namespace)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        sys.exit(1)


def isolate(limits: ResourceLimits, uid: int | None) -> None:
    """Shut this process in, for good; `uid` is None where the sandbox has no other user to give."""
    os.setsid()
    libc.call("unshare", NEW_NAMESPACES)
    _make_folders(limits.disk_bytes)
    _limit(limits)
    _be_first_to_go()
    _drop(uid)
    _take_files()
    system_calls.forbid()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _make_folders(disk_bytes: int) -> None:
    """Folders of the process's own, which go with it."""
    libc.mount(None, "/", None, MS_REC | MS_PRIVATE)
    covered = [(folder, os.open(folder, os.O_PATH)) for folder in _python_in_the_way()]
    for folder in (HOME, "/tmp", "/dev/shm"):
        options = f"size={disk_bytes},nr_inodes=4096,mode=1777"
        libc.mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options)
    for folder, handle in covered:
        os.makedirs(folder, 0o755, exist_ok=True)
        libc.mount(f"/proc/self/fd/{handle}", folder, None, MS_BIND | MS_REC)
        os.close(handle)
    libc.mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    os.chdir(HOME)


def _take_files() -> None:
    """A copy of the lesson's files, in the student's own hands."""
    for folder, _, names in os.walk(BESIDE):
        place = HOME + folder.removeprefix(BESIDE)
        os.makedirs(place, exist_ok=True)
        for name in names:
            shutil.copyfile(f"{folder}/{name}", f"{place}/{name}")


def _python_in_the_way() -> list[str]:
    """Folders of Python's own that an empty /tmp or home would cover, and with them all that is imported
    later."""
    found = {sys.prefix, sys.base_prefix}
    return sorted(folder for folder in found if folder.startswith(("/tmp/", f"{HOME}/")))


def _limit(limits: ResourceLimits) -> None:
    for kind, amount in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, int(limits.total_seconds) + LATER_SECONDS),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_MEMLOCK, 1 << 20),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(kind, (amount, amount))


def _be_first_to_go() -> None:
    """Where memory runs out the kernel ends a student's process, not the fork server or anybody else's."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def _drop(uid: int | None) -> None:
    """Give up every capability for good; where the sandbox was started by root, become nobody in
    particular."""
    for capability in range(LAST_CAPABILITY + 1):
        libc.LIBRARY.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    header = struct.pack("=Ii", 0x20080522, 0)
    libc.call("capset", header, bytes(24))
    libc.call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)
    if uid is not None and (os.getuid() != uid or os.geteuid() != uid):
        raise PermissionError("user id")
