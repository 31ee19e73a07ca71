"""The nine reports by name, with their answers; `build()` writes what `helpers.recorded` ships of them.

A test builds them again and compares.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import helpers.recorded
from course.lessons.benchmark import device_reports, server_reports
from course.lessons.benchmark.report_cases import Json, ReportCase

FOLDER = Path(helpers.recorded.__file__).parent / "reports"
MAKERS: dict[str, Callable[[], ReportCase]] = {
    "A": server_reports.closed_loop,
    "B": device_reports.patched_timer,
    "C": server_reports.warmup_in_window,
    "D": server_reports.client_bottleneck,
    "E": device_reports.lazy_output,
    "F": server_reports.nothing_wrong,
    "G": device_reports.no_wait,
    "H": device_reports.cached_answer,
    "I": device_reports.wrong_peak,
}


def cases() -> dict[str, ReportCase]:
    """Every report by its name."""
    return {name: make() for name, make in MAKERS.items()}


def files() -> dict[str, str]:
    """Every shipped file by its name, and its content."""
    return {f"{name}.json": _json(case.shipped) for name, case in cases().items()}


def build(folder: Path = FOLDER) -> None:
    """Write every file into `folder`."""
    folder.mkdir(exist_ok=True)
    for name, content in files().items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")


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
