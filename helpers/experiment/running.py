"""The run: plan, preflight, measurement, result."""

from __future__ import annotations

import contextlib
import gc
import os
import platform as python_platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from helpers import __version__, hardware, platforms, preflight, results, workload
from helpers.experiment import place
from helpers.experiment.device import DeviceRuntime, runtime_for
from helpers.experiment.failure import failure_of, let_go
from helpers.experiment.log import RunLog, now
from helpers.experiment.matrix import MatrixRun, Progress
from helpers.experiment.model import Loaded, load
from helpers.experiment.planning import ExperimentPlan, plan
from helpers.experiment.settings import Settings
from helpers.results import Hardware, Journal, Report, WorkloadInfo
from helpers.text import say
from helpers.workload import PROFILES

HARNESS = f"iteration-budget {__version__}"
EVIDENCE = {
    "cuda": "local_mechanism_benchmark",
    "mps": "local_mechanism_benchmark_mps",
    "cpu": "local_mechanism_benchmark_cpu",
}


@dataclass(frozen=True)
class Outcome:
    """What a call of `run` came to."""

    status: Literal["skipped", "completed", "partial", "failed"]
    plan: ExperimentPlan
    report: Report | None = None
    result_path: Path | None = None
    failure: str | None = None

    def __str__(self) -> str:
        if self.status == "skipped":
            return str(self.plan)
        lines = [say(f"experiment.{self.status}", path=self.result_path or "–")]
        return "\n".join([*lines, *([self.failure] if self.failure else [])])


def _hardware(loaded: Loaded, checked: preflight.Preflight) -> Hardware:
    """Device and software, as the report records them."""
    import torch
    import transformers

    found = checked.facts
    cuda = found.device == "cuda"
    try:
        peak = hardware.get(found.name).bandwidth_gbps if cuda else None
    except ValueError:
        peak = None
    return Hardware(
        gpu=found.name if cuda else None,
        cuda=found.cuda if cuda else None,
        torch=str(torch.__version__),
        device=found.device,
        name=found.name,
        compute_capability="{}.{}".format(*found.capability) if found.capability else None,
        memory_bytes=found.total_bytes,
        driver=found.driver,
        sm_clock_mhz=found.sm_clock_mhz,
        memory_clock_mhz=found.memory_clock_mhz,
        cpu_threads=torch.get_num_threads(),
        processor=preflight.cpu_name(),
        gpu_uuid=found.uuid,
        allocator=_allocator() if cuda else None,
        transformers=transformers.__version__,
        python=python_platform.python_version(),
        system=f"{python_platform.system()} {python_platform.machine()}",
        platform=platforms.detect().name,
        attention=loaded.attention,
        peak_bandwidth_gbps=peak,
    )


def _allocator() -> str | None:
    """How torch's allocator was set, if it was."""
    names = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def header(chosen: Settings, loaded: Loaded, checked: preflight.Preflight) -> Report:
    """The report before its first record."""
    return Report(
        semantic_id=chosen.workload.semantic_id,
        profile_id=checked.profile_id,
        run_label=chosen.run_label,
        status="partial",
        model=loaded.info,
        hardware=_hardware(loaded, checked),
        workload=WorkloadInfo.of(chosen.workload),
        records=(),
        evidence_level=EVIDENCE[checked.facts.device],
        decision="rerun",
        harness=HARNESS,
        started_at=now(),
        sessions=1,
    )


def run_matrix(
    chosen: Settings,
    loaded: Loaded,
    runtime: DeviceRuntime,
    checked: preflight.Preflight,
    *,
    progress: Progress = print,
) -> Report:
    """Measure every shape that is not done yet; the report is also on the disk, shape by shape."""
    journal = Journal(_journal_path(chosen))
    with journal.alone():
        log = RunLog(journal)
        log.open(header(chosen, loaded, checked))
        if chosen.try_again:
            log.try_again()
        done = len(log.records) + sum(map(len, log.visits.values()))
        if done:
            progress(say("experiment.resumed", done=len(log.records), total=len(chosen.workload.shapes)))
        try:
            with _young_heap():
                return MatrixRun(loaded, chosen.workload, runtime, log, progress).run()
        except KeyboardInterrupt:
            journal.append({"kind": "stopped", "at": now()})
            raise


