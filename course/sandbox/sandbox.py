"""A process for a student's code that cannot reach the network, the course, other students or the grader.

A `Sandbox` is a nursery under bubblewrap: a Python that has imported everything and holds no secret.
`Sandbox.student()` lets it fork one child into namespaces of its own. Nothing here changes the owner or
mode of any path.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from course.sandbox.wire import Channel, Closed

INSIDE = "/run/examiner"
HOME = "/home/student"
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/alternatives", "/etc/fonts", "/etc/localtime")
INSIDE_FILES = ("__init__.py", "fork_server.py", "session.py", "wire.py")
ENVIRONMENT = {
    "HOME": HOME,
    "IPYTHONDIR": f"{HOME}/.ipython",
    "LANG": "C.UTF-8",
    "LOGNAME": "student",
    "MPLBACKEND": "agg",
    "MPLCONFIGDIR": f"{HOME}/.matplotlib",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "USER": "student",
}
MODULES = (
    "matplotlib.pyplot",
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
BIRTH_SECONDS = 20.0
# User ids that systemd sets aside for passing users: no file and no account has them.
FIRST_UID, UIDS = 61184, 4336


class NoSandbox(RuntimeError):
    """No sandbox can be made here; the message is the reason."""


@dataclass(frozen=True)
class ResourceLimits:
    """What one student's process may use."""

    cell_seconds: float = 20.0
    call_seconds: float = 5.0
    total_seconds: float = 120.0
    memory_bytes: int = 2_000_000_000
    disk_bytes: int = 64_000_000
    file_bytes: int = 64_000_000
    processes: int = 48
    open_files: int = 256


@dataclass
class Process:
    """One student's process, seen from outside: a channel to it, and the power to end it and all it
    started."""

    channel: Channel
    handle: int
    limits: ResourceLimits
    died_of_memory: bool = False
    ended: bool = False

    def ask(self, order: dict, seconds: float) -> Any:
        """Its answer to one order; raises Late, Closed or BadData, after which it is of no more use."""
        deadline = time.monotonic() + seconds
        self.channel.send(order, deadline)
        return self.channel.receive(deadline)

    def interrupt(self) -> None:
        """What the stop button of a notebook does."""
        self.signal(signal.SIGINT)

    def end(self) -> None:
        """Kill it and, since it is the first process of its world, everything in that world."""
        if not self.ended:
            self.ended = True
            self.signal(signal.SIGKILL)
            self.channel.close()
            os.close(self.handle)

    def memory_bytes(self) -> int:
        """What the process and all that it started hold in memory."""
        return sum(_resident_bytes(pid) for pid in family(self.pid))

    @property
    def pid(self) -> int:
        """Its process id as this process sees it."""
        for line in Path(f"/proc/self/fdinfo/{self.handle}").read_text().splitlines():
            if line.startswith("Pid:"):
                return int(line.split()[1])
        return -1

    def signal(self, number: int) -> None:
        """Send a signal; a process that is gone already takes none."""
        with contextlib.suppress(ProcessLookupError, OSError):
            signal.pidfd_send_signal(self.handle, number)


@dataclass
class TrustedProcess:
    """A student's process without any walls, for submissions that the instructor trusts."""

    channel: Channel
    program: subprocess.Popen
    limits: ResourceLimits
    died_of_memory: bool = False

    ask = Process.ask

    def interrupt(self) -> None:
        """What the stop button of a notebook does."""
        self.program.send_signal(signal.SIGINT)

    def end(self) -> None:
        """Kill it; what it started may live on, since nothing holds it."""
        self.channel.close()
        self.program.kill()
        self.program.wait()


