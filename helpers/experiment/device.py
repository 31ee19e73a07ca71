"""The device as the harness sees it: clock, memory figures, and whether it still works."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any, Literal

from helpers import preflight, timing


@dataclass(frozen=True)
class DeviceRuntime:
    """What the harness asks of a device: its clock, its memory figures, and whether it still works."""

    kind: Literal["cuda", "mps", "cpu"]
    torch: Any
    clock: timing.Clock

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
        if self.kind == "cuda":
            return self.torch.cuda.mem_get_info()[0] + self.torch.cuda.memory_reserved()
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

    def sm_clock_mhz(self) -> float | None:
        if self.kind != "cuda":
            return None
        return preflight.clock_mhz(preflight.nvidia_smi("gpu", "clocks.sm"))


def runtime_for(kind: Literal["cuda", "mps", "cpu"]) -> DeviceRuntime:
    """What the harness asks of this kind of device."""
    import torch

    return DeviceRuntime(kind, torch, timing.clock_for(kind, torch))
