"""What torch and the driver say about one device; a real kernel is run on it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from helpers.preflight import host
from helpers.preflight.driver import gpu_of, number, nvidia_smi

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
    uuid: str | None = None


def facts(device: str, torch: Any, *, smi: Callable[[str, str], str] | None = None) -> DeviceFacts:
    """What torch and the driver say about a device; a real kernel is run on it."""
    if device == "cuda":
        return _cuda_facts(torch, smi)
    if device == "mps":
        there = bool(torch.backends.mps.is_available())
        error = _kernel_error(torch, "mps") if there else None
        return DeviceFacts("mps", there, "Apple GPU (MPS)", kernel_error=error, **host.memory())
    load = host.load_per_core()
    error = _kernel_error(torch, "cpu")
    return DeviceFacts("cpu", True, host.cpu_name(), kernel_error=error, load_per_core=load, **host.memory())


def _cuda_facts(torch: Any, smi: Callable[[str, str], str] | None) -> DeviceFacts:
    if not torch.cuda.is_available():
        return DeviceFacts("cuda", False, "GPU", cuda=torch.version.cuda)
    processes = (smi or nvidia_smi)("compute-apps", "pid,used_memory,gpu_uuid")  # before torch is one of them
    gpu = gpu_of(torch)
    ask = smi or (lambda kind, fields: nvidia_smi(kind, fields, gpu))
    capability = tuple(torch.cuda.get_device_capability(0))
    try:
        free, total = torch.cuda.mem_get_info(0)
    except RuntimeError:
        free = total = None
    error = _kernel_error(torch, "cuda")
    clocks = [number(value) for value in ask("gpu", "clocks.sm,clocks.mem").split(",")]
    driver = ask("gpu", "driver_version")
    return DeviceFacts(
        device="cuda",
        available=True,
        name=torch.cuda.get_device_name(0),
        capability=capability,
        architectures=tuple(torch.cuda.get_arch_list()),
        kernel_error=error,
        free_bytes=free,
        total_bytes=total,
        driver=driver if driver and not driver.startswith("[") else None,
        cuda=torch.version.cuda,
        others=others_of(processes, gpu),
        sm_clock_mhz=clocks[0] if clocks else None,
        memory_clock_mhz=clocks[1] if len(clocks) > 1 else None,
        uuid=gpu,
    )


def others_of(lines: str, gpu: str, own: int | None = None) -> tuple[str, ...]:
    """The other processes on this GPU, of lines "pid, memory, uuid"; this one is not its own disturbance.

    In a container the driver numbers processes otherwise: the list is asked for before torch touches the
    device.
    """
    mine = str(os.getpid() if own is None else own)
    found = ([part.strip() for part in line.split(",")] for line in lines.splitlines() if line.strip())
    here = (parts for parts in found if len(parts) < 3 or parts[2] == gpu or not gpu.startswith("GPU-"))
    return tuple(", ".join(parts[:2]) for parts in here if parts[0] != mine)


def _kernel_error(torch: Any, device: str) -> str | None:
    """None if a small product is computed and right; otherwise what went wrong."""
    try:
        ones = torch.ones((PROBE_BYTES // 4 // 1024, 1024), device=device)
        total = float((ones @ ones[:1].T).sum().item())
    except Exception as error:  # a driver may raise anything here
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]
    return None if total == PROBE_BYTES / 4 else f"sum is {total}"
