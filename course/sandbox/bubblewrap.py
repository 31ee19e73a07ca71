"""What the sandbox is and shows, as bubblewrap's arguments: namespaces, a fixed environment, a file system
without the course."""

from __future__ import annotations

import os
from pathlib import Path

from course.sandbox.isolation import BESIDE, HOME
from course.sandbox.private import private_folders
from course.sandbox.view import SYSTEM_FOLDERS, WRITABLE, SandboxView

INSIDE = "/run/examiner"
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/alternatives", "/etc/fonts", "/etc/localtime")
INSIDE_FILES = (
    "__init__.py",
    "causes.py",
    "channel.py",
    "fork_server.py",
    "isolation.py",
    "libc.py",
    "limits.py",
    "outputs.py",
    "pictures.py",
    "remainder.py",
    "session.py",
    "shell.py",
    "system_calls.py",
    "wire.py",
)
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


def command(hidden: tuple[Path, ...], gives_uid: bool, beside: Path | None = None) -> list[str]:
    """What to put before a program to run it inside; `gives_uid` where root gives each process a user id,
    `beside` is a folder that each gets a copy of."""
    words = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    words += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "notebook", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    if gives_uid:
        for capability in ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP"):
            words += ["--cap-add", f"CAP_{capability}"]
    else:
        words += ["--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]
    words += _view(hidden)
    words += ["--ro-bind", str(beside), BESIDE] if beside else []
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME]


def _view(hidden: tuple[Path, ...]) -> list[str]:
    """The file system inside: the system and Python read-only, the inside files, `helpers`; no course, no
    home."""
    view: list[str] = ["--perms", "0755", "--dir", "/run"]
    for folder in SYSTEM_FOLDERS:
        path = Path(folder)
        if path.is_symlink():
            view += ["--symlink", os.readlink(folder), folder]
        elif path.is_dir():
            view += ["--ro-bind", folder, folder]
    for name in SYSTEM_FILES:
        view += [*_parents(name), "--ro-bind-try", name, name]
    view += ["--proc", "/proc", "--dev", "/dev"]
    for folder in WRITABLE:
        view += [*_parents(folder), "--perms", "0755", "--tmpfs", folder]
    # After /tmp, which would hide an interpreter that lives there.
    return [*view, *SandboxView((*private_folders(), *hidden)).words(), *_inside_files()]


def _inside_files() -> list[str]:
    here, place = Path(__file__).parent, f"{INSIDE}/course"
    view = [*_parents(f"{place}/sandbox/x")]
    view += ["--ro-bind", str(here.parent / "__init__.py"), f"{place}/__init__.py"]
    for name in INSIDE_FILES:
        view += ["--ro-bind", str(here / name), f"{place}/sandbox/{name}"]
    helpers = here.parents[1] / "helpers"
    return [*view, "--ro-bind", str(helpers), f"{INSIDE}/helpers"]


def _parents(path: str) -> list[str]:
    """Folders on the way to `path`, readable by all: left to itself, bubblewrap makes them for their owner
    only."""
    folders = [str(folder) for folder in reversed(Path(path).parents) if folder != Path("/")]
    return [word for folder in folders for word in ("--perms", "0755", "--dir", folder)]
