"""A memory control group for the students of one sandbox: the kernel holds them to a limit that counts its
own memory too, what fills their sockets and pipes among it.

Linux has two kinds. In the first a group can be made below our own, where root (or whoever was given it) may;
in the second beside our own or below it, where the memory controller is handed on. Where neither is permitted
there is no group, and the watch in `memory` stands alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NAME = "course-students-{pid}-{mark}"
OURS = re.compile(r"course-students-(\d+)-\w+")
LIMITS = ("memory.max", "memory.limit_in_bytes")
PATIENCE_SECONDS = 2.0


@dataclass
class MemoryGroup:
    """One group; `folder` is its folder in the kernel's file system of groups."""

    folder: Path
    killed_before: int = 0

    @classmethod
    def made(cls, limit_bytes: int, parents: tuple[Path, ...] | None = None) -> MemoryGroup | None:
        """A group with this limit, below the first of `parents` that permits it; None where none does."""
        for parent in possible_parents() if parents is None else parents:
            group = cls(parent / NAME.format(pid=os.getpid(), mark=secrets.token_hex(4)))
            with contextlib.suppress(OSError):
                group.folder.mkdir()
                try:
                    group._limit(limit_bytes)
                    return group
                except OSError:
                    group.remove()
        return None

    def _limit(self, limit_bytes: int) -> None:
        name = next((name for name in LIMITS if (self.folder / name).exists()), None)
        if name is None:
            raise OSError("the memory controller is not handed on to groups made here")
        (self.folder / name).write_text(str(limit_bytes))
        with contextlib.suppress(OSError):  # without swap there is none to forbid
            (self.folder / "memory.swap.max").write_text("0")

    def add(self, pid: int) -> None:
        """Take in a process, and with it all that it will fork; raises OSError. What it holds already does
        not count. The kernel takes its time for this."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def begin(self) -> None:
        """From here on `has_killed` speaks of the student's process that begins now."""
        self.killed_before = self._killed()

    @property
    def has_killed(self) -> bool:
        """Whether the kernel has ended a process of this student's for its memory."""
        return self._killed() > self.killed_before

    def _killed(self) -> int:
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError, AttributeError):
                return int(re.search(r"^oom_kill (\d+)", (self.folder / name).read_text(), re.MULTILINE)[1])
        return 0

    def remove(self) -> None:
        """Take the group away, once the last of its processes, which may be just dying, has gone."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not _removed(self.folder) and time.monotonic() < deadline:
            time.sleep(0.01)


def sweep(parents: tuple[Path, ...] | None = None) -> None:
    """Take away the groups of processes that were killed before they could."""
    for parent in possible_parents() if parents is None else parents:
        for folder in parent.glob("course-students-*"):
            owner = OURS.fullmatch(folder.name)
            if owner and not Path(f"/proc/{owner[1]}").exists():
                _removed(folder)


def is_permitted() -> bool:
    """Whether a group can be made here; one is made on trial."""
    group = MemoryGroup.made(1 << 30)
    if group is not None:
        group.remove()
    return group is not None


def possible_parents() -> tuple[Path, ...]:
    """Where a group may be made, the place nearest to our own first."""
    with contextlib.suppress(OSError):
        own, mounts = Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text()
        return tuple(parents_in(own, mounts))
    return ()


def parents_in(own: str, mounts: str) -> Iterator[Path]:
    """The same, told from the kernel's tables of our groups and of what is mounted."""
    for line in own.splitlines():
        number, controllers, path = line.split(":", 2)
        is_second_kind = number == "0" and not controllers
        if is_second_kind or "memory" in controllers.split(","):
            folder = _folder(path, mounts, is_second_kind)
            if folder is not None:
                yield folder
                if is_second_kind and path != "/":
                    yield folder.parent


def _folder(path: str, mounts: str, is_second_kind: bool) -> Path | None:
    """Where a group's folder is seen."""
    for line in mounts.splitlines():
        place, _, about = line.partition(" - ")
        kind, _, options = about.split(" ", 2)
        _, _, _, root, where = place.split()[:5]
        fits = kind == "cgroup2" if is_second_kind else kind == "cgroup" and "memory" in options.split(",")
        if fits and Path(path).is_relative_to(root):
            return Path(where) / Path(path).relative_to(root)
    return None


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:  # a process is still in it
        return False
    return True
