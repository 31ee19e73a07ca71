"""The interpretation table of step 5, filled from the JSON alone; `pending` where evidence is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from helpers import timing
from helpers.results.report import Report
from helpers.text import Language, say, say_in, spoken

State = Literal["held", "failed", "pending"]
Aspect = Literal["scope", "mechanism", "correctness", "resources", "evidence"]
WIDE_SHARE = 0.25
DRIFT_OF_EVIDENCE = 0.20


@dataclass(frozen=True)
class Judgement:
    """One row of the table: what is looked at, the fields read, the state, and what it means."""

    aspect: Aspect
    fields: tuple[str, ...]
    state: State
    key: str
    values: Mapping[str, object]

    def in_language(self, language: Language) -> tuple[str, str, str, str]:
        """Aspect, fields, state and explanation in one of both languages."""
        return (
            say_in(language, f"judge.{self.aspect}"),
            ", ".join(self.fields),
            say_in(language, f"judge.{self.state}"),
            say_in(language, self.key, **self.values),
        )

    @property
    def text(self) -> str:
        """The explanation in the language spoken."""
        return self.in_language(spoken())[3]

    def __str__(self) -> str:
        aspect, fields, state, meaning = self.in_language(spoken())
        return f"{aspect} [{state}] {meaning} ({fields})"


def judge(report: Report | None) -> tuple[Judgement, ...]:
    """The five rows of the table; all pending where there is no report or nothing was measured."""
    rows: tuple[tuple[Aspect, Callable[[Report], tuple[State, str, dict[str, object]]]], ...] = (
        ("scope", _scope),
        ("mechanism", _mechanism),
        ("correctness", _correctness),
        ("resources", _resources),
        ("evidence", _evidence),
    )
    return tuple(_row(aspect, look, report) for aspect, look in rows)


_FIELDS: dict[Aspect, tuple[str, ...]] = {
    "scope": ("failure", "model", "dtype", "workload.version", "records.status"),
    "mechanism": ("kv_cache_bytes", "attention", "oom_recovered"),
    "correctness": ("gates",),
    "resources": ("decode_median_ms", "decode_p95_ms", "decode_tokens_per_s", "peak_memory_bytes"),
    "evidence": ("evidence_level", "decision", "provenance"),
}


def _row(
    aspect: Aspect,
    look: Callable[[Report], tuple[State, str, dict[str, object]]],
    report: Report | None,
) -> Judgement:
    if report is None or not report.records:
        return Judgement(aspect, _FIELDS[aspect], "pending", "judge.no_report", {})
    state, key, values = look(report)
    return Judgement(aspect, _FIELDS[aspect], state, key, values)


def _scope(report: Report) -> tuple[State, str, dict[str, object]]:
    values: dict[str, object] = {
        "model": report.model.id,
        "dtype": report.model.dtype,
        "version": report.workload.version,
        "ok": len(report.ok),
        "total": len(report.workload.shapes),
        "failed": len(report.failed),
        "missing": len(report.missing),
        "reason": report.failure or "–",
    }
    if report.failure or not report.ok:
        return "failed", "judge.scope_failed", values
    return ("pending" if report.missing else "held"), "judge.scope_text", values


def _mechanism(report: Report) -> tuple[State, str, dict[str, object]]:
    if any(record.oom_recovered is False for record in report.records):
        shape = next(record.shape for record in report.records if record.oom_recovered is False)
        return "failed", "judge.mechanism_stuck", {"shape": shape}
    if not report.ok or any(record.kv_cache_bytes is None for record in report.ok):
        return "pending", "judge.mechanism_no_kv", {}
    per_token = sorted({(r.kv_cache_bytes or 0) // r.shape.tokens for r in report.ok})
    kernels = sorted({record.attention for record in report.ok if record.attention})
    values: dict[str, object] = {
        "per_token": " / ".join(map(str, per_token)),
        "kernels": ", ".join(kernels) or "–",
        "oom": sum(record.failure_kind == "oom" for record in report.failed),
        "launch": sum(_launch_bound(report).values()),
    }
    return ("held" if report.workload.context_held else "pending"), "judge.mechanism_text", values


def _launch_bound(report: Report) -> dict[object, bool]:
    """Which shapes submit their decode step about as slowly as the device runs it."""
    return {
        record.shape: any(
            remark.key == "timing.launch"
            for remark in timing.remarks(record.decode_samples_ms, record.decode_submit_samples_ms)
        )
        for record in report.ok
        if record.decode_samples_ms
    }


def _correctness(report: Report) -> tuple[State, str, dict[str, object]]:
    verdicts = [record.gates.verdicts if record.gates else {} for record in report.ok]
    broken = sorted(
        {name for v in verdicts for name, held in v.items() if held is False} - {"repeats_identical"}
    )
    broken += ["gate"] if any(record.failure_kind == "gate" for record in report.failed) else []
    if broken:
        return "failed", "judge.correctness_failed", {"gates": ", ".join(broken)}
    if not verdicts or any(not v or None in v.values() for v in verdicts):
        return "pending", "judge.correctness_pending", {}
    worst = max(record.gates.prefill_difference or 0.0 for record in report.ok if record.gates)
    return "held", "judge.correctness_text", {"worst": f"{worst:.1e}", "n": len(verdicts)}


def _resources(report: Report) -> tuple[State, str, dict[str, object]]:
    sampled = [record for record in report.ok if record.decode_samples_ms]
    if not sampled:
        return "pending", "judge.resources_pending", {}
    medians = [record.decode_median_ms or 0.0 for record in sampled]
    rates = [record.decode_tokens_per_s or 0.0 for record in sampled]
    wide = sum(timing.summarize(record.decode_samples_ms).spread_is_wide for record in sampled)
    peaks = [record.peak_memory_bytes for record in sampled if record.peak_memory_bytes is not None]
    values: dict[str, object] = {
        "low": f"{min(medians):.2f}",
        "high": f"{max(medians):.2f}",
        "slow": f"{min(rates):.0f}",
        "fast": f"{max(rates):.0f}",
        "wide": wide,
        "n": len(sampled),
        "least": min(len(record.decode_samples_ms) for record in sampled),
        "peak": f"{max(peaks) / 1e9:.2f} GB" if peaks else "–",
    }
    return ("pending" if wide > WIDE_SHARE * len(sampled) else "held"), "judge.resources_text", values


def _evidence(report: Report) -> tuple[State, str, dict[str, object]]:
    lacking = report.lacks
    values: dict[str, object] = {
        "level": report.evidence_level,
        "decision": report.decision,
        "kind": report.provenance.kind,
        "weights": report.model.weights or "?",
        "device": report.hardware.label,
        "lacks": ", ".join(lacking) or "–",
    }
    moved = drift_of(report)
    if moved is not None and moved > DRIFT_OF_EVIDENCE:
        values |= {"percent": f"{moved:.0%}", "limit": f"{DRIFT_OF_EVIDENCE:.0%}", "n": len(report.sentinels)}
        return "pending", "judge.evidence_drift", values
    good = not lacking and report.provenance.kind == "measured_end_to_end" and report.status == "completed"
    return ("held" if good else "pending"), "judge.evidence_text", values


def drift_of(report: Report) -> float | None:
    """How far the slowest sentinel lies above the fastest, host's or device's; None below two sentinels."""
    rows = (
        [sentinel.decode_median_ms for sentinel in report.sentinels],
        [s.prefill_median_ms for s in report.sentinels if s.prefill_median_ms is not None],
    )
    return max((max(row) / min(row) - 1 for row in rows if len(row) > 1), default=None)


def remarks(report: Report) -> tuple[str, ...]:
    """What must be said beside the figures: few samples, wide spreads, drift, launches; one line each."""
    lines: list[str] = []
    for record in report.ok:
        for phase in ("prefill", "decode"):
            samples = getattr(record, f"{phase}_samples_ms")
            submit = getattr(record, f"{phase}_submit_samples_ms")
            found = timing.remarks(samples, submit) if samples else ()
            lines += [f"{record.shape} {phase}: {remark.text}" for remark in found]
    moved = drift_of(report)
    if moved is not None and moved > timing.DRIFT_LIMIT:
        lines.append(say("judge.sentinel", percent=f"{moved:.1%}", n=len(report.sentinels)))
    return (*lines, *_of_the_harness(report))


def _of_the_harness(report: Report) -> list[str]:
    """The math kernel, caches that were cut, readings that were dropped: each by the shapes concerned."""
    found = {
        "judge.math_kernel": [r for r in report.ok if r.attention == "sdpa/math" and _is_gpu(report)],
        "judge.cut": [r for r in report.ok if r.cache_held == "cut"],
        "judge.dropped": [r for r in report.ok if r.samples_dropped],
    }
    return [
        say(
            key,
            shapes=", ".join(str(r.shape) for r in records),
            n=sum(r.samples_dropped or 0 for r in records),
        )
        for key, records in found.items()
        if records
    ]


def _is_gpu(report: Report) -> bool:
    return report.hardware.device == "cuda"
