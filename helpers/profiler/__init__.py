"""One request under torch's profiler: named ranges, time by operator, a trace that Perfetto opens.

    python -m helpers.profiler --label laptop

The model is tiny and has random weights: what is looked at is where time goes, not how fast a model is. The
trace is a Chrome trace with this course's own entry, from which everything here is read back.

Imports: gemm, lessons, results, tables, text, timing, writing.
Notebooks and the command call it; torch and transformers are imported only to run.
"""

from helpers.profiler.command import main
from helpers.profiler.profile import RANGES, OperatorTime, Profile, Range, RangeName, Span
from helpers.profiler.profile import TracedWorkload as Workload
from helpers.profiler.running import STEM, run
from helpers.profiler.trace_file import ENTRY, SCHEMA_VERSION, load
from helpers.profiler.traced_model import MODEL
from helpers.profiler.tracing_cost import TracingCost, cost

__all__ = [
    "ENTRY",
    "MODEL",
    "RANGES",
    "SCHEMA_VERSION",
    "STEM",
    "OperatorTime",
    "Profile",
    "Range",
    "RangeName",
    "Span",
    "TracingCost",
    "Workload",
    "cost",
    "load",
    "main",
    "run",
]
