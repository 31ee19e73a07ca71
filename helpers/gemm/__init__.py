"""One matrix product at three boundaries of time, small to large: checked, then timed, saved, resumable.

    python -m helpers.gemm --label laptop

Submission, synchronised wall clock and device events come from `helpers.timing`; a temporary of 16 MiB shows
what the allocator keeps. On a CPU a call returns when it is done, so there is one boundary and no allocator:
what does not apply is None, never 0. The device "queue" is the same CPU behind a queue that one thread works
off: calls return at once, as on a GPU, and all three boundaries exist. Its times are a CPU's.

Imports: lessons, results, tables, text, timing.
Notebooks, the command, `profiler` and `queues` call it; torch is imported only to run.
"""

from helpers.gemm.command import lines, main
from helpers.gemm.device import DEVICES, DeviceName, chosen_device
from helpers.gemm.files import load
from helpers.gemm.queue import CpuQueue
from helpers.gemm.report import SCHEMA_VERSION, AllocatorWindow, GemmRecord, GemmReport, Setting
from helpers.gemm.running import STEM, run
from helpers.gemm.seed_example import SEED, SEED_SOURCE, SeedExample, capacity_line
from helpers.gemm.shape import SHAPE_CPU, SHAPE_GPU, Gemm, shapes_for

__all__ = [
    "DEVICES",
    "SCHEMA_VERSION",
    "SEED",
    "SEED_SOURCE",
    "SHAPE_CPU",
    "SHAPE_GPU",
    "STEM",
    "AllocatorWindow",
    "CpuQueue",
    "DeviceName",
    "Gemm",
    "GemmRecord",
    "GemmReport",
    "SeedExample",
    "Setting",
    "capacity_line",
    "chosen_device",
    "lines",
    "load",
    "main",
    "run",
    "shapes_for",
]
