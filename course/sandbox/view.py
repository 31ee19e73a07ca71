"""What can be seen inside the sandbox: the system and Python, read-only; private folders are covered wherever
they lie, and Python's own within them are shown again."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
NEEDED_OF_SYSTEM = ("/usr/bin", "/usr/lib")
WRITABLE = ("/tmp", "/home/student")  # empty inside, and each process has its own
# Nothing else of an environment is shown: its folder may be the course folder (`python -m venv .`).
OF_PYTHON = (
    *("bin", "lib", "lib32", "lib64", "libexec", "include", "targets"),
    *("etc/fonts", "fonts", "share/fonts", "share/zoneinfo"),
)
VERSIONED = f"python{sys.version_info[0]}.{sys.version_info[1]}"
OF_AN_ENVIRONMENT = ("bin", f"lib/{VERSIONED}", f"lib64/{VERSIONED}", "pyvenv.cfg")


class NotConcealed(RuntimeError):
    """A private folder cannot be covered, since something that Python or the system needs lies in it."""

    def __init__(self, folder: Path, needed: Path) -> None:
        super().__init__(f"{folder} cannot be concealed, since {needed} is needed inside the sandbox")
        self.folder, self.needed = folder, needed


@dataclass(frozen=True)
class _Layer:
    """One thing put into the view, over what was there before."""

    place: Path
    what: Literal["shown", "covered", "link"]

    def words(self) -> list[str]:
        """How bubblewrap is told."""
        place = str(self.place)
        if self.what == "covered":
            return ["--perms", "0755", "--tmpfs", place]
        if self.what == "link":
            return ["--symlink", os.readlink(place), place]
        return ["--ro-bind", place, place]


@dataclass(frozen=True)
class SandboxView:
    """The folders that are shown, and what of them is covered."""

    hidden: tuple[Path, ...] = ()

    def words(self) -> list[str]:
        """bubblewrap's arguments, after those that make the system folders; raises NotConcealed."""
        words: list[str] = []
        covers = [layer.place for layer in self.layers if layer.what == "covered"]
        for layer in self.layers:
            words += [*self._way_to(layer.place, covers), *layer.words()]
        for place in covers:
            words += ["--remount-ro", str(place)]
        return words

    @cached_property
    def layers(self) -> list[_Layer]:
        """Outer ones before inner ones; what would change nothing is left out."""
        wanted = [*_python_layers(), *(_Layer(place, "covered") for place in self.covered())]
        found: list[_Layer] = []
        for layer in sorted(set(wanted), key=lambda layer: (len(layer.place.parts), str(layer.place))):
            visible = _is_visible(layer.place, found)
            if visible == (layer.what == "covered") or layer.place in _writable_prefixes():
                found.append(layer)
        return found

    def covered(self) -> list[Path]:
        """Every place inside where a private folder would be seen; raises NotConcealed."""
        return sorted({place for folder in self.hidden for place in self._places(folder)})

    def _places(self, folder: Path) -> Iterator[Path]:
        real = Path(os.path.realpath(folder))
        if real == Path("/") or not real.is_dir():
            return
        for where in {real, *_also_at(real)}:
            for shown in _shown():
                target = Path(os.path.realpath(shown))
                if where == target:
                    raise NotConcealed(folder, shown)
                if where.is_relative_to(target) and os.path.isdir(where):
                    _require_nothing_in(where, folder)
                    yield shown / where.relative_to(target)

    @staticmethod
    def _way_to(place: Path, covers: list[Path]) -> Iterator[str]:
        """Folders on the way there, readable by all: left to itself, bubblewrap makes them for their owner
        only. Within what is shown they are there."""
        outer = max((cover for cover in covers if cover in place.parents), key=_depth, default=None)
        for folder in reversed(place.parents):
            if folder != Path("/") and (
                outer in folder.parents if outer else not _inside(folder, SYSTEM_FOLDERS)
            ):
                yield from ("--perms", "0755", "--dir", str(folder))


def _depth(path: Path) -> int:
    return len(path.parts)


