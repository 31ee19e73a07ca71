"""What the operating system tells about the host: memory, load, the processor's name."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path


def memory() -> dict[str, int | None]:
    """Memory of the host that may be used now, and in all, where the system tells."""
    values = dict(_meminfo())
    limit = _cgroup_limit()
    total, free = values.get("MemTotal"), values.get("MemAvailable")
    if limit is not None and total is not None and limit[0] < total:
        total, free = limit[0], min(free or limit[0], limit[0] - limit[1])
    return {"free_bytes": free, "total_bytes": total}


def _meminfo() -> Iterable[tuple[str, int]]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        name, _, rest = line.partition(":")
        if rest.strip().endswith("kB"):
            yield name, int(rest.split()[0]) * 1024


def _cgroup_limit() -> tuple[int, int] | None:
    """Limit and use of a container's memory; None where there is no limit."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text().strip()
    except OSError:
        return None
    return (int(limit), int(used)) if limit.isdigit() and used.isdigit() else None


def load_per_core() -> float | None:
    """Processes that want to run, averaged over a minute, per core; None where unknown."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (OSError, AttributeError):
        return None


def cpu_name() -> str:
    """The processor's name as the system tells it, else its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine() or "CPU"


def available_bytes() -> int | None:
    """Memory of the host that may be used now; None where the system does not tell."""
    return memory()["free_bytes"]
