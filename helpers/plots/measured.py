"""A report's records: time, rate and memory by batch and context, and time against the ledger's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.plots.arguments import filled_mapping, refuse, require_one_of, require_positive
from helpers.plots.axes import legend, plain_log, size_axis
from helpers.plots.style import RED, SMALL, new_figure, styled
from helpers.text import say
from helpers.timing import percentile

if TYPE_CHECKING:
    from helpers.results import Report, ShapeRecord

Phase = Literal["prefill", "decode"]
Quantity = Literal["ms", "tokens_per_s"]

_ROW = 0.08


def batch_context(
    report: Report,
    phase: Phase = "decode",
    quantity: Quantity = "ms",
    contexts: Iterable[int] | None = None,
    series: str = "dynamic",
) -> Figure:
    """One curve a context against batch, both axes logarithmic; failed shapes are crosses at the bottom.

    The title says model, device, and whether the figures were measured end to end or composed from kernels.
    `contexts` picks some of the report's; without it all are drawn.
    """
    require_one_of("phase", phase, ("prefill", "decode"))
    require_one_of("quantity", quantity, ("ms", "tokens_per_s"))
    wanted = None if contexts is None else set(contexts)
    records = [
        r for r in report.records if r.series == series and (wanted is None or r.context_tokens in wanted)
    ]
    attribute = f"{phase}_median_ms" if quantity == "ms" else f"{phase}_tokens_per_s"
    measured = [record for record in records if getattr(record, attribute) is not None]
    failed = [record for record in records if record.status == "failed"]
    if not measured and not failed:
        refuse("report", "has_phase", f"{len(report.records)} records", phase=phase)
    with styled():
        figure, (axes,) = new_figure(_report_title(report), heights=(4.6,))
        colors = _shades(sorted({record.context_tokens for record in measured + failed}))
        _context_curves(axes, measured, attribute, colors)
        _failed_crosses(axes, failed)
        size_axis(axes, [record.batch for record in measured + failed], say("plot.batch"))
        axes.set_ylabel(say("plot.tokens_per_s" if quantity == "tokens_per_s" else f"plot.{phase}_ms"))
        if measured:
            axes.set_yscale("log")
            _room_below(axes, len({record.context_tokens for record in failed}))
            plain_log(axes)
        legend(figure, axes, columns=4, title=say("plot.context"))
    return figure


def memory(report: Report, limit_bytes: float | None = None) -> Figure:
    """KV bytes (full lines) and peak memory of a decode step (dashed, where recorded) against batch, in GB.

    `limit_bytes` is the device's memory; without it the report's own is drawn, where it was recorded. Failed
    shapes are crosses at the bottom.
    """
    records = [record for record in report.records if record.series == "dynamic"]
    held = [record for record in records if record.kv_cache_bytes is not None]
    failed = [record for record in records if record.status == "failed"]
    if not held and not failed:
        refuse("report", "has_kv", f"{len(report.records)} records")
    limit = report.hardware.memory_bytes if limit_bytes is None else limit_bytes
    with styled():
        figure, (axes,) = new_figure(_report_title(report), heights=(4.6,))
        colors = _shades(sorted({record.context_tokens for record in held + failed}))
        for context, (color, marker) in colors.items():
            curve = sorted((r for r in held if r.context_tokens == context), key=lambda record: record.batch)
            _memory_lines(axes, curve, {"color": color, "marker": marker, "markersize": 6}, f"{context:,}")
        _failed_crosses(axes, failed)
        if limit is not None:
            label = say("plot.device_memory", gb=f"{limit / 1e9:.3g}")
            axes.axhline(limit / 1e9, color=RED, linestyle="--", linewidth=1.5, label=label)
        size_axis(axes, [record.batch for record in held + failed], say("plot.batch"))
        axes.set_ylabel(say("plot.memory_gb"))
        if held:
            axes.set_yscale("log")
            _room_below(axes, len({record.context_tokens for record in failed}))
            plain_log(axes)
        legend(figure, axes, columns=4, title=say("plot.context"))
    return figure


def against_ledger(report: Report, predicted_ms: Mapping[tuple[int, int], float]) -> Figure:
    """Measured decode step ÷ the student's prediction, against batch; 1 means that the ledger explains it.

    predicted_ms: (batch, context_tokens) -> milliseconds, by the student's own function.
    """
    for shape, value in filled_mapping("predicted_ms", predicted_ms).items():
        require_positive(f"predicted_ms[{shape}]", value)
    measured = [r for r in report.ok if r.series == "dynamic" and (r.batch, r.context_tokens) in predicted_ms]
    measured = [record for record in measured if record.decode_median_ms is not None]
    if not measured:
        refuse("report", "has_phase", f"{len(report.records)} records", phase="decode")
    with styled():
        figure, (axes,) = new_figure(_report_title(report), heights=(4.2,))
        for context, (color, marker) in _shades(sorted({r.context_tokens for r in measured})).items():
            curve = sorted((r for r in measured if r.context_tokens == context), key=lambda r: r.batch)
            ratios = [(r.decode_median_ms or 0) / predicted_ms[r.batch, r.context_tokens] for r in curve]
            look = {"color": color, "marker": marker, "markersize": 6, "label": f"{context:,}"}
            axes.plot([record.batch for record in curve], ratios, **look)
        axes.axhline(1, color=RED, linestyle="--", linewidth=1.5, label=say("plot.ledger_holds"))
        size_axis(axes, [record.batch for record in measured], say("plot.batch"))
        axes.set_ylabel(say("plot.measured_over_ledger"))
        axes.set_ylim(bottom=0)
        legend(figure, axes, columns=4, title=say("plot.context"))
    return figure


def _report_title(report: Report) -> str:
    model = report.model.id.rsplit("/", 1)[-1]
    how = say(f"plot.{report.provenance.kind}")
    if report.model.weights == "random":
        how = f"{how} · {say('plot.random_weights')}"
    return f"{model} · {report.hardware.label} · {report.model.dtype}\n{how}"


def _context_curves(
    axes: Axes, measured: Sequence[ShapeRecord], attribute: str, colors: Mapping[int, tuple[str, str]]
) -> None:
    for context, (color, marker) in colors.items():
        curve = sorted((r for r in measured if r.context_tokens == context), key=lambda record: record.batch)
        if curve:
            values = [getattr(record, attribute) for record in curve]
            look = {"color": color, "marker": marker, "markersize": 6, "label": f"{context:,}"}
            axes.plot([record.batch for record in curve], values, **look)
            _spread(axes, curve, attribute, color)


def _spread(axes: Axes, curve: Sequence[ShapeRecord], attribute: str, color: str) -> None:
    """A band over the middle half of each shape's samples, where a curve of times has samples."""
    phase = attribute.removesuffix("_median_ms")
    samples = [getattr(record, f"{phase}_samples_ms", ()) for record in curve]
    if not all(samples):
        return
    low, high = ([percentile(times, q) for times in samples] for q in (25, 75))
    axes.fill_between([record.batch for record in curve], low, high, color=color, alpha=0.2, linewidth=0)


