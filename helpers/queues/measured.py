"""This machine's own queue: a GPU, or the CPU behind a queue of one thread; a step is a matrix product."""

from __future__ import annotations

import time
from typing import Any

from helpers import gemm, timing


class MeasuredQueue:
    """A real device that takes the calls of a simulated one; the step is one product of the seed's shape."""

    def __init__(self, device: str = "auto") -> None:
        import torch

        self._torch = torch
        self.device = gemm.chosen_device(device, torch, ("cuda", "queue"))
        self._queue = gemm.CpuQueue() if self.device == "queue" else None
        self._clock = self._queue.clock if self._queue else timing.clock_for(self.device, torch)
        self.shape = gemm.SHAPE_CPU if self._queue else gemm.SHAPE_GPU
        self.dtype = torch.float32 if self._queue else torch.float16
        source = torch.Generator().manual_seed(181)
        wide = torch.randn(self.shape.m, self.shape.k, generator=source, dtype=torch.float64)
        weight = torch.randn(self.shape.k, self.shape.n, generator=source, dtype=torch.float64)
        place = "cpu" if self._queue else self.device
        self._x, self._weight = wide.to(place, self.dtype), weight.to(place, self.dtype)
        rounded = self._x.cpu().to(torch.float64) @ self._weight.cpu().to(torch.float64)
        self.reference: list[float] = rounded.flatten().tolist()

    def now_us(self) -> float:
        """The host's clock."""
        return time.perf_counter() * 1e6

    def step(self) -> Any:
        """Submit one product and return at once."""
        if self._queue:
            return self._queue.submit(lambda: self._x @ self._weight)
        return self._x @ self._weight

    def synchronize(self) -> None:
        """Wait until the device has done everything that was submitted."""
        self._clock.synchronize()

    def event(self) -> Any:
        """Put a mark behind everything that was submitted."""
        assert self._clock.event is not None
        mark = self._clock.event()
        mark.record()
        return mark

    def between_us(self, begin: Any, end: Any) -> float:
        """The device's time from one mark to another."""
        return float(begin.elapsed_time(end)) * 1e3

    def read(self, output: Any) -> list[float]:
        """The numbers of a result, after waiting for it."""
        result = output.result() if self._queue else output
        return result.cpu().to(self._torch.float64).flatten().tolist()
