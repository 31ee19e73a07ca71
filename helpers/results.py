"""Report and Record: the JSON of an experiment. Load, validate, compare, merge, save, audit, judge."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, computed_field, model_validator

from helpers import timing
from helpers.text import CATALOG, say
from helpers.workload import Series, Shape, Weights, Workload

SCHEMA_VERSION = "inference-mechanism-gpu/v3"
SCHEMA_VERSION_2 = "inference-mechanism-gpu/v2"
MAX_FILE_BYTES = 64_000_000

Count = Annotated[int, Field(strict=True, ge=1)]
Bytes = Annotated[int, Field(strict=True, ge=0)]
Whole = Annotated[int, Field(strict=True, ge=0)]
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
    batch_sizes: tuple[Count, ...]
    context_lengths: tuple[Count, ...]
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


_STATED = (
    "prefill_median_ms",
    "prefill_p95_ms",
    "decode_median_ms",
    "decode_p95_ms",
    "peak_memory_bytes",
)
_RATES = ("prefill_tokens_per_s", "decode_tokens_per_s")


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
        written = {key: data[key] for key in (*_STATED, *_RATES) if data.get(key) is not None}
        rest = {key: value for key, value in data.items() if key not in (*_STATED, *_RATES)}
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
    return {k: v for k, v in written.items() if k in _STATED and not k.startswith(tuple(measured or " "))}


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
    records: tuple[Record, ...]
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
        twice = next((s for s in shapes if shapes.count(s) > 1), None)
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
        absent += [f"hardware.{name}" for name in _WANTED_HARDWARE if getattr(self.hardware, name) is None]
        if self.workload.context_held is not True:
            absent.append("workload.context_held")
        absent += [
            f"records.{name}"
            for name in _WANTED_RECORD
            if self.ok and any(getattr(record, name) in (None, ()) for record in self.ok)
        ]
        return tuple(absent)


_WANTED_MODEL = ("resolved_commit", "weights", "parameters", "weight_bytes", "kv_bytes_per_token")
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


# --- reading -----------------------------------------------------------------------------------------


def _refuse_constant(name: str) -> Any:
    raise ValueError(say("result.not_json_constant", got=name))


def _no_double_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(say("result.double_key"))
    return dict(pairs)


def _parse(text: str, where: str) -> dict[str, Any]:
    """The JSON object in `text`; a damaged or truncated one is refused with line and column."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_no_double_keys)
    except json.JSONDecodeError as error:
        cut = not text.rstrip().endswith("}")
        key = "result.truncated" if cut else "result.damaged"
        raise ResultError(key, path=where, line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError) as error:
        raise ResultError("result.bad_json", path=where, reason=str(error)) from None
    if not isinstance(data, dict):
        raise ResultError("result.foreign", path=where, got=type(data).__name__)
    return data


