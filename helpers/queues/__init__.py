"""Devices that work off a queue, to be timed by hand: a simulated one on a false clock, and this machine's.

Both take the same calls: `now_us` reads the host's clock, `step` submits one step and returns at once,
`synchronize` waits, `event` puts a mark into the queue, `between_us` is the device's time between two marks,
`read` waits for a result and gives its numbers, `reference` is what they should be (in float64).

Imports: gemm, text, timing.
Notebooks call it; torch is imported only for this machine's.
"""

from helpers.queues.measured import MeasuredQueue
from helpers.queues.opening import opened
from helpers.queues.simulated import SimulatedEvent, SimulatedQueue

__all__ = ["MeasuredQueue", "SimulatedEvent", "SimulatedQueue", "opened"]
