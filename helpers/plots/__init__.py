"""Pictures of what the student's own functions return; the only package that imports matplotlib.

Notebooks call its functions; each returns a matplotlib Figure, labelled in the language spoken, with units on
every axis. None of them computes a cost, a bound or a knee: those come in as data. A figure shows itself when
it is the last expression of a notebook cell; pyplot and its state are never touched.

Imports: hardware, text, timing, and for their types gemm, profiler, recorded, results, serving.
Notebooks and the demo call it.
"""

from importlib import import_module

HOMES = {
    "against_ledger": "measured",
    "against_recorded": "simulated",
    "batch_context": "measured",
    "boundaries": "traces",
    "bounds": "limits",
    "cache_sizes": "fitting",
    "engine_load": "simulated",
    "goodput": "simulated",
    "knee": "limits",
    "lives": "simulated",
    "memory": "measured",
    "memory_parts": "fitting",
    "mixtures": "fitting",
    "percentile_draws": "sampled",
    "roofline": "ledger",
    "sample_strip": "sampled",
    "service": "serving",
    "step_time": "ledger",
    "three_ways": "sampled",
    "timeline": "serving",
    "trace": "traces",
}
__all__ = list(HOMES)


def __getattr__(name: str) -> object:
    """A picture, from the module that draws it: matplotlib, most of a second, waits for the first one."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *HOMES})
