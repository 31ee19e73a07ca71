"""A run from beginning to end: what its journal lacks is measured, one line a shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from helpers import lessons, results
from helpers.gemm.bench import Bench
from helpers.gemm.device import DeviceName
from helpers.gemm.files import load
from helpers.gemm.report import GemmReport, Setting
from helpers.gemm.shape import Gemm, shapes_for
from helpers.results import Journal, ResultError

STEM = lessons.stem("gemm")


def run(
    folder: str | Path = "results",
    label: str = "default",
    device: DeviceName | Literal["auto"] = "auto",
    shapes: Sequence[Gemm] | None = None,
    rounds: int = 30,
    warmup: int = 10,
    seed: int = 181,
) -> GemmReport:
    """Measure every shape that the saved run of this label lacks, and return the whole.

    A complete run is returned as it is; another label measures anew.
    """
    bench = Bench(device)
    setting = bench.setting(label, shapes or shapes_for(bench.device), rounds, warmup, seed)
    journal = Journal(results.journal_for(folder, label, f"{STEM}-gemm"))
    with journal.alone():
        report = _continued(journal, setting)
        done = {record.shape for record in report.records}
        for shape in (Gemm(*sides) for sides in setting.shapes):
            if shape not in done:
                journal.append({"gemm": bench.measure(shape, setting).model_dump(mode="json")})
        if report.memory is None:
            journal.append({"allocator": bench.memory_window().model_dump(mode="json")})
    return load(journal.path)


def _continued(journal: Journal, setting: Setting) -> GemmReport:
    """What the journal holds of this very setting; a new journal begins with it."""
    if not journal.path.exists() or not journal.read():
        journal.append(setting.model_dump(mode="json"))
        return GemmReport(setting, (), None)
    report = load(journal.path)
    for name in Setting.model_fields:
        was, now = getattr(report.setting, name), getattr(setting, name)
        if was != now:
            raise ResultError("run.other_setting", field=name, path=journal.path, was=was, now=now)
    return report
