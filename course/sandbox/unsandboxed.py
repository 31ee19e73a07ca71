"""No sandbox: an ordinary interpreter for each student, for work that the instructor trusts."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from course.sandbox.channel import Channel
from course.sandbox.limits import ResourceLimits
from course.sandbox.process import Process
from course.sandbox.sandbox import MODULES, START_SECONDS
from helpers import writing


@dataclass
class UnsandboxedProcess:
    """A student's process without any walls, for submissions that the instructor trusts."""

    channel: Channel
    program: subprocess.Popen
    limits: ResourceLimits
    died_of_memory: bool = False
    used_seconds: float = 0.0

    ask = Process.ask

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.program.pid

    def interrupt(self) -> None:
        """What the stop button of a notebook does."""
        self.program.send_signal(signal.SIGINT)

    def end(self) -> None:
        """Kill it; what it started may live on, since nothing holds it."""
        self.channel.close()
        self.program.kill()
        self.program.wait()


@dataclass
class Unsandboxed:
    """No sandbox: one ordinary interpreter a student, with this user's rights. Only for work that is
    trusted."""

    limits: ResourceLimits = field(default_factory=ResourceLimits)
    modules: tuple[str, ...] = MODULES
    files: Mapping[str, bytes] = field(default_factory=dict)  # laid where each process works
    isolates: bool = field(default=False, init=False)
    _current: UnsandboxedProcess | None = None
    _folder: tempfile.TemporaryDirectory | None = None

    def __enter__(self) -> Unsandboxed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def student(self, draws: bool = False) -> UnsandboxedProcess:
        """A fresh process, which loads itself what it draws with; the one before it is ended."""
        self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="student-", ignore_cleanup_errors=True)
        writing.lay(self.files, Path(self._folder.name))
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(START_SECONDS)
            word = secrets.token_hex(16)
            start = "from course.sandbox import session; session.connect(*__import__('sys').argv[1:])"
            command = [sys.executable, "-c", start, str(server.getsockname()[1]), word, *self.modules]
            environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": str(Path(__file__).parents[2])}
            program = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=self._folder.name,
            )
            self._current = UnsandboxedProcess(Channel(_greeted(server, word)), program, self.limits)
        return self._current

    def close(self) -> None:
        """End the process that is running, if there is one."""
        if self._current is not None:
            self._current.end()
        if self._folder is not None:
            self._folder.cleanup()
        self._current = self._folder = None


def _greeted(server: socket.socket, word: str) -> socket.socket:
    """The connection that knows the word."""
    while True:
        connection, _ = server.accept()
        connection.settimeout(START_SECONDS)
        if connection.recv(len(word)) == word.encode():
            return connection
        connection.close()
