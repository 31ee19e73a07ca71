"""Pictures of what the student's own functions return; the only package that imports matplotlib.

Notebooks call its functions; each returns a matplotlib Figure, labelled in the language spoken, with units on
every axis. None of them computes a cost, a bound or a knee: those come in as data. A figure shows itself when
it is the last expression of a notebook cell; pyplot and its state are never touched.

Imports: hardware, text, timing, and for their types gemm, profiler, recorded, results, serving.
Notebooks and the demo call it.
"""

from helpers.plots.ledger import roofline, step_time
from helpers.plots.limits import bounds, knee
from helpers.plots.measured import against_ledger, batch_context, memory
from helpers.plots.serving import service, timeline
from helpers.plots.simulated import against_recorded, engine_load, goodput, lives
from helpers.plots.traces import boundaries, trace

__all__ = [
    "against_ledger",
    "against_recorded",
    "batch_context",
    "boundaries",
    "bounds",
    "engine_load",
    "goodput",
    "knee",
    "lives",
    "memory",
    "roofline",
    "service",
    "step_time",
    "timeline",
    "trace",
]
