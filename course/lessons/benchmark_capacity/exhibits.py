"""Benchmark reports to take apart, built from recorded measurements; and the answers, which are not shipped.

Nothing here was measured by this project. Each report starts from recorded figures and makes one public kind
of mistake on top of them, or none; `origin` says of each figure where it comes from. `key()` has the answers.
`build()` writes everything that `helpers.recorded` ships for lesson 2; a test builds it again and compares.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import helpers.recorded
from course.lessons.benchmark_capacity import (
    device_exhibits,
    metrics_pages,
    server_exhibits,
    traces,
)
from course.lessons.benchmark_capacity.exhibit_cases import ExhibitAnswer, ExhibitCase
from course.lessons.benchmark_capacity.traces import Json

FOLDER = Path(helpers.recorded.__file__).parent

_MAKERS: dict[str, Callable[[], ExhibitCase]] = {
    "A": server_exhibits.first_token_in_itl,
    "B": device_exhibits.gb_for_gib,
    "C": server_exhibits.honest,
    "D": device_exhibits.no_synchronisation,
    "E": server_exhibits.failed_requests_dropped,
    "F": device_exhibits.littles_law,
    "G": device_exhibits.wrong_peak_bandwidth,
    "H": server_exhibits.warmup_inside_window,
    "I": server_exhibits.prefix_cache_hit,
}


def cases() -> dict[str, ExhibitCase]:
    """Every report by its name."""
    return {name: make() for name, make in _MAKERS.items()}


def key() -> dict[str, ExhibitAnswer]:
    """The answers: the fault of each report and what its number should say."""
    return {name: case.answer for name, case in cases().items()}


# --- writing -----------------------------------------------------------------------------------------


def files() -> dict[str, str]:
    """Every shipped file, by its path below helpers/recorded, and its content."""
    reports = {f"exhibits/{name}.json": _json(case.report) for name, case in cases().items()}
    lists = {f"traces/{name}.json": _json(data) for name, data in traces.all_traces().items()}
    return {
        **reports,
        **lists,
        **{name: metrics_pages.page(time_s) for name, time_s in metrics_pages.PAGES.items()},
    }


def build(folder: Path = FOLDER) -> None:
    """Write every file below `folder`."""
    for name, content in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")


def _json(data: Json) -> str:
    """JSON with one row a line."""
    fields = []
    for name, value in data.items():
        if isinstance(value, list):
            rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in value)
            fields.append(f' "{name}": [\n{rows}\n ]')
        else:
            fields.append(f' "{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(fields) + "\n}\n"


if __name__ == "__main__":
    build()
