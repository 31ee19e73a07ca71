"""Runs inside the sandbox: imports everything once, then forks one process a submission, each in a world of
its own.

The nursery takes no data from a student's process; it hears nothing but "one more" from the trusted side.
Each child gets its own process, mount, network and IPC namespaces, a private temporary folder, an
unprivileged user id, limits and a filter of system calls before a line of a student's code runs.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import resource
import signal
import socket
import struct
import sys
from dataclasses import dataclass

from course.sandbox import session

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
NEW_WORLD = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 1 << 18
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 4, 22, 24, 38
SECCOMP_MODE_FILTER = 2
LAST_CAPABILITY = 63
HOME = "/home/student"

libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Birth:
    """What a child is born with: its user id (none where the sandbox has no other) and its limits."""

    uid: int | None
    memory_bytes: int
    cpu_seconds: int
    processes: int
    file_bytes: int
    open_files: int
    disk_bytes: int


def main(birth: Birth, control_fd: int, modules: list[str]) -> None:
    """Import, then fork a child for each connection that comes in over the control socket."""
    control = socket.socket(fileno=control_fd)
    shell = session.prepare(modules)
    own_world = os.open("/proc/self/ns/pid", os.O_RDONLY)
    gc.collect()
    gc.freeze()
    control.send(b"ready")
    while True:
        order, fds, _, _ = socket.recv_fds(control, 16, 1)
        if not order:
            return
        _bear(control, fds[0], own_world, birth, shell)


def _bear(control: socket.socket, fd: int, own_world: int, birth: Birth, shell: object) -> None:
    _reap()
    _call("unshare", CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        _child(control, fd, own_world, birth, shell)
    _call("setns", own_world, CLONE_NEWPID)
    handle = os.pidfd_open(pid)
    socket.send_fds(control, [b"born"], [handle])
    os.close(handle)
    os.close(fd)


def trial(birth: Birth) -> None:
    """Bear one child as for a submission, and end with 0 if it could be isolated, else with the reason on
    stderr."""
    _call("unshare", CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        try:
            _isolate(birth)
            os._exit(0)
        except BaseException as problem:
            os.write(2, f"{problem}\n".encode())
            os._exit(1)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def _child(control: socket.socket, fd: int, own_world: int, birth: Birth, shell: object) -> None:
    try:
        control.close()
        os.close(own_world)
        _isolate(birth)
        session.serve(socket.socket(fileno=fd), shell)
    finally:
        os._exit(0)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _isolate(birth: Birth) -> None:
    """Namespaces, private folders, limits, another user, no capability, no dangerous system call: or no
    child."""
    os.setsid()
    _call("unshare", NEW_WORLD)
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    covered = [(folder, os.open(folder, os.O_PATH)) for folder in _python_in_tmp()]
    for folder in (HOME, "/tmp", "/dev/shm"):
        options = f"size={birth.disk_bytes},nr_inodes=4096,mode=1777"
        _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options)
    for folder, handle in covered:
        os.makedirs(folder, 0o755, exist_ok=True)
        _mount(f"/proc/self/fd/{handle}", folder, None, MS_BIND | MS_REC)
        os.close(handle)
    _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    os.chdir(HOME)
    _limit(birth)
    _drop(birth.uid)
    _filter()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _python_in_tmp() -> list[str]:
    """Folders of Python's own that an empty /tmp would cover, and with them all that is imported later."""
    return sorted(folder for folder in {sys.prefix, sys.base_prefix} if folder.startswith("/tmp/"))


def _limit(birth: Birth) -> None:
    for kind, amount in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, birth.cpu_seconds),
        (resource.RLIMIT_FSIZE, birth.file_bytes),
        (resource.RLIMIT_NOFILE, birth.open_files),
        (resource.RLIMIT_AS, birth.memory_bytes),
        (resource.RLIMIT_NPROC, birth.processes),
        (resource.RLIMIT_MEMLOCK, 1 << 20),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(kind, (amount, amount))


