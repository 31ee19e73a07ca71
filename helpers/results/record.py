"""One shape as measured: gates, raw samples, and the statistics that are computed from them on reading."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, computed_field, model_validator

from helpers import timing
from helpers.results.fields import MOST_SAMPLES, Bytes, Count, Flag, Ms, Rate, ReportPart, Text, Whole
from helpers.text import say
from helpers.workload import Series, Shape

FailureKind = Literal["oom", "gate", "skipped", "error"]
Boundary = Literal["event", "wall"]
Rounds = Annotated[tuple[Whole, ...], Field(max_length=MOST_SAMPLES)]
Samples = Annotated[tuple[Ms, ...], Field(max_length=MOST_SAMPLES)]


class Gates(ReportPart):
    """What was checked before a shape was timed, and after."""

    logits_shape: Annotated[tuple[Count, ...], Field(max_length=16)] | None = None
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


class Stated(ReportPart):
    """Figures of a record without raw samples: somebody's medians, taken at their word."""

    prefill_median_ms: Ms | None = None
    prefill_p95_ms: Ms | None = None
    decode_median_ms: Ms | None = None
    decode_p95_ms: Ms | None = None
    peak_memory_bytes: Bytes | None = None


class ShapeRecord(ReportPart):
    """One shape. Raw samples where there are some; statistics are computed from them on reading.

    `prefill_rounds` and `decode_rounds` say how many samples each round gave, `positions` at which places of
    the drawn schedule they were taken; `cache_held` whether the old cache was kept beside the new one, or cut
    back from it, as a server does.

    `ShapeRecord(batch=1, context_tokens=128, status="ok", decode_median_ms=4.2)` is a published
    figure without samples: the statistics then repeat what was stated, and `has_samples` is False.
    """

    batch: Count
    context_tokens: Count
    status: Literal["ok", "failed"]
    series: Series = "dynamic"
    prefill_samples_ms: Samples = ()
    decode_samples_ms: Samples = ()
    prefill_submit_samples_ms: Samples = ()
    decode_submit_samples_ms: Samples = ()
    prefill_wall_samples_ms: Samples = ()
    decode_wall_samples_ms: Samples = ()
    prefill_cold_ms: Ms | None = None
    decode_cold_ms: Ms | None = None
    boundary: Boundary | None = None
    kv_cache_bytes: Bytes | None = None
    prefill_peak_memory_bytes: Bytes | None = None
    decode_peak_memory_bytes: Bytes | None = None
    attention: Text | None = None
    sm_clock_mhz: Annotated[tuple[Rate, ...], Field(max_length=MOST_SAMPLES)] = ()
    gates: Gates | None = None
    prefill_rounds: Rounds = ()
    decode_rounds: Rounds = ()
    position: Whole | None = None
    positions: Rounds = ()
    cache_held: Literal["kept", "cut"] | None = None
    samples_dropped: Whole | None = None
    warmups_done: Whole | None = None
    finished_at: Text | None = None
    oom_recovered: Flag | None = None
    failure_kind: FailureKind | None = None
    failure: Text | None = None
    stated: Stated = Field(default=Stated(), exclude=True)

    @model_validator(mode="wrap")
    @classmethod
    def _written_statistics_agree(cls, data: Any, build: Any) -> ShapeRecord:
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
    def _ok_has_figures_and_failed_a_reason(self) -> ShapeRecord:
        if self.status == "failed":
            if not self.failure:
                raise ValueError(say("result.failed_needs_reason"))
            if self.prefill_samples_ms or self.decode_samples_ms or self.stated != Stated():
                raise ValueError(say("result.failed_has_samples"))
        elif self.prefill_median_ms is None and self.decode_median_ms is None:
            raise ValueError(say("result.ok_needs_figures"))
        elif self.failure:
            raise ValueError(say("result.ok_has_failure"))
        for name in ("prefill", "decode"):
            sizes, samples = getattr(self, f"{name}_rounds"), getattr(self, f"{name}_samples_ms")
            if sizes and sum(sizes) != len(samples):
                raise ValueError(say("result.rounds", name=name, sizes=list(sizes), n=len(samples)))
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
        samples = self.prefill_samples_ms
        return timing.summarize(samples, self.prefill_rounds) if samples else None

    @property
    def decode(self) -> timing.Summary | None:
        """Statistics of the decode samples; None without samples."""
        samples = self.decode_samples_ms
        return timing.summarize(samples, self.decode_rounds) if samples else None

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


def _without_evidence(written: Mapping[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the written statistics that nothing else in the record could give."""
    measured = [phase for phase in ("prefill", "decode") if rest.get(f"{phase}_samples_ms")]
    if any(rest.get(f"{phase}_peak_memory_bytes") is not None for phase in ("prefill", "decode")):
        measured.append("peak")
    return {k: v for k, v in written.items() if k in STATED and not k.startswith(tuple(measured or " "))}


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


class Sentinel(ReportPart):
    """A step that was timed again and again between the others, to show drift.

    The decode step of a small shape feels the host; where the device works on its own, `prefill_median_ms` is
    the prefill of one long text, which feels the device, with its clock and temperature read under that load.
    """

    position: Whole
    batch: Count
    context_tokens: Count
    decode_median_ms: Ms
    prefill_tokens: Count | None = None
    prefill_median_ms: Ms | None = None
    sm_clock_mhz: Rate | None = None
    temperature_c: Rate | None = None