@dataclass
class Sandbox:
    """A nursery under bubblewrap; a context manager, and nothing of it is left when the context ends."""

    limits: ResourceLimits = field(default_factory=ResourceLimits)
    hidden: tuple[Path, ...] = ()
    modules: tuple[str, ...] = MODULES
    isolates: bool = field(default=True, init=False)
    _server: subprocess.Popen | None = None
    _control: socket.socket | None = None
    _current: Process | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def student(self) -> Process:
        """A fresh process, with nothing in it of any other; the one before it is ended."""
        self._end_current()
        for attempt in (1, 2):
            try:
                self._start()
                self._current = self._birth()
                return self._current
            except (OSError, Closed):
                self.close()
                if attempt == 2:
                    raise
        raise AssertionError

    def close(self) -> None:
        """End the nursery and all of its children."""
        self._end_current()
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
        self._server = self._control = None

    def _end_current(self) -> None:
        if self._current is not None:
            self._current.end()
        self._current = None

    def _start(self) -> None:
        if self._server is not None and self._server.poll() is None:
            return
        reason = unavailable()
        if reason:
            raise NoSandbox(reason)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        started = ("n.main(birth, int(sys.argv[8]), sys.argv[9:])", str(theirs.fileno()), *self.modules)
        command = [*_bubblewrap(self.hidden), *_python(self.limits, *started)]
        with theirs, tempfile.TemporaryFile() as said:
            self._server = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env={},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            theirs.close()
            self._control.settimeout(START_SECONDS)
            try:
                ready = self._control.recv(16) == b"ready"
            except OSError:
                ready = False
            if not ready:
                said.seek(0)
                raise NoSandbox(said.read().decode(errors="replace").strip()[-400:] or "no answer")

    def _birth(self) -> Process:
        ours, theirs = socket.socketpair()
        with theirs:
            self._control.settimeout(BIRTH_SECONDS)
            socket.send_fds(self._control, [b"one more"], [theirs.fileno()])
        word, handles, _, _ = socket.recv_fds(self._control, 16, 1)
        if word != b"born" or not handles:
            ours.close()
            raise Closed
        return Process(Channel(ours), handles[0], self.limits)


@dataclass
class Trust:
    """No sandbox: one ordinary interpreter a student, with this user's rights. Only for work that is
    trusted."""

    limits: ResourceLimits = field(default_factory=ResourceLimits)
    modules: tuple[str, ...] = MODULES
    isolates: bool = field(default=False, init=False)
    _current: TrustedProcess | None = None

    def __enter__(self) -> Trust:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def student(self) -> TrustedProcess:
        """A fresh process; the one before it is ended."""
        self.close()
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
            )
            self._current = TrustedProcess(Channel(_greeted(server, word)), program, self.limits)
        return self._current

    def close(self) -> None:
        """End the process that is running, if there is one."""
        if self._current is not None:
            self._current.end()
        self._current = None


def _greeted(server: socket.socket, word: str) -> socket.socket:
    """The connection that knows the word."""
    while True:
        connection, _ = server.accept()
        connection.settimeout(START_SECONDS)
        if connection.recv(len(word)) == word.encode():
            return connection
        connection.close()


@lru_cache(maxsize=1)
def unavailable() -> str | None:
    """Why no sandbox can be made on this machine; None when it can."""
    if sys.platform != "linux":
        return "not Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    command = [*_bubblewrap(()), *_python(ResourceLimits(), "n.trial(birth)")]
    trial = subprocess.run(command, capture_output=True, text=True, env={}, timeout=START_SECONDS)
    return None if trial.returncode == 0 else trial.stderr.strip()[-400:] or "bwrap failed"


def _python(limits: ResourceLimits, call: str, *arguments: str) -> list[str]:
    """The command of the nursery: the interpreter in isolated mode, with our three files and `helpers` on
    its path."""
    start = f"import sys; sys.path.insert(0, '{INSIDE}'); from course.sandbox import fork_server as n; "
    start += "birth = n.Birth(*(None if a == '-' else int(a) for a in sys.argv[1:8])); "
    born = (
        _uid(),
        limits.memory_bytes,
        int(limits.total_seconds) + 5,
        limits.processes,
        limits.file_bytes,
        limits.open_files,
        limits.disk_bytes,
    )
    numbers = ("-" if value is None else str(value) for value in born)
    return [sys.executable, "-I", "-c", start + call, *numbers, *arguments]


_uids = itertools.count()


def _uid() -> int | None:
    """A user id that nobody else has, where root may give one away; None where the sandbox runs as a plain
    user."""
    if not _gives_ids():
        return None
    return FIRST_UID + (os.getpid() * 16 + next(_uids)) % UIDS


def _gives_ids() -> bool:
    """True for a root that may hand out the ids for passing users; the root of a small user namespace may
    not."""
    if os.geteuid() != 0:
        return False
    ranges = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text().splitlines())
    return any(first <= FIRST_UID and first + count >= FIRST_UID + UIDS for first, _, count in ranges)


def _bubblewrap(hidden: tuple[Path, ...]) -> list[str]:
    command = [
        "bwrap",
        "--die-with-parent",
        "--new-session",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
    ]
    command += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "notebook", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        command += ["--setenv", name, value]
    if _gives_ids():
        for capability in ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP"):
            command += ["--cap-add", f"CAP_{capability}"]
    else:
        command += ["--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]
    command += _view(hidden)
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME]


