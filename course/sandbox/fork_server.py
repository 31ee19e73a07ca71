"""Runs inside the sandbox: imports everything once, then forks one isolated process for each submission.

It takes no data from a student's process; it hears nothing but "one more" from the trusted side, and whether
that one will draw.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from course.sandbox import isolation, libc, pictures, session
from course.sandbox.limits import ONE_THAT_DRAWS, ResourceLimits
from course.sandbox.shell import NotebookShell, prepare


def main(settings: str, control_fd: str, *modules: str) -> None:
    """Isolate one process on trial, import, then serve; `settings` are the limits and user ids as JSON."""
    limits, uids = isolation.read(settings)
    isolation.trial(limits, uids)
    control = socket.socket(fileno=int(control_fd))
    own_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY)
    server = ForkServer(control, limits, uids, prepare(list(modules)), own_namespace)
    _freeze()
    control.send(b"ready")
    server.serve()


@dataclass(frozen=True)
class ForkServer:
    """A process that has imported everything and holds no secret."""

    control: socket.socket
    limits: ResourceLimits
    uids: Iterator[int | None]
    shell: NotebookShell
    own_namespace: int

    def serve(self) -> None:
        """Fork a process for each connection that comes in over the control socket."""
        while True:
            order, fds, _, _ = socket.recv_fds(self.control, 16, 1)
            if not order:
                return
            _reap()
            if order == ONE_THAT_DRAWS and "matplotlib.pyplot" not in sys.modules:
                pictures.load_matplotlib()
                _freeze()
            self._fork(fds[0])

    def _fork(self, connection_fd: int) -> None:
        libc.call("unshare", isolation.CLONE_NEWPID)
        uid = next(self.uids)
        pid = os.fork()
        if pid == 0:
            self._run_student(connection_fd, uid)
        libc.call("setns", self.own_namespace, isolation.CLONE_NEWPID)
        handle = os.pidfd_open(pid)
        socket.send_fds(self.control, [b"forked"], [handle])
        os.close(handle)
        os.close(connection_fd)

    def _run_student(self, connection_fd: int, uid: int | None) -> None:
        try:
            self.control.close()
            os.close(self.own_namespace)
            isolation.isolate(self.limits, uid)
            session.serve(socket.socket(fileno=connection_fd), self.shell)
        finally:
            os._exit(0)


def _freeze() -> None:
    """Collecting garbage in a student's process is not to touch, and so copy, what was here before."""
    gc.collect()
    gc.freeze()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
