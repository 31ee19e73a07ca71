"""The command: run or continue, and print what the seed's script prints."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from helpers.gemm.device import DEVICES
from helpers.gemm.report import GemmReport, mib
from helpers.gemm.running import run
from helpers.gemm.seed_example import SEED, capacity_line
from helpers.text import LANGUAGES, say, speak


def lines(report: GemmReport) -> list[str]:
    """The report as the seed's script prints it, one line a shape."""
    setting = report.setting
    printed = [
        f"python={setting.python} torch={setting.torch}",
        f"device={setting.device} name={setting.device_name} dtype={setting.dtype}",
    ]
    for record in report.records:
        printed.append(
            f"{record.shape} correctness_max_abs_diff={record.max_abs_difference:.3e} timing_median_us "
            f"submit_without_sync={_figure(record.submit_us)} "
            f"synchronized_wall={_figure(record.synchronized_us)} device_event={_figure(record.event_us)}"
        )
    if report.memory is not None:
        figures = {name: value for name, value in report.memory if name != "temporary_bytes"}
        shown = (f"{name.removesuffix('_bytes')}={_figure(mib(value))}" for name, value in figures.items())
        printed.append(" ".join(("memory_MiB", *shown)))
    return printed


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run or continue the experiment and print it; with --capacity only the seed's capacity line."""
    parser = argparse.ArgumentParser(prog="python -m helpers.gemm", description=say("gemm.about"))
    parser.add_argument("--label", default="default", help=say("gemm.help.label"))
    parser.add_argument("--results", default="results", help=say("gemm.help.results"))
    parser.add_argument("--device", default="auto", choices=("auto", *DEVICES))
    parser.add_argument("--rounds", type=int, default=30, help=say("gemm.help.rounds"))
    parser.add_argument("--warmup", type=int, default=10, help=say("gemm.help.warmup"))
    parser.add_argument("--capacity", action="store_true", help=say("gemm.help.capacity"))
    parser.add_argument("--language", choices=LANGUAGES)
    options = parser.parse_args(arguments)
    if options.language:
        speak(options.language)
    try:
        if not options.capacity:
            report = run(
                options.results, options.label, options.device, rounds=options.rounds, warmup=options.warmup
            )
            print(*lines(report), sep="\n")
    except ValueError as problem:
        print(problem)
        return 2
    print(
        capacity_line(
            SEED.printed_usable_gib,
            SEED.printed_fixed_gib,
            SEED.printed_kv_bytes_per_token,
            SEED.printed_token_capacity,
        )
    )
    print(say("gemm.seed", source=SEED.source))
    return 0