def _drop(uid: int | None) -> None:
    """Give up every capability for good; where the sandbox was started by root, become nobody in
    particular."""
    for capability in range(LAST_CAPABILITY + 1):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    header = struct.pack("=Ii", 0x20080522, 0)
    _call("capset", header, bytes(24))
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)
    if uid is not None and (os.getuid() != uid or os.geteuid() != uid):
        raise PermissionError("user id")


# System calls by machine: number of each one that a student's program never needs and an attacker may.
FORBIDDEN = {
    "x86_64": {
        "ptrace": 101, "syslog": 103, "pivot_root": 155, "chroot": 161, "acct": 163, "mount": 165,
        "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "init_module": 175,
        "delete_module": 176, "quotactl": 179, "add_key": 248, "request_key": 249, "keyctl": 250,
        "unshare": 272, "vmsplice": 278, "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308,
        "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "bpf": 321,
        "userfaultfd": 323, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240, "memfd_create":
        319, "sched_setaffinity": 203, "kexec_load": 246, "kexec_file_load": 320,
    },
    "aarch64": {
        "ptrace": 117, "syslog": 116, "pivot_root": 41, "chroot": 51, "acct": 89, "mount": 40,
        "umount2": 39, "swapon": 224, "swapoff": 225, "reboot": 142, "init_module": 105,
        "delete_module": 106, "quotactl": 60, "add_key": 217, "request_key": 218, "keyctl": 219,
        "unshare": 97, "vmsplice": 75, "perf_event_open": 241, "open_by_handle_at": 265, "setns": 268,
        "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280,
        "userfaultfd": 282, "shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180, "memfd_create":
        279, "sched_setaffinity": 122, "kexec_load": 104, "kexec_file_load": 294,
    },
}  # fmt: skip
# The same numbers on both machines. io_uring, new mounts, clone3 and all that is newer than 449: as if they
# were absent.
ABSENT = (425, 426, 427, 428, 429, 430, 431, 432, 433, 435, 438, 440, 442, 443, 447)
NEWEST = 449
SOCKET = {"x86_64": 41, "aarch64": 198}
CLONE = {"x86_64": 56, "aarch64": 220}
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
NAMESPACE_FLAGS = 0x7E020000
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
LOAD, EQUAL, ABOVE, AT_LEAST, SET, RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06


def _filter() -> None:
    """A seccomp filter; on a machine that the tables do not know, none, and the namespaces stand alone."""
    machine = platform.machine()
    if machine not in FORBIDDEN:
        return
    code = b"".join(_program(machine))
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    _call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)


def _program(machine: str) -> list[bytes]:
    number, architecture, first = 0, 4, 16
    code = [_op(LOAD, architecture), _op(EQUAL, AUDIT[machine], 1, 0), _op(RETURN, KILL), _op(LOAD, number)]
    code += [_op(AT_LEAST, 0x40000000, 0, 1), _op(RETURN, KILL)]
    for call in FORBIDDEN[machine].values():
        code += [_op(EQUAL, call, 0, 1), _op(RETURN, ERRNO | EPERM)]
    for call in ABSENT:
        code += [_op(EQUAL, call, 0, 1), _op(RETURN, ERRNO | ENOSYS)]
    code += [_op(ABOVE, NEWEST, 0, 1), _op(RETURN, ERRNO | ENOSYS)]
    code += [_op(EQUAL, CLONE[machine], 0, 4), _op(LOAD, first), _op(SET, NAMESPACE_FLAGS, 0, 1)]
    code += [_op(RETURN, ERRNO | EPERM), _op(RETURN, ALLOW)]
    code += [_op(EQUAL, SOCKET[machine], 0, len(FAMILIES) + 3), _op(LOAD, first)]
    code += [_op(EQUAL, family, len(FAMILIES) - index, 0) for index, family in enumerate(FAMILIES)]
    code += [_op(RETURN, ERRNO | EAFNOSUPPORT), _op(RETURN, ALLOW)]
    return [*code, _op(RETURN, ALLOW)]


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    _call("mount", _bytes(source), _bytes(target), _bytes(kind), ctypes.c_ulong(flags), _bytes(options))


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _call(name: str, *arguments: object) -> None:
    if getattr(libc, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
