"""A process for a student's code that cannot reach the network, the course, other students or the grader.

A `Sandbox` is a fork server under bubblewrap: a Python that has imported everything and holds no secret.
`Sandbox.student()` lets it fork one process into namespaces of its own. Nothing here changes the owner or
mode of any path.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path

from course.sandbox import bubblewrap, memory_group
from course.sandbox.channel import Channel, Closed
from course.sandbox.family import family
from course.sandbox.limits import ONE_MORE, ONE_THAT_DRAWS, ResourceLimits
from course.sandbox.memory_group import MemoryGroup
from course.sandbox.private import private_folders
from course.sandbox.process import Process
from course.sandbox.view import NotConcealed, SandboxView
from helpers import writing

MODULES = (
    "numpy",
    "helpers.checks",
    "helpers.experiment",
    "helpers.hardware",
    "helpers.models",
    "helpers.plots",
    "helpers.recorded",
    "helpers.results",
    "helpers.serving",
    "helpers.tables",
    "helpers.text",
)
START_SECONDS = 60.0
FORK_SECONDS = 20.0
REASON = 400  # characters
# User ids that systemd sets aside for passing users: no file and no account has them.
FIRST_UID, UIDS = 61184, 4336
UIDS_A_SANDBOX, SANDBOXES_A_PROCESS = 8, 2


class NoSandbox(RuntimeError):
    """No sandbox can be made here; the message is the reason."""


def require_concealed(hidden: tuple[Path, ...]) -> None:
    """Raise NotConcealed unless these folders and this machine's private ones can be kept out of the
    sandbox, if there is one here."""
    if not _missing():
        SandboxView((*private_folders(), *hidden)).covered()


@dataclass
class Sandbox:
    """A fork server under bubblewrap; a context manager, and nothing of it is left when the context ends.

    `hidden` folders are concealed wherever they lie, as this machine's private ones always are.
    """

    limits: ResourceLimits = field(default_factory=ResourceLimits)
    hidden: tuple[Path, ...] = ()
    modules: tuple[str, ...] = MODULES
    files: Mapping[str, bytes] = field(default_factory=dict)  # each process finds a copy where it works
    isolates: bool = field(default=True, init=False)
    _laid: tempfile.TemporaryDirectory | None = None
    _server: subprocess.Popen | None = None
    _control: socket.socket | None = None
    _current: Process | None = None
    _group: MemoryGroup | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def student(self, draws: bool = False) -> Process:
        """A fresh process, with nothing in it of any other; the one before it is ended. For one that
        `draws` matplotlib is loaded."""
        self._end_current()
        try:
            self._current = self._forked(draws)
        except (OSError, Closed):  # the fork server is gone: a new one gets one try
            self.close()
            self._current = self._forked(draws)
        return self._current

    def close(self) -> None:
        """End the fork server and every process that it forked."""
        self._end_current()
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
        self._server = self._control = None
        if self._group is not None:
            self._group.remove()
        if self._laid is not None:
            self._laid.cleanup()
        self._group = self._laid = None

    def _end_current(self) -> None:
        if self._current is not None:
            self._current.end()
        self._current = None

    def _forked(self, draws: bool) -> Process:
        if self._server is None or self._server.poll() is not None:
            self._start()
        ours, theirs = socket.socketpair()
        with theirs:
            self._control.settimeout(FORK_SECONDS)
            socket.send_fds(self._control, [ONE_THAT_DRAWS if draws else ONE_MORE], [theirs.fileno()])
        word, handles, _, _ = socket.recv_fds(self._control, 16, 1)
        if word != b"forked" or not handles:
            ours.close()
            raise Closed
        if self._group is not None:
            self._group.begin()
        return Process(Channel(ours), handles[0], self.limits, group=self._group)

    def _start(self) -> None:
        """Start the fork server, which isolates one process on trial before it says that it is ready."""
        if reason := _missing():
            raise NoSandbox(reason)
        call = "fork_server; fork_server.main(*sys.argv[1:])"
        require_concealed(self.hidden)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, tempfile.TemporaryFile() as said:
            self._server = subprocess.Popen(
                _command(
                    self.limits, self.hidden, call, str(theirs.fileno()), *self.modules, beside=self._beside()
                ),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env={},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            theirs.close()
            if not self._is_ready():
                said.seek(0)
                self.close()
                raise NoSandbox(said.read().decode(errors="replace").strip()[-REASON:] or "no answer")
        memory_group.sweep()
        self._group = self._joined_group()

    def _joined_group(self) -> MemoryGroup | None:
        """A group that the fork server is in, and so whatever it forks; None where there can be none."""
        group = MemoryGroup.made(self.limits.memory_bytes)
        try:
            for process in family(self._server) if group else ():
                group.add(process.pid)
        except OSError:
            group.remove()
            return None
        return group

    def _beside(self) -> Path | None:
        """The folder with the lesson's files, which goes with the fork server; None where there are none."""
        if self.files and self._laid is None:
            self._laid = tempfile.TemporaryDirectory(prefix="beside-")
            writing.lay(self.files, Path(self._laid.name))
        return Path(self._laid.name) if self._laid else None

    def _is_ready(self) -> bool:
        self._control.settimeout(START_SECONDS)
        try:
            return self._control.recv(16) == b"ready"
        except OSError:
            return False


@lru_cache(maxsize=8)
def unavailable(hidden: tuple[Path, ...] = ()) -> str | None:
    """Why no sandbox that conceals these folders can be made on this machine; None when it can."""
    if reason := _missing():
        return reason
    call = "isolation; isolation.trial(*isolation.read(sys.argv[1]))"
    try:
        command = _command(ResourceLimits(), hidden, call)
    except NotConcealed as problem:
        return str(problem)
    trial = subprocess.run(command, capture_output=True, text=True, env={}, timeout=START_SECONDS)
    return None if trial.returncode == 0 else trial.stderr.strip()[-REASON:] or "bwrap failed"


def _missing() -> str | None:
    if sys.platform != "linux":
        return "not Linux"
    return None if shutil.which("bwrap") else "bubblewrap is not installed"


def _command(
    limits: ResourceLimits, hidden: tuple[Path, ...], call: str, *arguments: str, beside: Path | None = None
) -> list[str]:
    """A call of the inside files, under bubblewrap; the first argument is what every process is given."""
    start = f"import sys; sys.path.insert(0, '{bubblewrap.INSIDE}'); from course.sandbox import {call}"
    uids = _uids()
    given = json.dumps({"limits": asdict(limits), "uids": uids})
    python = [sys.executable, "-I", "-c", start, given, *arguments]
    return [*bubblewrap.command(hidden, gives_uid=uids is not None, beside=beside), *python]


_count = itertools.count()


def _uids() -> tuple[int, int] | None:
    """The first and the number of the user ids for the students of one sandbox, where root may give them
    away; None where the sandbox runs as a plain user."""
    if not _gives_ids():
        return None
    place = os.getpid() * SANDBOXES_A_PROCESS + next(_count) % SANDBOXES_A_PROCESS
    return FIRST_UID + place * UIDS_A_SANDBOX % UIDS, UIDS_A_SANDBOX


def _gives_ids() -> bool:
    """True for a root that may hand out the ids for passing users; the root of a small user namespace may
    not."""
    if os.geteuid() != 0:
        return False
    ranges = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text().splitlines())
    return any(first <= FIRST_UID and first + count >= FIRST_UID + UIDS for first, _, count in ranges)
