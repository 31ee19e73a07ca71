"""What two reports of one experiment have in common, and the fields that differ."""

from __future__ import annotations

from dataclasses import dataclass

from helpers.results.report import Report

MUST_AGREE = (
    "semantic_id",
    "profile_id",
    "model.id",
    "model.resolved_commit",
    "model.weights",
    "model.dtype",
    "workload.id",
    "workload.version",
    "workload.warmup",
    "workload.repeats",
    "workload.seed",
    "workload.context_held",
    "hardware.device",
    "hardware.name",
    "hardware.gpu",
    "hardware.torch",
    "hardware.transformers",
    "hardware.attention",
    "provenance.kind",
    "workload.batch_sizes",
    "workload.context_lengths",
    "workload.series",
)


@dataclass(frozen=True)
class FieldDifference:
    """A field in which two reports differ, and both values."""

    field: str
    a: object
    b: object


def differences(a: Report, b: Report) -> tuple[FieldDifference, ...]:
    """The fields among `MUST_AGREE` in which two reports do not agree: they are not one experiment."""
    pairs = ((field, _at(a, field), _at(b, field)) for field in MUST_AGREE)
    return tuple(FieldDifference(*pair) for pair in pairs if pair[1] != pair[2])


def _at(report: Report, dotted: str) -> object:
    value: object = report
    for name in dotted.split("."):
        value = getattr(value, name)
    return value
