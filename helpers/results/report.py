"""The whole of a result file: protocol, model, device, one record a shape, and what it lacks."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field, model_validator

from helpers.results.conditions import MEASURED, Hardware, ModelInfo, Provenance, WorkloadInfo
from helpers.results.fields import MOST_RECORDS, SCHEMA_VERSION, Count, ReportPart, Seconds, Text
from helpers.results.record import Sentinel, ShapeRecord
from helpers.text import say
from helpers.workload import Series, Shape


class Report(ReportPart):
    """A whole experiment: protocol, model, device, one record a shape, and where the figures come from."""

    schema_version: Literal["inference-mechanism-gpu/v3"] = SCHEMA_VERSION
    read_from: Literal["inference-mechanism-gpu/v2", "inference-mechanism-gpu/v3"] = Field(
        default=SCHEMA_VERSION, exclude=True
    )
    semantic_id: Text = "INF-ITERATION-BUDGET"
    profile_id: Text = "INF-CUDA-MECHANISM"
    run_label: Text
    status: Literal["completed", "partial", "failed"]
    model: ModelInfo
    hardware: Hardware
    workload: WorkloadInfo
    records: Annotated[tuple[ShapeRecord, ...], Field(max_length=MOST_RECORDS)]
    sentinels: Annotated[tuple[Sentinel, ...], Field(max_length=MOST_RECORDS)] = ()
    failure: Text | None = None
    evidence_level: Text
    decision: Text = "tune"
    provenance: Provenance = MEASURED
    harness: Text | None = None
    started_at: Text | None = None
    finished_at: Text | None = None
    sessions: Count | None = None
    timed_s: Seconds | None = None
    wall_s: Seconds | None = None

    @model_validator(mode="after")
    def _records_belong_to_the_matrix(self) -> Report:
        shapes = [record.shape for record in self.records]
        twice = next((s for s, count in Counter(shapes).items() if count > 1), None)
        if twice is not None:
            raise ValueError(say("result.record_twice", shape=twice))
        allowed = set(self.workload.shapes)
        stray = next((s for s in shapes if s not in allowed), None)
        if stray is not None:
            raise ValueError(say("result.record_stray", shape=stray))
        return self

    @property
    def ok(self) -> tuple[ShapeRecord, ...]:
        """The shapes that were measured."""
        return tuple(record for record in self.records if record.status == "ok")

    @property
    def failed(self) -> tuple[ShapeRecord, ...]:
        """The shapes that failed, each with its reason."""
        return tuple(record for record in self.records if record.status == "failed")

    @property
    def missing(self) -> tuple[Shape, ...]:
        """The shapes of the matrix without any record."""
        have = {record.shape for record in self.records}
        return tuple(shape for shape in self.workload.shapes if shape not in have)

    def record(self, batch: int, context_tokens: int, series: Series = "dynamic") -> ShapeRecord | None:
        """The record of one shape; None where there is none."""
        shape = Shape(context_tokens, batch, series)
        return next((record for record in self.records if record.shape == shape), None)

    def along_batch(self, context_tokens: int, series: Series = "dynamic") -> tuple[ShapeRecord, ...]:
        """The measured shapes of one context, smallest batch first."""
        chosen = (r for r in self.ok if r.context_tokens == context_tokens and r.series == series)
        return tuple(sorted(chosen, key=lambda record: record.batch))

    def implied_bandwidth_gbps(self, record: ShapeRecord) -> float | None:
        """(weights + KV of the shape) ÷ median decode time: below the peak, or something is wrong."""
        weights = self.model.streamed_weight_bytes or self.model.weight_bytes
        if weights is None or record.kv_cache_bytes is None or record.decode_median_ms is None:
            return None
        return (weights + record.kv_cache_bytes) / (record.decode_median_ms / 1e3) / 1e9

    @property
    def lacks(self) -> tuple[str, ...]:
        """Names of what a complete v3 report has and this one does not (v2 files, published figures)."""
        absent = [f"model.{name}" for name in _WANTED_MODEL if getattr(self.model, name) is None]
        if self.model.resolved_commit is None and self.model.weights_source in (None, "hub"):
            absent.insert(0, "model.resolved_commit")
        absent += [f"hardware.{name}" for name in _WANTED_HARDWARE if getattr(self.hardware, name) is None]
        if self.workload.context_held is not True:
            absent.append("workload.context_held")
        absent += [
            f"records.{name}"
            for name in _WANTED_RECORD
            if any(getattr(record, name) in (None, ()) for record in self.ok if _has(record, name))
        ]
        return tuple(absent)


def _has(record: ShapeRecord, name: str) -> bool:
    """Whether a complete record of this series has the field: only the dynamic series times the prefill."""
    return record.series == "dynamic" or not name.startswith("prefill")


_WANTED_MODEL = ("weights", "parameters", "weight_bytes", "kv_bytes_per_token")
_WANTED_HARDWARE = ("device", "name", "transformers")
_WANTED_RECORD = (
    "prefill_samples_ms",
    "decode_samples_ms",
    "prefill_cold_ms",
    "decode_cold_ms",
    "boundary",
    "gates",
    "attention",
)
