"""Comparing and merging: what must agree, and the field that does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helpers import timing
from helpers.results.schema import Record, Report, ResultError
from helpers.workload import Shape

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
)
ONLY_FOR_MERGING = ("workload.batch_sizes", "workload.context_lengths", "workload.series")


@dataclass(frozen=True)
class Difference:
    """A field in which two reports differ, and both values."""

    field: str
    a: object
    b: object


def _at(report: Report, dotted: str) -> object:
    value: object = report
    for name in dotted.split("."):
        value = getattr(value, name)
    return value


def differences(a: Report, b: Report, fields: Sequence[str] = MUST_AGREE) -> tuple[Difference, ...]:
    """The fields among `fields` in which two reports do not agree."""
    pairs = ((field, _at(a, field), _at(b, field)) for field in fields)
    return tuple(Difference(*pair) for pair in pairs if pair[1] != pair[2])


def _must_agree(a: Report, b: Report, fields: Sequence[str], key: str) -> None:
    found = differences(a, b, fields)
    if found:
        first = found[0]
        raise ResultError(
            key, field=first.field, a=first.a, b=first.b, others=len(found) - 1, names=_names(found[1:])
        )


def _names(found: Sequence[Difference]) -> str:
    return "".join(f", {difference.field}" for difference in found)


@dataclass(frozen=True)
class Pair:
    """One shape in two reports; ratios are b ÷ a."""

    shape: Shape
    a: Record
    b: Record

    @property
    def decode_ratio(self) -> float | None:
        return _ratio(self.a.decode_median_ms, self.b.decode_median_ms)

    @property
    def prefill_ratio(self) -> float | None:
        return _ratio(self.a.prefill_median_ms, self.b.prefill_median_ms)

    @property
    def decode_differs(self) -> bool | None:
        """Whether the intervals of both decode medians are apart; None where samples are too few to say."""
        return _apart(self.a.decode, self.b.decode)

    @property
    def prefill_differs(self) -> bool | None:
        """Whether the intervals of both prefill medians are apart; None where samples are too few to say."""
        return _apart(self.a.prefill, self.b.prefill)


def _ratio(a: float | None, b: float | None) -> float | None:
    return b / a if a and b else None


def _apart(a: timing.Summary | None, b: timing.Summary | None) -> bool | None:
    if a is None or b is None or a.median_low_ms is None or b.median_low_ms is None:
        return None
    return a.median_high_ms < b.median_low_ms or b.median_high_ms < a.median_low_ms


@dataclass(frozen=True)
class Comparison:
    """Two reports side by side: the shapes both measured, and what was allowed to differ."""

    a: Report
    b: Report
    pairs: tuple[Pair, ...]
    varied: tuple[Difference, ...]


def compare(a: Report, b: Report, *, vary: Sequence[str] = ()) -> Comparison:
    """Pair the shapes of two reports; fields of MUST_AGREE must agree unless `vary` names them."""
    unknown = [name for name in vary if not any(_covers(name, field) for field in MUST_AGREE)]
    if unknown:
        raise ResultError("result.vary", got=unknown[0], known=", ".join(MUST_AGREE))
    fixed = [field for field in MUST_AGREE if not any(_covers(name, field) for name in vary)]
    _must_agree(a, b, fixed, "result.not_comparable")
    there = {record.shape: record for record in b.ok}
    pairs = tuple(Pair(r.shape, r, there[r.shape]) for r in a.ok if r.shape in there)
    return Comparison(a, b, pairs, differences(a, b))


def _covers(name: str, field: str) -> bool:
    return field == name or field.startswith(f"{name}.")


def merge(*reports: Report, run_label: str | None = None) -> Report:
    """One report out of several parts of the same experiment; the same shape twice is refused."""
    if not reports:
        raise ResultError("result.nothing_to_merge")
    first, *others = reports
    for other in others:
        _must_agree(first, other, (*MUST_AGREE, *ONLY_FOR_MERGING), "result.not_mergeable")
    seen: dict[Shape, Record] = {}
    for record in (record for report in reports for record in report.records):
        if record.shape in seen and seen[record.shape] != record:
            raise ResultError("result.shape_twice", shape=record.shape)
        seen[record.shape] = record
    ordered = tuple(seen[shape] for shape in first.workload.shapes if shape in seen)
    complete = len(ordered) == len(first.workload.shapes)
    return first.model_copy(
        update={
            "records": ordered,
            "run_label": run_label or first.run_label,
            "status": "completed" if complete else "partial",
            "sentinels": tuple(s for report in reports for s in report.sentinels),
            "sessions": sum(report.sessions or 1 for report in reports),
        }
    )
