"""What a real run leaves and an invented one forgets: order, clocks, cold calls, and floors of physics.

Each check yields code, place and values of what cannot be; the audit makes findings of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from helpers import hardware, models
from helpers.results.record import ShapeRecord
from helpers.results.report import Report
from helpers.schedule import schedule

Doubt = tuple[str, str, dict[str, object]]

BOOST = 1.15  # a clock above the data sheet's
COLD_SHARE = 0.5  # honest cold decode steps of a CPU were as low as 0.84 of the warm ones
COARSE_MS = 0.01
LEAST_SAMPLES = 10
SAME_RATIO = 1e-3


def doubts(report: Report) -> Iterator[Doubt]:
    """All that a run in rounds would not have written."""
    for check in (_order, _sentinels, _boundary, _cold, _rounded, _compute):
        yield from check(report)


def _in_rounds(report: Report) -> list[ShapeRecord]:
    return [record for record in report.ok if record.decode_rounds]


def _order(report: Report) -> Iterator[Doubt]:
    """Each visit stands where the seed's draw put it."""
    drawn: dict[object, set[int]] = {}
    for turn in schedule(report.workload.protocol):
        drawn.setdefault(turn.shape, set()).add(turn.position)
    for record in _in_rounds(report):
        if not set(record.positions) <= drawn[record.shape]:
            yield "drawn_order", str(record.shape), {"got": list(record.positions)}


def _sentinels(report: Report) -> Iterator[Doubt]:
    """A run of four turns or more times its sentinels."""
    visits = sum(len(record.decode_rounds) for record in _in_rounds(report))
    if visits >= 4 and not report.sentinels:
        yield "sentinels", "sentinels", {}


def _boundary(report: Report) -> Iterator[Doubt]:
    """Device events are a GPU's; without one there is the wall clock."""
    for record in _in_rounds(report):
        if record.boundary == "event" and report.hardware.device == "cpu":
            yield "boundary", str(record.shape), {"boundary": record.boundary}


def _cold(report: Report) -> Iterator[Doubt]:
    """The first call is not far below the fastest of the later ones."""
    for record in _in_rounds(report):
        for phase in ("prefill", "decode"):
            cold, warm = getattr(record, f"{phase}_cold_ms"), getattr(record, f"{phase}_samples_ms")
            if cold is not None and warm and cold < COLD_SHARE * min(warm):
                yield "cold", f"{record.shape} {phase}", {"cold": f"{cold:.3f}", "warm": f"{min(warm):.3f}"}


def _rounded(report: Report) -> Iterator[Doubt]:
    """A clock of nanoseconds does not stop at hundredths of a millisecond."""
    for record in _in_rounds(report):
        samples = record.decode_samples_ms
        if len(samples) >= LEAST_SAMPLES and all(_is_coarse(ms) for ms in samples):
            yield "rounded", f"{record.shape} decode", {"n": len(samples)}


def _is_coarse(ms: float) -> bool:
    return abs(ms / COARSE_MS - round(ms / COARSE_MS)) < 1e-6


def _compute(report: Report) -> Iterator[Doubt]:
    """A prefill multiplies each token with every layer's weights, no faster than the device's peak."""
    try:
        device, model = hardware.get(report.hardware.label), models.get(report.model.id)
    except ValueError:
        return
    layers = model.active_parameters - 2 * model.vocabulary * model.hidden  # fewer than there are, if tied
    for record in report.ok:
        fastest = min(record.prefill_samples_ms, default=None)
        floor_ms = 2e3 * max(layers, 0) * record.shape.tokens / (device.compute_tflops * 1e12 * BOOST)
        if fastest is not None and fastest < floor_ms:
            yield (
                "compute",
                f"{record.shape} prefill",
                {"got": f"{fastest:.3f}", "floor": f"{floor_ms:.3f}"},
            )


def is_scaled_copy(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether each sample of one is the same multiple of the other's: two clocks never jitter alike."""
    if len(one) != len(other) or len(one) < LEAST_SAMPLES or min(*one, *other) <= 0:
        return False
    if len(set(one)) == 1:
        return False
    ratios = [a / b for a, b in zip(one, other, strict=True)]
    return statistics.pstdev(ratios) < SAME_RATIO * statistics.fmean(ratios)
