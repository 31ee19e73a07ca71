"""Shipped measurements from real hardware; README.md beside this file gives source and licence of each.

`server` reads a recorded vLLM run, `sweep` a table by batch or concurrency, `report` a batch x context
table in the schema of `helpers.results`. Each says whether it was measured end to end or composed from
kernels.

`traffic` reads ten minutes of a production service, `prefix_trace` the blocks that requests share.

`benchmark_report` reads a benchmark report to take apart, `metrics_page` names a page in the Prometheus text
format: most are built from these measurements, and each says how.

Imports: hardware, models, results, tables, text.
Notebooks, the demo and the class report call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.recorded.cards import BenchmarkReport, benchmark_report, benchmark_reports
from helpers.recorded.files import OWN, Kind, known_name, own, own_results, read_rows
from helpers.recorded.metrics_pages import metrics_page, metrics_pages
from helpers.recorded.server_runs import RecordedRequest, RecordedServer, ServerState, server, servers
from helpers.recorded.sweep_tables import Sweep, sweep, sweeps
from helpers.recorded.traffic import BLOCK_TOKENS, PREFIX_TRACES, TRAFFIC, prefix_trace, traffic

if TYPE_CHECKING:
    from helpers.results import Report

__all__ = [
    "BLOCK_TOKENS",
    "OWN",
    "PREFIX_TRACES",
    "TRAFFIC",
    "BenchmarkReport",
    "Kind",
    "RecordedRequest",
    "RecordedServer",
    "ServerState",
    "Sweep",
    "benchmark_report",
    "benchmark_reports",
    "metrics_page",
    "metrics_pages",
    "own",
    "own_results",
    "prefix_trace",
    "read_rows",
    "report",
    "reports",
    "server",
    "servers",
    "sweep",
    "sweeps",
    "traffic",
]


def reports() -> tuple[str, ...]:
    """The names that `report` knows."""
    from helpers.recorded.conversion import NAMES

    return NAMES


def report(name: str) -> Report:
    """The batch x context table of that name as a report; an unknown name raises ValueError.

    `provenance.kind` is "composed_from_kernels" for the Qwen3-0.6B tables, which nobody measured end to end,
    and "recorded_elsewhere" for Llama-2-7B and the GB10, which others measured end to end. The figures are
    stated: no raw samples stand behind them.
    """
    from helpers.recorded import conversion

    return conversion.report(known_name(name, reports()))
