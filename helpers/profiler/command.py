"""The command: trace one request, and print where its time goes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from helpers.profiler.running import run
from helpers.profiler.tracing_cost import cost
from helpers.text import LANGUAGES, say, speak


def main(arguments: Sequence[str] | None = None) -> int:
    """Trace one request and print where its time goes; with --cost, what tracing costs."""
    parser = argparse.ArgumentParser(prog="python -m helpers.profiler", description=say("profiler.about"))
    parser.add_argument("--label", default="default", help=say("profiler.help.label"))
    parser.add_argument("--results", default="results", help=say("gemm.help.results"))
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "cpu"))
    parser.add_argument("--cost", action="store_true", help=say("profiler.help.cost"))
    parser.add_argument("--language", choices=LANGUAGES)
    options = parser.parse_args(arguments)
    if options.language:
        speak(options.language)
    try:
        profile = run(options.results, options.label, options.device)
        print(profile.range_table, profile.table, profile.path, sep="\n\n")
        if options.cost:
            print(cost(options.device).table)
    except ValueError as problem:
        print(problem)
        return 2
    return 0
