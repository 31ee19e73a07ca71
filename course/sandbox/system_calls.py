"""Runs inside the sandbox, after the fork: a filter of the system calls that no notebook needs."""

from __future__ import annotations

import ctypes
import platform
import socket
import struct

from course.sandbox import libc

PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
# System calls by machine: number of each one that a student's program never needs and an attacker may.
FORBIDDEN = {
    "x86_64": {
        "ptrace": 101, "syslog": 103, "pivot_root": 155, "chroot": 161, "acct": 163, "mount": 165,
        "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "init_module": 175,
        "delete_module": 176, "quotactl": 179, "add_key": 248, "request_key": 249, "keyctl": 250,
        "unshare": 272, "vmsplice": 278, "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308,
        "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "bpf": 321,
        "userfaultfd": 323, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240, "memfd_create":
        319, "sched_setaffinity": 203, "kexec_load": 246, "kexec_file_load": 320, "inotify_init": 253,
        "inotify_init1": 294, "fanotify_init": 300,
    },
    "aarch64": {
        "ptrace": 117, "syslog": 116, "pivot_root": 41, "chroot": 51, "acct": 89, "mount": 40,
        "umount2": 39, "swapon": 224, "swapoff": 225, "reboot": 142, "init_module": 105,
        "delete_module": 106, "quotactl": 60, "add_key": 217, "request_key": 218, "keyctl": 219,
        "unshare": 97, "vmsplice": 75, "perf_event_open": 241, "open_by_handle_at": 265, "setns": 268,
        "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280,
        "userfaultfd": 282, "shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180, "memfd_create":
        279, "sched_setaffinity": 122, "kexec_load": 104, "kexec_file_load": 294, "inotify_init1": 26,
        "fanotify_init": 262,
    },
}  # fmt: skip
# The same numbers on both machines. io_uring, new mounts, clone3 and all that is newer than 449: as if they
# were absent.
ABSENT = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443,
    "memfd_secret": 447,
}  # fmt: skip
NEWEST = 449
SOCKET = {"x86_64": 41, "aarch64": 198}
# A lock or a lease on a file of the system is seen by every process of this machine: none is taken, and to
# the process, which shares its own files with nobody, it looks as if it were.
FLOCK = {"x86_64": 73, "aarch64": 32}
FCNTL = {"x86_64": 72, "aarch64": 25}
LOCKS = (6, 7, 37, 38, 1024, 1026)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY
CLONE = {"x86_64": 56, "aarch64": 220}
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
NAMESPACE_FLAGS = 0x7E020000
DONE, EPERM, ENOSYS, EAFNOSUPPORT = 0, 1, 38, 97
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
LOAD, EQUAL, ABOVE, AT_LEAST, SET, RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06


def forbid() -> None:
    """A seccomp filter; on a machine that the tables do not know, none, and the namespaces stand alone."""
    machine = platform.machine()
    if machine not in FORBIDDEN:
        return
    code = b"".join(_program(machine))
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc.call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)


def _program(machine: str) -> list[bytes]:
    number, architecture, first, second = 0, 4, 16, 24
    code = [_op(LOAD, architecture), _op(EQUAL, AUDIT[machine], 1, 0), _op(RETURN, KILL), _op(LOAD, number)]
    code += [_op(AT_LEAST, 0x40000000, 0, 1), _op(RETURN, KILL)]
    for call in FORBIDDEN[machine].values():
        code += [_op(EQUAL, call, 0, 1), _op(RETURN, ERRNO | EPERM)]
    for call in ABSENT.values():
        code += [_op(EQUAL, call, 0, 1), _op(RETURN, ERRNO | ENOSYS)]
    code += [_op(ABOVE, NEWEST, 0, 1), _op(RETURN, ERRNO | ENOSYS)]
    code += [_op(EQUAL, FLOCK[machine], 0, 1), _op(RETURN, ERRNO | DONE)]
    code += [_op(EQUAL, FCNTL[machine], 0, len(LOCKS) + 3), _op(LOAD, second)]
    code += [_op(EQUAL, lock, len(LOCKS) - index, 0) for index, lock in enumerate(LOCKS)]
    code += [_op(RETURN, ALLOW), _op(RETURN, ERRNO | DONE)]
    code += [_op(EQUAL, CLONE[machine], 0, 4), _op(LOAD, first), _op(SET, NAMESPACE_FLAGS, 0, 1)]
    code += [_op(RETURN, ERRNO | EPERM), _op(RETURN, ALLOW)]
    code += [_op(EQUAL, SOCKET[machine], 0, len(FAMILIES) + 3), _op(LOAD, first)]
    code += [_op(EQUAL, family, len(FAMILIES) - index, 0) for index, family in enumerate(FAMILIES)]
    code += [_op(RETURN, ERRNO | EAFNOSUPPORT), _op(RETURN, ALLOW)]
    return [*code, _op(RETURN, ALLOW)]


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)