def _view(hidden: tuple[Path, ...]) -> list[str]:
    """The file system inside: the system and Python read-only, our three files, `helpers`; no course, no
    home."""
    view: list[str] = ["--perms", "0755", "--dir", "/run"]
    made: set[str] = {"/", "/run"}
    for folder in SYSTEM_FOLDERS:
        path = Path(folder)
        if path.is_symlink():
            view += ["--symlink", os.readlink(folder), folder]
        elif path.is_dir():
            view += ["--ro-bind", folder, folder]
    for name in SYSTEM_FILES:
        view += [*_parents(name, made), "--ro-bind-try", name, name]
    view += ["--proc", "/proc", "--dev", "/dev"]
    for folder in (HOME, "/tmp"):
        view += [*_parents(folder, made), "--perms", "0755", "--tmpfs", folder]
        made.add(folder)
    for folder in _python_folders():  # after /tmp, which would hide an interpreter that lives there
        view += [*_parents(folder, made), "--ro-bind", folder, folder]
    for folder in _concealed(hidden):
        view += ["--perms", "0755", "--tmpfs", folder, "--remount-ro", folder]
    return view + _ours(made)


def _ours(made: set[str]) -> list[str]:
    here, place = Path(__file__).parent, f"{INSIDE}/course"
    view = [*_parents(f"{place}/sandbox/x", made)]
    view += ["--ro-bind", str(here.parent / "__init__.py"), f"{place}/__init__.py"]
    for name in INSIDE_FILES:
        view += ["--ro-bind", str(here / name), f"{place}/sandbox/{name}"]
    helpers = here.parents[1] / "helpers"
    return [*view, "--ro-bind", str(helpers), f"{INSIDE}/helpers"]


def _parents(path: str, made: set[str]) -> list[str]:
    """Folders on the way to `path`, readable by all: left to itself, bubblewrap makes them for their owner
    only."""
    view: list[str] = []
    for folder in reversed(Path(path).parents):
        if str(folder) not in made and not _inside(folder, SYSTEM_FOLDERS):
            view += ["--perms", "0755", "--dir", str(folder)]
        made.add(str(folder))
    return view


def _python_folders() -> list[str]:
    """The interpreter's own folders that do not lie in /usr."""
    executable = Path(os.path.realpath(sys.executable))
    found = {sys.prefix, sys.base_prefix, str(executable.parent.parent), *_links(sys.executable)}
    return sorted(folder for folder in found if not _inside(Path(folder), SYSTEM_FOLDERS))


def _links(path: str) -> Iterator[str]:
    """The folders of the links that lead to a program: an environment may be made from another one's."""
    while os.path.islink(path):
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        yield os.path.dirname(path)


def _concealed(hidden: tuple[Path, ...]) -> Iterator[str]:
    """What must not be seen although it lies in a folder that is shown: course machinery, settings, course
    folders."""
    shown = [*SYSTEM_FOLDERS, *_python_folders()]
    own = [Path(folder) / "course" for folder in sys.path if folder.endswith("site-packages")]
    settings = [Path(folder) / "etc" / "jupyter" for folder in ("/usr/local", *_python_folders())]
    for path in (*own, *settings, *(path.resolve() for path in hidden)):
        if path.is_dir() and not path.is_symlink() and _inside(path, shown):
            yield str(path)


def _inside(path: Path, folders: Any) -> bool:
    return any(path == Path(folder) or Path(folder) in path.parents for folder in folders)


def family(root: int) -> set[int]:
    """`root` and every process that descends from it."""
    parents = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    Path(entry.path, "stat").read_text().rpartition(")")[2].split()[1]
                )
            except (OSError, ValueError, IndexError):
                continue
    family, grown = {root}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return family


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


@dataclass
class MemoryWatch:
    """Ends a student's process that holds more memory than it may, all of its children counted."""

    process: Process
    interval_seconds: float = 0.5

    def run(self) -> None:
        """Look, until there is nothing left to look at."""
        time.sleep(self.interval_seconds)
        while not self.process.ended:
            with contextlib.suppress(OSError):
                if self.process.memory_bytes() > self.process.limits.memory_bytes:
                    self.process.died_of_memory = True
                    self.process.signal(signal.SIGKILL)
                    return
            time.sleep(self.interval_seconds)
