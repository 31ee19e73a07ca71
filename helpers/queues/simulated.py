"""A device behind a queue on a false clock: nothing is waited for, every time can be worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from helpers.text import say

REFERENCE = (1.0, -2.0, 0.5, 4.0)


@dataclass(frozen=True)
class SimulatedEvent:
    """A mark in the queue: when the device came to it."""

    reached_us: float


@dataclass
class SimulatedQueue:
    """A host that submits and a device that works off what it was given, in order.

    A step is `kernels` kernels: each takes the host `launch_us` to submit and the device `run_us` to run; the
    device idles where it has nothing. `synchronize` costs the host `sync_us` beside the waiting. The first
    `cold_calls` steps cost the host `cold_us` more; with every step kernels run `heating` slower (a share).
    The result is the reference plus `errors`.
    """

    kernels: int = 1
    launch_us: float = 5.0
    run_us: float = 100.0
    sync_us: float = 0.0
    cold_us: float = 0.0
    cold_calls: int = 1
    heating: float = 0.0
    errors: tuple[float, ...] = ()
    _host_us: float = field(default=0.0, init=False)
    _device_us: float = field(default=0.0, init=False)
    _steps: int = field(default=0, init=False)

    @property
    def reference(self) -> list[float]:
        """What a step should give."""
        return list(REFERENCE)

    def now_us(self) -> float:
        """The host's clock."""
        return self._host_us

    def step(self) -> SimulatedEvent:
        """Submit one step and return at once; the result comes when the device does."""
        self._host_us += self.cold_us if self._steps < self.cold_calls else 0.0
        run_us = self.run_us * (1 + self.heating * self._steps)
        self._steps += 1
        for _ in range(self.kernels):
            self._host_us += self.launch_us
            self._device_us = max(self._device_us, self._host_us) + run_us
        return SimulatedEvent(self._device_us)

    def synchronize(self) -> None:
        """Wait until the device has done everything that was submitted."""
        self._host_us = max(self._host_us, self._device_us) + self.sync_us

    def event(self) -> SimulatedEvent:
        """Put a mark behind everything that was submitted."""
        self._device_us = max(self._device_us, self._host_us)
        return SimulatedEvent(self._device_us)

    def between_us(self, begin: SimulatedEvent, end: SimulatedEvent) -> float:
        """The device's time from one mark to another; RuntimeError before the host knows it came there."""
        if max(begin.reached_us, end.reached_us) > self._host_us:
            raise RuntimeError(say("queues.pending"))
        return end.reached_us - begin.reached_us

    def read(self, output: SimulatedEvent) -> list[float]:
        """The numbers of a result, after waiting for it."""
        self._host_us = max(self._host_us, output.reached_us)
        errors = (*self.errors, *[0.0] * len(REFERENCE))
        return [value + error for value, error in zip(REFERENCE, errors, strict=False)]