def _inside(path: Path, folders: Iterable[Path | str]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _is_visible(place: Path, layers: list[_Layer]) -> bool:
    """Whether the host's own content is seen at this place, given the layers around it."""
    around = [layer for layer in layers if layer.what != "link" and place.is_relative_to(layer.place)]
    if around:
        return max(around, key=lambda layer: _depth(layer.place)).what == "shown"
    return _inside(place, SYSTEM_FOLDERS)


def _shown() -> list[Path]:
    """The folders whose content is shown."""
    system = [Path(folder) for folder in SYSTEM_FOLDERS if not os.path.islink(folder)]
    return [*(path for path in system if path.is_dir()), *_python_parts()]


def _prefixes() -> list[Path]:
    """The folders of this Python: the environment's, and those of the Python that it was made from."""
    executable = Path(os.path.realpath(sys.executable))
    return sorted({Path(sys.prefix), Path(sys.base_prefix), executable.parents[1]})


def _writable_prefixes() -> list[Path]:
    """Those that lie where a process may write: there Python's parts stand in a folder for reading."""
    return [prefix for prefix in _prefixes() if _inside(prefix, WRITABLE)]


def _python_parts() -> list[Path]:
    """What of those folders Python consists of."""
    found = []
    for prefix in _prefixes():
        parts = OF_AN_ENVIRONMENT if (prefix / "pyvenv.cfg").is_file() else OF_PYTHON
        found += [prefix / part for part in parts if prefix != Path("/") and (prefix / part).exists()]
    return found


def _python_layers() -> Iterator[_Layer]:
    yield from (_Layer(prefix, "covered") for prefix in _writable_prefixes())
    parts = _python_parts()
    yield from (_Layer(part, "shown") for part in parts)
    for step in _links(Path(sys.executable)):
        if not _inside(step, parts):
            yield _Layer(step, "link" if step.is_symlink() else "shown")


def _links(path: Path) -> Iterator[Path]:
    """The steps that links take to a program: an environment may be made from another one's."""
    while path.is_symlink():
        path = Path(os.path.normpath(path.parent / os.readlink(path)))
        yield path


def _require_nothing_in(place: Path, folder: Path) -> None:
    """Raise NotConcealed when covering `place` would cover what is needed and not shown again."""
    parts = [Path(os.path.realpath(part)) for part in _python_parts()]
    for needed in _needed():
        again = (part for part in parts if place in part.parents and needed.is_relative_to(part))
        if needed.is_relative_to(place) and not any(again):
            raise NotConcealed(folder, needed)


def _needed() -> Iterator[Path]:
    library = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    packages = [folder for folder in sys.path if folder.endswith(("site-packages", "dist-packages"))]
    for name in (*NEEDED_OF_SYSTEM, *library, *packages, sys.executable):
        if os.path.exists(name):
            yield Path(os.path.realpath(name))


@dataclass(frozen=True)
class _MountPoint:
    """A line of the table of mounts: which folder of which file system is seen where."""

    device: str
    root: Path
    place: Path


def _also_at(folder: Path) -> Iterator[Path]:
    """Other places that show the folder or a part of it: a container's volume may be mounted twice."""
    mounts = list(_mount_points())
    own = [mount for mount in mounts if folder.is_relative_to(mount.place)]
    if not own:
        return
    home = max(reversed(own), key=lambda mount: _depth(mount.place))
    inner = home.root / folder.relative_to(home.place)
    for mount in mounts:
        if mount.device == home.device and inner.is_relative_to(mount.root):
            yield mount.place / inner.relative_to(mount.root)
        elif mount.device == home.device and mount.root.is_relative_to(inner):
            yield mount.place


def _mount_points() -> Iterator[_MountPoint]:
    table = Path("/proc/self/mountinfo")
    for line in table.read_text().splitlines() if table.exists() else ():
        _, _, device, root, place = line.split()[:5]
        yield _MountPoint(device, Path(_unescaped(root)), Path(_unescaped(place)))


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
