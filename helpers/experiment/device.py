"""The device as the harness sees it: clock, memory figures, and whether it still works."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from helpers import preflight, timing

LONGEST_ANSWER_S = 5.0


@dataclass(frozen=True)
class Load:
    """What the driver says of a device at work; None where it says nothing."""

    sm_clock_mhz: float | None = None
    temperature_c: float | None = None


def ask_load(gpu: str) -> preflight.Asked:
    return preflight.Asked("clocks.sm,temperature.gpu", gpu)


@dataclass(frozen=True)
class DeviceRuntime:
    """What the harness asks of a device: its clock, its memory figures, and whether it still works."""

    kind: Literal["cuda", "mps", "cpu"]
    torch: Any
    clock: timing.Clock
    ask: Callable[[str], preflight.Asked] = ask_load

    def reset_peak(self) -> None:
        if self.kind == "cuda":
            self.torch.cuda.reset_peak_memory_stats()

    def peak_bytes(self) -> int | None:
        """Peak of the allocator since `reset_peak`; None where there is no such figure."""
        return self.torch.cuda.max_memory_allocated() if self.kind == "cuda" else None

    def allocated_bytes(self) -> int | None:
        if self.kind == "cuda":
            return self.torch.cuda.memory_allocated()
        return self.torch.mps.current_allocated_memory() if self.kind == "mps" else None

    def free_bytes(self) -> int | None:
        """What can still be had: free on the device, and reserved by this process without being used."""
        if self.kind == "cuda":
            unused = self.torch.cuda.memory_reserved() - self.torch.cuda.memory_allocated()
            return self.torch.cuda.mem_get_info()[0] + unused
        return preflight.available_bytes()

    def release(self) -> None:
        """Give back whatever nobody holds any more."""
        gc.collect()
        if self.kind == "cuda":
            self.torch.cuda.empty_cache()
        elif self.kind == "mps":
            self.torch.mps.empty_cache()

    def works(self) -> bool:
        """Whether the device still computes: a 64 MB product, not a 4-byte probe."""
        try:
            ones = self.torch.ones((4096, 4096), device=self.kind)
            right = float((ones @ ones[:, :1])[0].item()) == 4096.0
        except Exception:
            return False
        return right

    def under_load(self, step: Callable[[], Any], restore: Callable[[], object]) -> Load:
        """Clock and temperature while the device is busy: it runs the step until the driver has answered."""
        if self.kind != "cuda":
            return Load()
        asked = self.ask(preflight.gpu_of(self.torch))
        until = time.perf_counter() + LONGEST_ANSWER_S
        while not asked.has_answered and time.perf_counter() < until:
            restore()
            step()
            self.clock.synchronize()
        restore()
        clock, temperature = asked.numbers(2)
        return Load(clock, temperature)


def runtime_for(kind: Literal["cuda", "mps", "cpu"]) -> DeviceRuntime:
    """What the harness asks of this kind of device."""
    import torch

    return DeviceRuntime(kind, torch, timing.clock_for(kind, torch))
