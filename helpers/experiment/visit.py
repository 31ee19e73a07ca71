"""One visit to a shape as the journal keeps it, and the record that all visits of a shape add up to."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import ClassVar, Literal

from helpers.results import Gates, ShapeRecord
from helpers.results.fields import Bytes, Count, Ms, Rate, ReportPart, Text, Whole
from helpers.results.record import Boundary, Samples
from helpers.workload import Series, Shape


class Visit(ReportPart):
    """What one visit to a shape gave; the fields mean what they mean in `ShapeRecord`."""

    batch: Count
    context_tokens: Count
    series: Series
    round: Whole
    position: Whole
    prefill_samples_ms: Samples = ()
    decode_samples_ms: Samples
    prefill_submit_samples_ms: Samples = ()
    decode_submit_samples_ms: Samples = ()
    prefill_wall_samples_ms: Samples = ()
    decode_wall_samples_ms: Samples = ()
    prefill_cold_ms: Ms | None = None
    decode_cold_ms: Ms | None = None
    boundary: Boundary
    kv_cache_bytes: Bytes
    prefill_peak_memory_bytes: Bytes | None = None
    decode_peak_memory_bytes: Bytes | None = None
    attention: Text | None = None
    sm_clock_mhz: Rate | None = None
    cache_held: Literal["kept", "cut"]
    gates: Gates
    samples_dropped: Whole = 0
    warmups_done: Whole = 0
    finished_at: Text | None = None
    status: ClassVar[Literal["ok"]] = "ok"
    failure: ClassVar[None] = None

    @property
    def shape(self) -> Shape:
        return Shape(self.context_tokens, self.batch, self.series)

    @property
    def prefill_median_ms(self) -> float | None:
        return statistics.median(self.prefill_samples_ms) if self.prefill_samples_ms else None

    @property
    def decode_median_ms(self) -> float:
        return statistics.median(self.decode_samples_ms)


_IN_A_ROW = tuple(
    f"{phase}_{kind}samples_ms" for phase in ("prefill", "decode") for kind in ("", "submit_", "wall_")
)
_OF_THE_FIRST = (
    "batch",
    "context_tokens",
    "series",
    "prefill_cold_ms",
    "decode_cold_ms",
    "boundary",
    "kv_cache_bytes",
    "prefill_peak_memory_bytes",
    "decode_peak_memory_bytes",
    "attention",
    "position",
    "warmups_done",
)


def joined(visits: Sequence[Visit]) -> ShapeRecord:
    """The record of a shape: samples round after round, the rest from the first visit, gates from all."""
    first = visits[0]
    rows = {name: tuple(ms for visit in visits for ms in getattr(visit, name)) for name in _IN_A_ROW}
    sizes = {
        f"{phase}_rounds": tuple(len(getattr(visit, f"{phase}_samples_ms")) for visit in visits)
        for phase in ("prefill", "decode")
    }
    return ShapeRecord(
        status="ok",
        **{name: getattr(first, name) for name in _OF_THE_FIRST},
        **rows,
        **{name: row if any(row) else () for name, row in sizes.items()},
        positions=tuple(visit.position for visit in visits),
        sm_clock_mhz=tuple(visit.sm_clock_mhz for visit in visits if visit.sm_clock_mhz is not None),
        cache_held="cut" if any(visit.cache_held == "cut" for visit in visits) else "kept",
        gates=_gates([visit.gates for visit in visits]),
        samples_dropped=sum(visit.samples_dropped for visit in visits),
        finished_at=visits[-1].finished_at,
    )


def _gates(every: Sequence[Gates]) -> Gates:
    """The first visit's gates, with those that each visit checks held in all of them."""
    names = ("logits_finite", "length_unchanged", "repeats_identical")
    return every[0].model_copy(update={name: all(getattr(g, name) for g in every) for name in names})