@contextlib.contextmanager
def _young_heap() -> Iterator[None]:
    """Spare the collector what was there before: collecting between shapes then takes no time."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def check(chosen: Settings, torch: Any) -> preflight.Preflight:
    """The preflight of these settings on this machine."""
    profile_id = chosen.profile(torch)
    device = next(kind for kind, name in PROFILES.items() if name == profile_id)
    found = preflight.facts(device, torch)
    dtype = preflight.dtype_for(found, chosen.workload.dtype)
    supplied = preflight.supply(chosen.workload.model_id, chosen.chosen_weights, chosen.source)
    return preflight.check(profile_id, found, plan(chosen, dtype=dtype).need, supplied, chosen.workload.dtype)


def run(chosen: Settings, *, progress: Progress = print) -> Outcome:
    """A dry run shows the plan; a real one measures what is not measured yet, or reads what is there."""
    planned = plan(chosen)
    if chosen.run_mode == "dry_run":
        return Outcome("skipped", planned, failure=say("experiment.dry_run", cpu=workload.without_gpu()))
    if chosen.result_path.exists() and not _set_aside(chosen):
        return _earlier(chosen, planned, progress)
    try:
        import torch
    except ImportError:
        reason = say("preflight.not_installed", name="torch", command="pip install torch")
        return Outcome("failed", planned, failure=reason)
    if chosen.run_mode == "real_gpu" and chosen.profile(torch) == "INF-CPU-MECHANISM":
        return Outcome("failed", planned, failure=say("experiment.cpu_is_no_gpu"))
    checked = check(chosen, torch)
    if checked.status != "ok":
        return Outcome("failed", planned, failure=str(checked))
    progress(str(checked))
    no_place = place.trouble(chosen.folder)
    if no_place:
        return Outcome("failed", planned, failure=no_place)
    return _measured(chosen, checked, planned, progress)


_LATER = ("workload.rounds", "workload.time_budget_s")


def _earlier(chosen: Settings, planned: ExperimentPlan, progress: Progress) -> Outcome:
    """The result that this run label already has, if it is one of this protocol."""
    report = results.load(chosen.result_path)
    for field, wanted in _asked(chosen).items():
        part, _, name = field.partition(".")
        was = getattr(getattr(report, part), name)
        older = was is None and field in _LATER  # a result from before the field, or before its default
        if was != wanted and not older:
            raise results.ResultError(
                "experiment.other_run", field=field, was=was, now=wanted, path=chosen.result_path
            )
    progress(say("experiment.earlier", path=chosen.result_path))
    return Outcome(report.status, planned, report, chosen.result_path, report.failure)


def _asked(chosen: Settings) -> dict[str, object]:
    """What a result of these settings says of protocol and model, by field."""
    protocol = WorkloadInfo.of(chosen.workload)
    asked = {f"workload.{name}": getattr(protocol, name) for name in WorkloadInfo.model_fields}
    asked |= {"model.id": chosen.workload.model_id, "model.weights": chosen.chosen_weights}
    if chosen.workload.dtype != "auto":
        asked["model.dtype"] = chosen.workload.dtype
    return asked


def _measured(
    chosen: Settings, checked: preflight.Preflight, planned: ExperimentPlan, progress: Progress
) -> Outcome:
    progress(say("experiment.loading", model=chosen.workload.model_id))
    loaded = _loaded_or_reason(chosen, checked)
    if isinstance(loaded, str):
        return Outcome("failed", planned, failure=loaded)
    runtime = runtime_for(checked.facts.device)
    try:
        report = run_matrix(chosen, loaded, runtime, checked, progress=progress)
    except KeyboardInterrupt:
        return Outcome("partial", planned, failure=say("experiment.interrupted"))
    except OSError as error:
        reason = say("experiment.place", folder=chosen.folder, reason=error.strerror or str(error))
        return Outcome("partial", planned, failure=reason)
    if report.missing:
        return Outcome("failed", planned, report, failure=report.failure)
    path = results.save(report, chosen.result_path)
    if all(record.failure_kind != "error" for record in report.failed):
        _clear_journal(chosen)
    return Outcome(report.status, planned, report, path, report.failure)


def _loaded_or_reason(chosen: Settings, checked: preflight.Preflight) -> Loaded | str:
    try:
        return load(chosen, checked)
    except Exception as error:
        reason = say("experiment.not_loaded", model=chosen.workload.model_id, error=failure_of(error).message)
        let_go(error)
    return reason


def _journal_path(chosen: Settings) -> Path:
    return results.journal_for(chosen.folder, chosen.run_label, chosen.workload.id)


def _set_aside(chosen: Settings) -> bool:
    """With TRY_AGAIN, and a journal that still knows which shapes were given up, the result makes room."""
    if not chosen.try_again or not _journal_path(chosen).exists():
        return False
    os.replace(chosen.result_path, chosen.result_path.with_suffix(".earlier"))
    return True


def _clear_journal(chosen: Settings) -> None:
    """The journal has become the result: it and its lock may go."""
    journal = _journal_path(chosen)
    for path in (journal, journal.with_suffix(".lock")):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
