"""A device at work: products checked against a wider type, then timed, and the allocator's window."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from helpers import results, timing
from helpers.gemm.device import chosen_device
from helpers.gemm.files import checked_part
from helpers.gemm.queue import CpuQueue
from helpers.gemm.report import AllocatorWindow, GemmRecord, Setting
from helpers.gemm.shape import Gemm
from helpers.text import say

TEMPORARY_SIDE = 2048
SHAPE_BUDGET_S = 5.0


class Bench:
    """A device, its clock and its products."""

    def __init__(self, device: str) -> None:
        import torch

        self.torch = torch
        self.device: Any = chosen_device(device, torch)
        self.on_cpu = self.device in ("cpu", "queue")
        self.queue = CpuQueue() if self.device == "queue" else None
        self.clock = self.queue.clock if self.queue else timing.clock_for(self.device, torch)
        self.dtype = torch.float32 if self.on_cpu else torch.float16

    def setting(self, label: str, shapes: Iterable[Gemm], rounds: int, warmup: int, seed: int) -> Setting:
        sides = tuple((shape.m, shape.k, shape.n) for shape in shapes)
        data = {
            "label": results.run_label(label),
            "device": self.device,
            "device_name": self._name(),
            "dtype": str(self.dtype).removeprefix("torch."),
            "torch": self.torch.__version__,
            "python": platform.python_version(),
            "cpu_threads": self.torch.get_num_threads() if self.on_cpu else None,
            "device_memory_bytes": self._memory_bytes(),
            "shapes": sides,
            "rounds": rounds,
            "warmup": warmup,
            "seed": seed,
        }
        return checked_part(Setting, data, "gemm")

    def _name(self) -> str:
        if self.device == "cuda":
            return self.torch.cuda.get_device_name(0)
        name = platform.processor() or platform.machine() or self.device
        return f"{name} behind a queue" if self.queue else name

    def _memory_bytes(self) -> int | None:
        if self.device == "cuda":
            return int(self.torch.cuda.get_device_properties(0).total_memory)
        return int(self.torch.mps.recommended_max_memory()) if self.device == "mps" else None

    def measure(self, shape: Gemm, setting: Setting) -> GemmRecord:
        """Check the product, then time it."""
        torch = self.torch
        with torch.inference_mode():
            source = torch.Generator().manual_seed(setting.seed)
            place = "cpu" if self.on_cpu else self.device
            x = torch.randn(shape.m, shape.k, generator=source).to(place, self.dtype)
            weight = torch.randn(shape.k, shape.n, generator=source).to(place, self.dtype)
            difference: list[float] = []
            timed = timing.measure(
                self._step(x, weight),
                self.clock,
                timing.Repetition(setting.warmup, setting.rounds, budget_s=SHAPE_BUDGET_S, min_repeats=6),
                inspect=lambda output: difference.append(self._difference(shape, x, weight, output)),
            )
        events = timed.boundary == "event"
        return GemmRecord(
            m=shape.m,
            k=shape.k,
            n=shape.n,
            max_abs_difference=difference[0],
            cold_us=timed.cold_ms * 1e3,
            submit_samples_us=_us(timed.submit_samples_ms) if events else None,
            synchronized_samples_us=_us(timed.wall_samples_ms if events else timed.samples_ms),
            event_samples_us=_us(timed.samples_ms) if events else None,
        )

    def _step(self, x: Any, weight: Any) -> Callable[[], Any]:
        if self.queue:
            return lambda: self.queue.submit(lambda: x @ weight)
        return lambda: x @ weight

    def _difference(self, shape: Gemm, x: Any, weight: Any, output: Any) -> float:
        """The largest distance from the product in the next wider type; one too large is refused."""
        wide = self.torch.float64 if self.dtype == self.torch.float32 else self.torch.float32
        output = output.result() if self.queue else output
        reference = x.to(wide) @ weight.to(wide)
        relative, absolute = (1e-5, 1e-4) if wide == self.torch.float64 else (2e-3, 2e-2)
        absolute *= max(1.0, math.sqrt(shape.k / 1024))
        distance = (output.to(wide) - reference).abs()
        if not bool((distance <= absolute + relative * reference.abs()).all()):
            raise ValueError(say("gemm.wrong", shape=shape, got=f"{float(distance.max()):.3g}"))
        return float(distance.max())

    def memory_window(self) -> AllocatorWindow:
        """What the caching allocator says before, with and after a temporary tensor of 16 MiB."""
        if self.device != "cuda":
            return AllocatorWindow()
        cuda, torch = self.torch.cuda, self.torch
        cuda.synchronize()
        baseline = (cuda.memory_allocated(), cuda.memory_reserved())
        cuda.reset_peak_memory_stats()
        temporary = torch.empty((TEMPORARY_SIDE, TEMPORARY_SIDE), device=self.device, dtype=torch.float32)
        temporary.fill_(1)
        cuda.synchronize()
        size, peak = temporary.nbytes, (cuda.max_memory_allocated(), cuda.max_memory_reserved())
        del temporary
        cuda.synchronize()
        after = (cuda.memory_allocated(), cuda.memory_reserved())
        return AllocatorWindow(
            temporary_bytes=size,
            baseline_allocated_bytes=baseline[0],
            baseline_reserved_bytes=baseline[1],
            peak_allocated_bytes=peak[0],
            peak_reserved_bytes=peak[1],
            after_allocated_bytes=after[0],
            after_reserved_bytes=after[1],
        )


def _us(samples_ms: Sequence[float]) -> tuple[float, ...]:
    return tuple(sample * 1e3 for sample in samples_ms)
