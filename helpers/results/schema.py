"""Report and Record: raw samples kept, statistics computed on reading."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field, model_validator

from helpers import timing
from helpers.text import say
from helpers.workload import Series, Shape, Weights, Workload

SCHEMA_VERSION = "inference-mechanism-gpu/v3"
SCHEMA_VERSION_2 = "inference-mechanism-gpu/v2"

MOST = 2**63 - 1  # what every reader of JSON holds
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Bytes = Annotated[int, Field(strict=True, ge=0, le=MOST)]
Whole = Annotated[int, Field(strict=True, ge=0, le=MOST)]
Ms = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Rate = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Text = Annotated[str, Field(strict=True, min_length=1, max_length=2000)]
Flag = Annotated[bool, Field(strict=True)]

ProvenanceKind = Literal["measured_end_to_end", "composed_from_kernels", "recorded_elsewhere"]
FailureKind = Literal["oom", "gate", "skipped", "error"]
Boundary = Literal["event", "wall"]


class ResultError(ValueError):
    """A result that is refused; `key` says why, `field` where."""

    def __init__(self, key: str, *, field: str | None = None, **values: object) -> None:
        self.key = key
        self.field = field
        super().__init__(say(key, **({"field": field} if field else {}), **values))


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Provenance(_Part):
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


class ModelInfo(_Part):
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


class Hardware(_Part):
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


class WorkloadInfo(_Part):
    """The protocol as recorded: what `Workload` says, and nothing that can be derived."""

    id: Text
    version: Text
    batch_sizes: Annotated[tuple[Count, ...], Field(max_length=64)]
    context_lengths: Annotated[tuple[Count, ...], Field(max_length=64)]
    warmup: Whole | None = None
    repeats: Count | None = None
    seed: Whole | None = None
    series: tuple[Series, ...] = ("dynamic",)
    time_budget_s: Rate | None = None
    min_repeats: Count | None = None
    max_shape_tokens: Count | None = None
    context_held: Flag | None = None

    @classmethod
    def of(cls, workload: Workload) -> WorkloadInfo:
        """The recorded form of a protocol; this harness holds the context fixed."""
        names = set(cls.model_fields) - {"context_held"}
        return cls(**{name: getattr(workload, name) for name in names}, context_held=True)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Every shape that a complete run has a record of."""
        protocol = Workload(
            id=self.id,
            version=self.version,
            model_id="-",
            batch_sizes=self.batch_sizes,
            context_lengths=self.context_lengths,
            series=self.series,
            max_shape_tokens=self.max_shape_tokens,
        )
        return protocol.shapes


class Gates(_Part):
    """What was checked before a shape was timed, and after."""

    logits_shape: tuple[Count, ...] | None = None
    logits_finite: Flag | None = None
    length_unchanged: Flag | None = None
    repeats_identical: Flag | None = None
    kv_bytes_counted: Bytes | None = None
    kv_bytes_expected: Bytes | None = None
    prefill_difference: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    prefill_tolerance: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the gates that did not hold; a gate without evidence is not among them."""
        return tuple(name for name, held in self.verdicts.items() if held is False)

    @property
    def verdicts(self) -> dict[str, bool | None]:
        """Each gate: True, False, or None where nothing was recorded."""
        near = same = None
        if self.prefill_difference is not None and self.prefill_tolerance is not None:
            near = self.prefill_difference <= self.prefill_tolerance
        if self.kv_bytes_counted is not None and self.kv_bytes_expected is not None:
            same = self.kv_bytes_counted == self.kv_bytes_expected
        return {
            "logits_finite": self.logits_finite,
            "length_unchanged": self.length_unchanged,
            "repeats_identical": self.repeats_identical,
            "kv_bytes": same,
            "prefill_agrees": near,
        }


STATED = (
    "prefill_median_ms",
    "prefill_p95_ms",
    "decode_median_ms",
    "decode_p95_ms",
    "peak_memory_bytes",
)
RATES = ("prefill_tokens_per_s", "decode_tokens_per_s")


class Stated(_Part):
    """Figures of a record without raw samples: somebody's medians, taken at their word."""

    prefill_median_ms: Ms | None = None
    prefill_p95_ms: Ms | None = None
    decode_median_ms: Ms | None = None
    decode_p95_ms: Ms | None = None
    peak_memory_bytes: Bytes | None = None


