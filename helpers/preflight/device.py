"""What torch and the driver say about one device; a real kernel is run on it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from helpers.preflight import host

PROBE_BYTES = 4_194_304


@dataclass(frozen=True)
class DeviceFacts:
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


def facts(device: str, torch: Any, *, smi: Callable[[str, str], str] | None = None) -> DeviceFacts:
    """What torch and the driver say about a device; a real kernel is run on it."""
    if device == "cuda":
        return _cuda_facts(torch, smi or nvidia_smi)
    if device == "mps":
        there = bool(torch.backends.mps.is_available())
        error = _kernel_error(torch, "mps") if there else None
        return DeviceFacts("mps", there, "Apple GPU (MPS)", kernel_error=error, **host.memory())
    load = host.load_per_core()
    error = _kernel_error(torch, "cpu")
    return DeviceFacts("cpu", True, host.cpu_name(), kernel_error=error, load_per_core=load, **host.memory())


def _cuda_facts(torch: Any, smi: Callable[[str, str], str]) -> DeviceFacts:
    if not torch.cuda.is_available():
        return DeviceFacts("cuda", False, "GPU", cuda=torch.version.cuda)
    capability = tuple(torch.cuda.get_device_capability(0))
    try:
        free, total = torch.cuda.mem_get_info(0)
    except RuntimeError:
        free = total = None
    error = _kernel_error(torch, "cuda")
    clocks = [clock_mhz(value) for value in smi("gpu", "clocks.sm,clocks.mem").split(",")]
    return DeviceFacts(
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


def clock_mhz(value: str) -> float | None:
    """The number in the driver's "1590 MHz"; None where it tells none."""
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
