"""DeviceFacts and supplies judged: what stops a run, what needs care, and the precision it will use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from helpers.preflight.device import PROBE_BYTES, DeviceFacts
from helpers.preflight.weights import NEEDED, NEEDED_FOR_GGUF, Supply
from helpers.text import say
from helpers.workload import PROFILES, Dtype, ProfileId, without_gpu

Level = Literal["stop", "warn"]
BFLOAT16_FROM = (8, 0)
BUSY_LOAD = 0.5


@dataclass(frozen=True)
class Need:
    """What the experiment asks of the machine, in bytes, predicted."""

    weight_bytes: int
    smallest_shape_bytes: int
    largest_shape_bytes: int


@dataclass(frozen=True)
class PreflightFinding:
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
    findings: tuple[PreflightFinding, ...]
    dtype: Dtype
    facts: DeviceFacts
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


def dtype_for(found: DeviceFacts, asked: Dtype = "auto") -> Dtype:
    """bfloat16 from compute capability 8.0 on, float16 on older GPUs and MPS, float32 on a CPU."""
    if asked != "auto":
        return asked
    if found.device == "cpu":
        return "float32"
    modern = found.capability is not None and found.capability >= BFLOAT16_FROM
    return "bfloat16" if modern else "float16"


def check(
    profile_id: ProfileId,
    found: DeviceFacts,
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


def _finding(code: str, level: Level, **values: object) -> PreflightFinding:
    return PreflightFinding(code, level, tuple(values.items()))


def _device_findings(profile_id: ProfileId, found: DeviceFacts) -> Iterable[PreflightFinding]:
    if PROFILES[found.device] != profile_id:
        yield _finding("wrong_device", "stop", profile=profile_id, device=found.device)
        return
    if not found.available:
        built = "no_cuda" if found.cuda else "torch_without_cuda"
        yield _finding(built if found.device == "cuda" else "no_mps", "stop", cpu=without_gpu())
        return
    if found.kernel_error is not None:
        yield _kernel_finding(found)
    if found.others:
        yield _finding("busy", "warn", n=len(found.others), processes="; ".join(found.others))
    if found.load_per_core is not None and found.load_per_core > BUSY_LOAD:
        yield _finding("busy_cpu", "warn", load=f"{found.load_per_core:.0%}")


def _kernel_finding(found: DeviceFacts) -> PreflightFinding:
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


def has_kernels(found: DeviceFacts) -> bool:
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


def _dtype_findings(found: DeviceFacts, asked: Dtype) -> Iterable[PreflightFinding]:
    old = found.capability is not None and found.capability < BFLOAT16_FROM
    if asked == "bfloat16" and old:
        capability = "{}.{}".format(*(found.capability or ()))
        yield _finding("bfloat16", "stop", gpu=found.name, capability=capability)
    if asked in ("float16", "bfloat16") and found.device == "cpu":
        yield _finding("slow_dtype", "warn", dtype=asked)


def _memory_findings(found: DeviceFacts, need: Need) -> Iterable[PreflightFinding]:
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


def _supply_findings(supplied: Supply, need: Need) -> Iterable[PreflightFinding]:
    if supplied.weights_from in ("nowhere", "no_folder"):
        code = "no_weights" if supplied.weights_from == "nowhere" else "no_folder"
        yield _finding(code, "stop", where=supplied.where)
    if supplied.weights_from == "random":
        yield _finding("random_weights", "warn")
    room = supplied.disk_free_bytes
    if supplied.weights_from == "hub" and room is not None and room < need.weight_bytes * 1.05:
        yield _finding("disk", "stop", need=f"{need.weight_bytes * 1.05 / 1e9:.1f}", free=f"{room / 1e9:.1f}")


def _version_findings(supplied: Supply) -> Iterable[PreflightFinding]:
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
