"""Under which conditions a result came about: where the figures come from, model, device, protocol."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from helpers.results.fields import Count, Flag, Rate, ReportPart, Text, Whole
from helpers.text import say
from helpers.workload import SERIES, Series, Shape, Weights, Workload

ProvenanceKind = Literal["measured_end_to_end", "composed_from_kernels", "recorded_elsewhere"]


class Provenance(ReportPart):
    """How the figures came about; whatever was not measured here names its source and licence."""

    kind: ProvenanceKind
    source: Text | None = None
    licence: Text | None = None
    note: Text | None = None

    @model_validator(mode="after")
    def _names_its_source(self) -> Provenance:
        if self.kind != "measured_end_to_end" and not (self.source and self.licence):
            raise ValueError(say("result.needs_source"))
        return self


MEASURED = Provenance(kind="measured_end_to_end")


class ModelInfo(ReportPart):
    """The model that ran: identity, precision, and what was counted on it."""

    id: Text
    revision: Text | None = None
    dtype: Text
    resolved_commit: Text | None = None
    weights: Weights | None = None
    weights_source: Text | None = None
    parameters: Count | None = None
    weight_bytes: Count | None = None
    streamed_weight_bytes: Count | None = None
    kv_bytes_per_token: Count | None = None
    layers: Count | None = None


class Hardware(ReportPart):
    """The device and the software on it; `gpu`, `cuda` and `torch` keep their v2 meaning."""

    gpu: Text | None = None
    cuda: Text | None = None
    torch: Text | None = None
    device: Literal["cuda", "mps", "cpu"] | None = None
    name: Text | None = None
    compute_capability: Text | None = None
    memory_bytes: Count | None = None
    driver: Text | None = None
    sm_clock_mhz: Rate | None = None
    memory_clock_mhz: Rate | None = None
    cpu_threads: Count | None = None
    processor: Text | None = None
    gpu_uuid: Text | None = None
    allocator: Text | None = None
    transformers: Text | None = None
    python: Text | None = None
    system: Text | None = None
    platform: Text | None = None
    attention: Text | None = None
    peak_bandwidth_gbps: Rate | None = None

    @model_validator(mode="after")
    def _a_cpu_is_no_gpu(self) -> Hardware:
        if self.device == "cpu" and (self.gpu or self.cuda):
            raise ValueError(say("result.cpu_is_no_gpu"))
        return self

    @property
    def label(self) -> str:
        """The device's name, for headings and file names."""
        return self.name or self.gpu or "?"


class WorkloadInfo(ReportPart):
    """The protocol as recorded: what `Workload` says, and nothing that can be derived."""

    id: Text
    version: Text
    batch_sizes: Annotated[tuple[Count, ...], Field(max_length=64)]
    context_lengths: Annotated[tuple[Count, ...], Field(max_length=64)]
    warmup: Whole | None = None
    repeats: Count | None = None
    seed: Whole | None = None
    series: Annotated[tuple[Series, ...], Field(max_length=len(SERIES))] = ("dynamic",)
    time_budget_s: Rate | None = None
    min_repeats: Count | None = None
    rounds: Count | None = None
    max_shape_tokens: Count | None = None
    context_held: Flag | None = None

    @classmethod
    def of(cls, workload: Workload) -> WorkloadInfo:
        """The recorded form of a protocol; this harness holds the context fixed."""
        names = set(cls.model_fields) - {"context_held"}
        return cls(**{name: getattr(workload, name) for name in names}, context_held=True)

    @property
    def protocol(self) -> Workload:
        """The recorded protocol as far as its matrix and its rounds go; before rounds, one burst a shape."""
        return Workload(
            id=self.id,
            version=self.version,
            model_id="-",
            batch_sizes=self.batch_sizes,
            context_lengths=self.context_lengths,
            series=self.series,
            repeats=self.repeats or 1,
            seed=self.seed or 0,
            rounds=self.rounds or 1,
            max_shape_tokens=self.max_shape_tokens,
        )

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Every shape that a complete run has a record of."""
        return self.protocol.shapes