def _canonical(value: Any) -> Any:
    """The value with whole floats as integers, so that another program's rewriting changes nothing."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return value


def digest(data: Mapping[str, Any]) -> str:
    """SHA-256 of a report's content, independent of layout and of the order of keys."""
    content = {key: _canonical(value) for key, value in data.items() if key != "content_sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def explain(error: ValidationError) -> tuple[str, str, str]:
    """Field, rule and value of the first thing that pydantic found."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "records"
    got = first.get("input")
    shown = "" if isinstance(got, (dict, list, tuple, BaseModel)) else repr(got)[:80]
    key = f"result.rule.{first['type']}"
    if key in CATALOG:
        return field, say(key, **first.get("ctx", {})), shown
    return field, first["msg"].removeprefix("Value error, "), shown


def from_dict(data: Mapping[str, Any], where: str = "data", *, check_digest: bool = True) -> Report:
    """The report in a dictionary of schema v3 or v2; anything else is refused with the reason."""
    version = data.get("schema_version")
    if version not in (SCHEMA_VERSION, SCHEMA_VERSION_2):
        raise ResultError("result.schema", path=where, got=repr(version)[:80], want=SCHEMA_VERSION)
    content = _upgraded(data) if version == SCHEMA_VERSION_2 else dict(data)
    stamp = content.pop("content_sha256", None)
    try:
        report = Report(**{**content, "read_from": version})
    except (ValidationError, TypeError) as error:
        if not isinstance(error, ValidationError):
            raise ResultError("result.bad_json", path=where, reason=str(error)) from None
        field, rule, got = explain(error)
        key = "result.field" if got else "result.rule"
        raise ResultError(key, path=where, field=field, rule=rule, got=got) from None
    if version == SCHEMA_VERSION and check_digest and stamp != digest(data):
        raise ResultError("result.edited", path=where)
    return report


def _upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """A v2 dictionary in v3's terms; nothing is invented, what v2 lacks stays empty."""
    known = {name: data[name] for name in Report.model_fields if name in data}
    known["schema_version"] = SCHEMA_VERSION
    if not isinstance(data.get("records"), (list, tuple)):
        return known
    names = {*Record.model_fields, *_STATED, *_RATES}
    known["records"] = [
        {k: v for k, v in item.items() if k in names} if isinstance(item, Mapping) else item
        for item in data["records"]
    ]
    return known


def load(path: str | os.PathLike[str]) -> Report:
    """The report in a file; damaged, truncated, foreign and hand-edited files are refused with the reason."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ResultError("result.too_large", path=path.name, megabytes=MAX_FILE_BYTES // 10**6)
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ResultError("result.not_found", path=path) from None
    except UnicodeDecodeError:
        raise ResultError("result.not_utf8", path=path.name) from None
    except OSError as error:
        raise ResultError("result.unreadable", path=path, reason=error.strerror or str(error)) from None
    if not text.strip():
        raise ResultError("result.empty", path=path.name)
    return from_dict(_parse(text, path.name), path.name)


# --- writing -----------------------------------------------------------------------------------------

_LABEL = re.compile(r"[^\W_][\w.-]{0,63}")


def run_label(label: str) -> str:
    """The label if it can be part of a file name on every platform; refused otherwise."""
    if not isinstance(label, str) or not _LABEL.fullmatch(label) or label.endswith("."):
        raise ResultError("result.label", got=repr(label)[:80])
    return label


def path_for(folder: str | os.PathLike[str], label: str, workload_id: str = "inf-iteration-budget") -> Path:
    """Where the result of a run label lies, for example results/iteration_budget_default.json."""
    return Path(folder) / f"{_stem(workload_id)}_{run_label(label)}.json"


def journal_for(
    folder: str | os.PathLike[str], label: str, workload_id: str = "inf-iteration-budget"
) -> Path:
    """Where the finished shapes of a run label lie while it is under way, one line each."""
    return path_for(folder, label, workload_id).with_suffix(".jsonl")


def _stem(workload_id: str) -> str:
    return workload_id.removeprefix("inf-").replace("-", "_")


def to_dict(report: Report) -> dict[str, Any]:
    """The report as plain JSON data, statistics included, stamped with its digest."""
    data = report.model_dump(mode="json", exclude_none=False)
    return {**data, "content_sha256": digest(data)}


def save(report: Report, path: str | os.PathLike[str]) -> Path:
    """Write a report, whole or not at all; an earlier result of the same name is never overwritten."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(to_dict(report), ensure_ascii=False, indent=1) + "\n"
    if path.exists() and path.read_bytes() == text.encode():
        return path
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _put(Path(name), path)
    finally:
        Path(name).unlink(missing_ok=True)
    return path


def _put(part: Path, path: Path) -> None:
    """Give the finished file its name; where the name is taken, refuse."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise ResultError("result.exists", path=path) from None
    except (OSError, AttributeError):
        if path.exists():
            raise ResultError("result.exists", path=path) from None
        os.replace(part, path)


# --- comparing and merging ---------------------------------------------------------------------------

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
_ONLY_FOR_MERGING = ("workload.batch_sizes", "workload.context_lengths", "workload.series")


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
        _must_agree(first, other, (*MUST_AGREE, *_ONLY_FOR_MERGING), "result.not_mergeable")
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


# --- the journal of a run under way ------------------------------------------------------------------


class Journal:
    """The finished shapes of a run, one JSON line each, safe against a kill at any moment."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def read(self) -> list[dict[str, Any]]:
        """Every whole line; a last line that was cut off is no line. A damaged one before it is refused."""
        try:
            whole, _, _cut = self.path.read_bytes().rpartition(b"\n")
        except FileNotFoundError:
            return []
        lines = []
        for number, line in enumerate(whole.split(b"\n") if whole else [], start=1):
            try:
                lines.append(_parse(line.decode(), f"{self.path.name}:{number}"))
            except UnicodeDecodeError:
                raise ResultError("result.not_utf8", path=f"{self.path.name}:{number}") from None
        return lines

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add one line and wait until it is on the disk; a cut-off line before it is removed first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(entry, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        with open(self.path, "ab+") as file:
            self._drop_cut_line(file)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    @staticmethod
    def _drop_cut_line(file: Any) -> None:
        file.seek(0)
        content = file.read()
        if content and not content.endswith(b"\n"):
            file.truncate(content.rfind(b"\n") + 1)
        file.seek(0, os.SEEK_END)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the run label for this process; a second run of the same label is refused."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path.with_suffix(".lock"), "a") as lock:
            if not _lock(lock):
                raise ResultError("result.in_use", path=self.path)
            yield


def _lock(file: Any) -> bool:
    """Lock an open file without waiting; True as well where the platform has no such lock."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
