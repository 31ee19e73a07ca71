"""A server in small: request queue, scheduler step, engine clock, over a trace of requests.

`replay` runs the first lesson's little server, which reserves the KV of a whole request when it admits it.
`simulate` runs a scheduler that the caller passes in, with KV blocks on demand and preemption, and holds it
to the server's limits. The time of an iteration is not this package's business: the caller passes a function.

Imports: tables, text.
Notebooks and the plots call it.
"""

from helpers.serving.engine import simulate
from helpers.serving.requests import LiveRequest, Request
from helpers.serving.reserving import (
    Iteration,
    Limits,
    Plan,
    Replay,
    Running,
    compare,
    delayed,
    replay,
    schedule,
)
from helpers.serving.rules import ScheduleError
from helpers.serving.run import EngineLoad, Run, ServedRequest, Stretch
from helpers.serving.server import Batch, Server

__all__ = [
    "Batch",
    "EngineLoad",
    "Iteration",
    "Limits",
    "LiveRequest",
    "Plan",
    "Replay",
    "Request",
    "Run",
    "Running",
    "ScheduleError",
    "ServedRequest",
    "Server",
    "Stretch",
    "compare",
    "delayed",
    "replay",
    "schedule",
    "simulate",
]