class Record(_Part):
    """One shape. Raw samples where there are some; statistics are computed from them on reading.

    `Record(batch=1, context_tokens=128, status="ok", decode_median_ms=4.2)` represents a published figure
    without samples: the statistics then repeat what was stated, and `has_samples` is False.
    """

    batch: Count
    context_tokens: Count
    status: Literal["ok", "failed"]
    series: Series = "dynamic"
    prefill_samples_ms: tuple[Ms, ...] = ()
    decode_samples_ms: tuple[Ms, ...] = ()
    prefill_submit_samples_ms: tuple[Ms, ...] = ()
    decode_submit_samples_ms: tuple[Ms, ...] = ()
    prefill_wall_samples_ms: tuple[Ms, ...] = ()
    decode_wall_samples_ms: tuple[Ms, ...] = ()
    prefill_cold_ms: Ms | None = None
    decode_cold_ms: Ms | None = None
    boundary: Boundary | None = None
    kv_cache_bytes: Bytes | None = None
    prefill_peak_memory_bytes: Bytes | None = None
    decode_peak_memory_bytes: Bytes | None = None
    attention: Text | None = None
    sm_clock_mhz: tuple[Rate, ...] = ()
    gates: Gates | None = None
    position: Whole | None = None
    warmups_done: Whole | None = None
    finished_at: Text | None = None
    oom_recovered: Flag | None = None
    failure_kind: FailureKind | None = None
    failure: Text | None = None
    stated: Stated = Field(default=Stated(), exclude=True)

    @model_validator(mode="wrap")
    @classmethod
    def _written_statistics_agree(cls, data: Any, build: Any) -> Record:
        if not isinstance(data, Mapping) or "stated" in data:
            return build(data)
        written = {key: data[key] for key in (*STATED, *RATES) if data.get(key) is not None}
        rest = {key: value for key, value in data.items() if key not in (*STATED, *RATES)}
        record = build({**rest, "stated": _without_evidence(written, rest)})
        for key, value in written.items():
            ours = getattr(record, key)
            if ours is None or isinstance(value, (bool, str)) or not _close(value, ours):
                raise ValueError(say("result.statistic", name=key, written=value, computed=ours))
        return record

    @model_validator(mode="after")
    def _ok_has_figures_and_failed_a_reason(self) -> Record:
        if self.status == "failed":
            if not self.failure:
                raise ValueError(say("result.failed_needs_reason"))
            if self.prefill_samples_ms or self.decode_samples_ms or self.stated != Stated():
                raise ValueError(say("result.failed_has_samples"))
        elif self.prefill_median_ms is None and self.decode_median_ms is None:
            raise ValueError(say("result.ok_needs_figures"))
        elif self.failure:
            raise ValueError(say("result.ok_has_failure"))
        return self

    @property
    def shape(self) -> Shape:
        return Shape(self.context_tokens, self.batch, self.series)

    @property
    def has_samples(self) -> bool:
        """True when raw samples stand behind the medians."""
        return bool(self.decode_samples_ms or self.prefill_samples_ms)

    @property
    def prefill(self) -> timing.Summary | None:
        """Statistics of the prefill samples; None without samples."""
        return timing.summarize(self.prefill_samples_ms) if self.prefill_samples_ms else None

    @property
    def decode(self) -> timing.Summary | None:
        """Statistics of the decode samples; None without samples."""
        return timing.summarize(self.decode_samples_ms) if self.decode_samples_ms else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def prefill_median_ms(self) -> float | None:
        samples = self.prefill_samples_ms
        return statistics.median(samples) if samples else self.stated.prefill_median_ms

    @computed_field  # type: ignore[prop-decorator]
    @property
    def prefill_p95_ms(self) -> float | None:
        samples = self.prefill_samples_ms
        return timing.percentile(samples, 95) if samples else self.stated.prefill_p95_ms

    @computed_field  # type: ignore[prop-decorator]
    @property
    def decode_median_ms(self) -> float | None:
        samples = self.decode_samples_ms
        return statistics.median(samples) if samples else self.stated.decode_median_ms

    @computed_field  # type: ignore[prop-decorator]
    @property
    def decode_p95_ms(self) -> float | None:
        samples = self.decode_samples_ms
        return timing.percentile(samples, 95) if samples else self.stated.decode_p95_ms

    @computed_field  # type: ignore[prop-decorator]
    @property
    def prefill_tokens_per_s(self) -> float | None:
        """batch · context ÷ the median prefill time."""
        median_ms = self.prefill_median_ms
        return self.batch * self.context_tokens / (median_ms / 1000) if median_ms else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def decode_tokens_per_s(self) -> float | None:
        """batch ÷ the median decode time: every sequence gains one token a step."""
        median_ms = self.decode_median_ms
        return self.batch / (median_ms / 1000) if median_ms else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def peak_memory_bytes(self) -> int | None:
        """The larger of both phases' peaks; None where the allocator has no such figure (a CPU)."""
        peaks = [self.prefill_peak_memory_bytes, self.decode_peak_memory_bytes]
        return max((p for p in peaks if p is not None), default=self.stated.peak_memory_bytes)

    @property
    def decode_iqr_ms(self) -> float | None:
        return self.decode.iqr_ms if self.decode else None

    @property
    def prefill_iqr_ms(self) -> float | None:
        return self.prefill.iqr_ms if self.prefill else None


