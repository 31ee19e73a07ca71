"""One way to open a device, simulated or real, so that the same timing code serves both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from helpers.queues.measured import MeasuredQueue
from helpers.queues.simulated import SimulatedQueue
from helpers.text import say

KNOBS = tuple(field.name for field in fields(SimulatedQueue) if field.init)


def opened(machine: Mapping[str, object] | str) -> SimulatedQueue | MeasuredQueue:
    """A fresh device: simulated from a mapping of its knobs, or this machine's "auto", "cuda" or "queue"."""
    if isinstance(machine, str):
        return MeasuredQueue(machine)
    if not isinstance(machine, Mapping) or not set(machine) <= set(KNOBS):
        raise ValueError(say("queues.machine", known=", ".join(KNOBS), got=repr(machine)))
    return SimulatedQueue(**machine)  # type: ignore[arg-type]