def _memory_lines(axes: Axes, curve: Sequence[ShapeRecord], look: Mapping[str, Any], label: str) -> None:
    if not curve:
        return
    axes.plot([r.batch for r in curve], [(r.kv_cache_bytes or 0) / 1e9 for r in curve], label=label, **look)
    peaks = [r for r in curve if r.decode_peak_memory_bytes is not None]
    if peaks:
        heights = [(r.decode_peak_memory_bytes or 0) / 1e9 for r in peaks]
        axes.plot([r.batch for r in peaks], heights, linestyle="--", **look)


def _failed_crosses(axes: Axes, failed: Sequence[ShapeRecord]) -> None:
    """A cross near the bottom for each failed shape, one row a context, with the context before it."""
    for row, context in enumerate(sorted({record.context_tokens for record in failed})):
        batches = sorted(record.batch for record in failed if record.context_tokens == context)
        height = _ROW * (row + 0.5)
        look = {"color": RED, "markersize": 9, "markeredgewidth": 2.5, "linestyle": "", "clip_on": False}
        heights = [height] * len(batches)
        label = say("plot.failed")
        axes.plot(batches, heights, "x", transform=axes.get_xaxis_transform(), label=label, **look)
        axes.annotate(
            f"{context:,}",
            (batches[0], height),
            xycoords=axes.get_xaxis_transform(),
            xytext=(-8, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=SMALL,
            color=RED,
        )


def _room_below(axes: Axes, rows: int) -> None:
    """Stretch a logarithmic axis downwards, so that the crosses lie under the curves."""
    low, high = axes.get_ylim()
    share = _ROW * rows
    axes.set_ylim(low / (high / low) ** (share / (1 - share)), high)


def _shades(contexts: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Dark for a short context, light for a long one, and a marker each."""
    shades = matplotlib.colormaps["viridis"]
    steps = max(1, len(contexts) - 1)
    markers = "osD^vP*Xphd<>"
    return {
        context: (matplotlib.colors.to_hex(shades(0.9 * i / steps)), markers[i % len(markers)])
        for i, context in enumerate(contexts)
    }