def _without_evidence(written: Mapping[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the written statistics that nothing else in the record could give."""
    measured = [phase for phase in ("prefill", "decode") if rest.get(f"{phase}_samples_ms")]
    if any(rest.get(f"{phase}_peak_memory_bytes") is not None for phase in ("prefill", "decode")):
        measured.append("peak")
    return {k: v for k, v in written.items() if k in STATED and not k.startswith(tuple(measured or " "))}


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


class Sentinel(_Part):
    """A shape that was timed again and again between the others, to show drift."""

    position: Whole
    batch: Count
    context_tokens: Count
    decode_median_ms: Ms


class Report(_Part):
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
    records: Annotated[tuple[Record, ...], Field(max_length=4096)]
    sentinels: tuple[Sentinel, ...] = ()
    failure: Text | None = None
    evidence_level: Text
    decision: Text = "tune"
    provenance: Provenance = MEASURED
    harness: Text | None = None
    started_at: Text | None = None
    finished_at: Text | None = None
    sessions: Count | None = None
    timed_s: Annotated[float, Field(ge=0)] | None = None
    wall_s: Annotated[float, Field(ge=0)] | None = None

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
    def ok(self) -> tuple[Record, ...]:
        """The shapes that were measured."""
        return tuple(record for record in self.records if record.status == "ok")

    @property
    def failed(self) -> tuple[Record, ...]:
        """The shapes that failed, each with its reason."""
        return tuple(record for record in self.records if record.status == "failed")

    @property
    def missing(self) -> tuple[Shape, ...]:
        """The shapes of the matrix without any record."""
        have = {record.shape for record in self.records}
        return tuple(shape for shape in self.workload.shapes if shape not in have)

    def record(self, batch: int, context_tokens: int, series: Series = "dynamic") -> Record | None:
        """The record of one shape; None where there is none."""
        shape = Shape(context_tokens, batch, series)
        return next((record for record in self.records if record.shape == shape), None)

    def along_batch(self, context_tokens: int, series: Series = "dynamic") -> tuple[Record, ...]:
        """The measured shapes of one context, smallest batch first."""
        chosen = (r for r in self.ok if r.context_tokens == context_tokens and r.series == series)
        return tuple(sorted(chosen, key=lambda record: record.batch))

    def sweep(self, context_tokens: int, series: Series = "dynamic") -> list[dict[str, float]]:
        """One context's decode steps as `select_operating_knee` takes them."""
        chosen = (r for r in self.along_batch(context_tokens, series) if r.decode_median_ms is not None)
        return [
            {
                "batch": r.batch,
                "throughput": r.decode_tokens_per_s or 0.0,
                "iteration_ms": r.decode_median_ms or 0.0,
            }
            for r in chosen
        ]

    def implied_bandwidth_gbps(self, record: Record) -> float | None:
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


def _has(record: Record, name: str) -> bool:
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
