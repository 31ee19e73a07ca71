"""A trace from beginning to end: made anew, or read where its label has one already."""

from __future__ import annotations

import os

from helpers import lessons, results
from helpers.profiler.profile import Profile, TracedWorkload
from helpers.profiler.trace_file import annotated, exported, load, write
from helpers.profiler.traced_model import TracedModel
from helpers.results import ResultError

STEM = lessons.stem("profiler")


def run(
    folder: str | os.PathLike[str] = "results",
    label: str = "default",
    device: str = "auto",
    workload: TracedWorkload | None = None,
) -> Profile:
    """Trace one request, or read the trace that this label has already; another label traces anew."""
    path = results.path_for(folder, label, STEM)
    model = TracedModel(device, workload or TracedWorkload())
    if path.exists():
        return _same(load(path), model)
    model.request()
    with model.profiled() as recorder:
        shapes = model.request()
    write(path, annotated(exported(recorder), shapes, model, label))
    return load(path)


def _same(profile: Profile, model: TracedModel) -> Profile:
    """The profile, if it is of this device and workload; another is refused."""
    wanted = {"device": model.device, "workload": model.workload}
    for field, now in wanted.items():
        was = getattr(profile, field)
        if was != now:
            raise ResultError("run.other_setting", field=field, path=profile.path, was=was, now=now)
    return profile
