"""The evidence in a result file: what does not fit together, each with a message in both languages.

The checks find mistakes and clumsy forgery. A file that was made up with care passes them all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from helpers import hardware, models, workload
from helpers.results.fields import ResultError
from helpers.results.files import from_dict, load
from helpers.results.plausible import doubts
from helpers.results.record import ShapeRecord
from helpers.results.report import Report
from helpers.text import Language, say, say_in
from helpers.workload import ELEMENT_BYTES, PROFILES, Experiment

PEAK_TOLERANCE = 1.02


@dataclass(frozen=True)
class AuditFinding:
    """Something in a result that does not fit: `error` costs the evidence, `warn` is for the reader."""

    code: str
    level: Literal["error", "warn"]
    where: str
    values: Mapping[str, object]

    @property
    def text(self) -> str:
        """The message in the language spoken."""
        return say(f"audit.{self.code}", where=self.where, **self.values)

    def in_language(self, language: Language) -> str:
        """The message in one of both languages."""
        return say_in(language, f"audit.{self.code}", where=self.where, **self.values)


def _finding(code: str, level: Literal["error", "warn"], where: object, **values: object) -> AuditFinding:
    return AuditFinding(code, level, str(where), values)


def audit(source: Report | Mapping[str, Any] | str | os.PathLike[str]) -> tuple[AuditFinding, ...]:
    """Everything about a result that its experiment would not have written; empty when all of it fits."""
    try:
        report = _read(source)
    except ResultError as error:
        return (_finding("unreadable", "error", getattr(source, "name", "file"), reason=str(error)),)
    checks = (_protocol, _origin, _model, _device, _completeness, _times)
    per_record = (_samples, _host, _kv, _bandwidth, _gates, _recovery)
    whole = [finding for check in checks for finding in check(report)]
    each = [finding for check in per_record for r in report.records for finding in check(report, r)]
    made_up = [_finding(code, "error", where, **values) for code, where, values in doubts(report)]
    return (*whole, *each, *made_up)


def _read(source: Report | Mapping[str, Any] | str | os.PathLike[str]) -> Report:
    if isinstance(source, Report):
        return source
    return from_dict(source) if isinstance(source, Mapping) else load(Path(source))


def _registered(report: Report) -> Experiment | None:
    return workload.EXPERIMENTS.get(report.workload.id)


def _protocol(report: Report) -> Iterator[AuditFinding]:
    """The registered protocol of this id and version, field by field."""
    experiment = _registered(report)
    if experiment is None:
        yield _finding("unregistered", "error", "workload.id", got=report.workload.id)
        return
    protocol = experiment.workload
    if report.workload.version != protocol.version:
        yield _finding(
            "version", "warn", "workload.version", got=report.workload.version, want=protocol.version
        )
        return
    recorded = {name: getattr(report.workload, name, None) for name in type(report.workload).model_fields}
    recorded.update(model_id=report.model.id, dtype=report.model.dtype)
    for name in sorted(experiment.fixed & recorded.keys()):
        want = getattr(protocol, name)
        if want != "auto" and recorded[name] is not None and recorded[name] != want:
            yield _finding("protocol", "error", f"workload.{name}", got=recorded[name], want=want)


def _origin(report: Report) -> Iterator[AuditFinding]:
    """Measured by this harness, on a device that fits the profile."""
    if report.provenance.kind != "measured_end_to_end":
        yield _finding("not_measured", "error", "provenance", kind=report.provenance.kind)
    lacking = report.lacks
    if lacking:
        yield _finding("lacks", "warn", report.read_from, names=", ".join(lacking))
    device = report.hardware.device
    if device is not None and PROFILES[device] != report.profile_id:
        yield _finding("profile", "error", "profile_id", got=report.profile_id, device=device)


def _model(report: Report) -> Iterator[AuditFinding]:
    """The counts of a known model."""
    try:
        known = models.get(report.model.id)
    except ValueError:
        return
    element = ELEMENT_BYTES.get(report.model.dtype)
    wanted = {"parameters": known.parameters}
    if element is not None:
        sizes = known.with_elements_of(element)
        wanted |= {"weight_bytes": sizes.weight_bytes, "kv_bytes_per_token": sizes.kv_bytes_per_token}
    for name, want in wanted.items():
        got = getattr(report.model, name)
        if got is not None and got != want:
            yield _finding("model", "error", f"model.{name}", got=got, want=want, model=known.name)


def _device(report: Report) -> Iterator[AuditFinding]:
    """bfloat16 needs hardware for it."""
    capability = report.hardware.compute_capability
    if report.model.dtype == "bfloat16" and capability is not None and float(capability) < 8.0:
        yield _finding("bfloat16", "error", "model.dtype", capability=capability, gpu=report.hardware.label)


def _completeness(report: Report) -> Iterator[AuditFinding]:
    if report.missing:
        shapes = ", ".join(str(shape) for shape in report.missing)
        yield _finding("missing", "error", "records", n=len(report.missing), shapes=shapes)
    if not report.ok:
        yield _finding("nothing", "error", "records")
    positions = [record.position for record in report.records if record.position is not None]
    if len(set(positions)) != len(positions):
        yield _finding("positions", "error", "records")


def _times(report: Report) -> Iterator[AuditFinding]:
    """The samples cannot take longer than the run, nor the timed part longer than the whole."""
    if report.timed_s is None or report.wall_s is None:
        return
    sampled_s = sum(sum(r.prefill_samples_ms) + sum(r.decode_samples_ms) for r in report.records) / 1e3
    if sampled_s > report.timed_s * 1.001 or report.timed_s > report.wall_s * 1.001:
        values = {
            "sampled": f"{sampled_s:.2f}",
            "timed": f"{report.timed_s:.2f}",
            "wall": f"{report.wall_s:.2f}",
        }
        yield _finding("time_sum", "error", "wall_s", **values)


def _samples(report: Report, record: ShapeRecord) -> Iterator[AuditFinding]:
    """Raw samples present, enough of them, not all alike; percentiles in order where they are only stated."""
    if record.status != "ok":
        return
    for phase in ("prefill", "decode") if record.series == "dynamic" else ("decode",):
        samples = getattr(record, f"{phase}_samples_ms")
        where = f"{record.shape} {phase}"
        if not samples:
            yield _finding("no_samples", "error", where)
        elif len(samples) < _least(report):
            yield _finding("few_samples", "error", where, n=len(samples), want=_least(report))
        elif len(samples) > 3 and len(set(samples)) == 1:
            yield _finding("alike", "error", where, n=len(samples))
        median, p95 = getattr(record, f"{phase}_median_ms"), getattr(record, f"{phase}_p95_ms")
        if median is not None and p95 is not None and p95 < median:
            yield _finding("order", "error", where, median=median, p95=p95)


def _host(report: Report, record: ShapeRecord) -> Iterator[AuditFinding]:
    """Submission and wall clock, read in one call since there are rounds: the first ends first."""
    for phase in ("prefill", "decode") if record.decode_rounds else ():
        submit = getattr(record, f"{phase}_submit_samples_ms")
        wall = getattr(record, f"{phase}_wall_samples_ms")
        if len(submit) != len(wall) or any(s > w for s, w in zip(submit, wall, strict=False)):
            yield _finding("host_clock", "error", f"{record.shape} {phase}")


def _least(report: Report) -> int:
    """Samples that each phase must have: all repeats, or the minimum where a time budget rules."""
    protocol = report.workload
    if protocol.time_budget_s is not None:
        return protocol.min_repeats or 1
    return protocol.repeats or 1


def _kv(report: Report, record: ShapeRecord) -> Iterator[AuditFinding]:
    """KV bytes in proportion to the tokens, as counted on the model (models without windows only)."""
    per_token = report.model.kv_bytes_per_token
    if record.status != "ok" or per_token is None or _has_window(report.model.id):
        return
    want = per_token * record.shape.tokens
    if record.kv_cache_bytes is not None and record.kv_cache_bytes != want:
        yield _finding("kv", "error", record.shape, got=record.kv_cache_bytes, want=want)


def _has_window(model_id: str) -> bool:
    try:
        return models.get(model_id).window_tokens is not None
    except ValueError:
        return False


def _bandwidth(report: Report, record: ShapeRecord) -> Iterator[AuditFinding]:
    """A decode step cannot read faster than the device."""
    implied, peak = report.implied_bandwidth_gbps(record), _peak_gbps(report)
    if implied is not None and peak is not None and implied > peak * PEAK_TOLERANCE:
        yield _finding("bandwidth", "error", record.shape, implied=f"{implied:.0f}", peak=f"{peak:.0f}")


def _peak_gbps(report: Report) -> float | None:
    """The peak of the device's data sheet; the file's own only where the table has no such device."""
    try:
        return float(hardware.get(report.hardware.label).bandwidth_gbps)
    except ValueError:
        return report.hardware.peak_bandwidth_gbps


def _gates(report: Report, record: ShapeRecord) -> Iterator[AuditFinding]:
    if record.status != "ok":
        return
    if record.gates is None:
        yield _finding("no_gates", "warn", record.shape)
        return
    for gate in record.gates.failed:
        level: Literal["error", "warn"] = "warn" if gate == "repeats_identical" else "error"
        yield _finding("gate", level, record.shape, gate=gate)


def _recovery(report: Report, record: ShapeRecord) -> Iterator[AuditFinding]:
    if record.failure_kind == "oom" and record.oom_recovered is None:
        yield _finding("recovery", "warn", record.shape)


def raw_samples(report: Report) -> set[float]:
    """Every time in milliseconds that the report keeps of a single repeat."""
    return {ms for r in report.records for ms in (*r.prefill_samples_ms, *r.decode_samples_ms)}
