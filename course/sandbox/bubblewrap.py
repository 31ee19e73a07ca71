"""What the sandbox is and shows, as bubblewrap's arguments: namespaces, a fixed environment, a file system
without the course."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

INSIDE = "/run/examiner"
HOME = "/home/student"
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
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


def command(hidden: tuple[Path, ...], gives_uid: bool) -> list[str]:
    """What to put before a program to run it inside; `gives_uid` where root gives each process a user id."""
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
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME]


def _view(hidden: tuple[Path, ...]) -> list[str]:
    """The file system inside: the system and Python read-only, the inside files, `helpers`; no course, no
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
    for folder in concealed(hidden):
        view += ["--perms", "0755", "--tmpfs", folder, "--remount-ro", folder]
    return view + _inside_files(made)


def _inside_files(made: set[str]) -> list[str]:
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


def concealed(hidden: tuple[Path, ...]) -> Iterator[str]:
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
