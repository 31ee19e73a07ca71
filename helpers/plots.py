"""Pictures of what the student's own functions return; the only module that imports matplotlib.

Every function returns a matplotlib Figure, labelled in the language spoken, with units on every axis. None of
them computes a cost, a bound or a knee: those come in as data. A figure shows itself when it is the last
expression of a notebook cell; pyplot and its state are never touched.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import matplotlib
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from helpers.hardware import Device
from helpers.text import say
from helpers.timing import percentile

if TYPE_CHECKING:
    from helpers.gemm import GemmReport
    from helpers.profiler import Profile, Span
    from helpers.results import Record, Report
    from helpers.serving import Iteration

# Okabe and Ito's palette: told apart by colour-blind eyes and in grey.
BLUE, SKY, GREEN, ORANGE, RED, PURPLE = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7"
GREY, INK = "#9A9A9A", "#222222"

WIDTH_INCH = 6.4
DPI = 120
SMALL = 10.5

_FONT_FILE = Path(__file__).parent / "fonts" / "NotoSansSC-common.otf"
_STYLE = {
    "font.family": ["Noto Sans SC", "DejaVu Sans"],
    "font.size": 12,
    "axes.titlesize": 12,
    "figure.titlesize": 13,
    "legend.fontsize": SMALL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "axes.unicode_minus": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#DDDDDD",
    "axes.axisbelow": True,
    "lines.linewidth": 2,
    "lines.markersize": 7,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}

Phase = Literal["prefill", "decode"]
Quantity = Literal["ms", "tokens_per_s"]


class LessonFigure(Figure):
    """A Figure that draws in the course's style and shows itself in any notebook, without pyplot."""

    def draw(self, renderer: Any) -> None:
        with matplotlib.rc_context(_STYLE):
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        from io import BytesIO

        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=DPI)
        return buffer.getvalue()


# --- the ledger ----------------------------------------------------------------------------------------


def step_time(steps: Mapping[tuple[int, int], Mapping[str, Any]], device_name: str | None = None) -> Figure:
    """Bars of milliseconds: what reading weights and KV takes, compute as a marker, exposed overhead on top.

    `steps` maps (batch, context_tokens) to what `estimate_iteration_cost` returned. Memory time is shared out
    in proportion to bytes. The black line is the returned `iteration_ms`: it lies on top of its bar.
    """
    parts = {shape: _ledger_parts(shape, ledger) for shape, ledger in _filled_mapping("steps", steps).items()}
    shapes = sorted(parts, key=lambda shape: (shape[1], shape[0]))
    places = _grouped_places(shapes)
    with matplotlib.rc_context(_STYLE):
        figure, (axes,) = _figure(_titled(say("plot.step_time"), device_name), heights=(4.4,))
        _stack_ledger(axes, places, [parts[shape] for shape in shapes])
        _label_groups(axes, shapes, places)
        axes.set_ylabel(say("plot.step_ms"))
        axes.set_xlabel(say("plot.batch_in_groups"), labelpad=24)
        _legend(figure, axes, columns=2, last=("iteration", "compute"))
    return figure


_LEDGER_KEYS = (
    "memory_bytes",
    "kv_read_bytes",
    "kv_write_bytes",
    "memory_ms",
    "compute_ms",
    "exposed_overhead_ms",
    "iteration_ms",
)


def _ledger_parts(shape: object, ledger: object) -> dict[str, float]:
    """The heights of one bar, in milliseconds."""
    if not (isinstance(shape, tuple) and len(shape) == 2 and all(_is_number(size) for size in shape)):
        _refuse("steps", "pair", shape)
    values = _numbers(f"steps[{shape}]", ledger, _LEDGER_KEYS)
    kv_bytes = values["kv_read_bytes"] + values["kv_write_bytes"]
    kv_share = min(1.0, kv_bytes / values["memory_bytes"]) if values["memory_bytes"] else 0.0
    memory_ms, compute_ms = values["memory_ms"], values["compute_ms"]
    return {
        "weights": memory_ms * (1 - kv_share),
        "kv": memory_ms * kv_share,
        "beyond_memory": max(0.0, compute_ms - memory_ms),
        "overhead": values["exposed_overhead_ms"],
        "compute": compute_ms,
        "iteration": values["iteration_ms"],
    }


def _stack_ledger(axes: Axes, places: Sequence[float], bars: Sequence[Mapping[str, float]]) -> None:
    looks = {
        "weights": {"color": BLUE},
        "kv": {"color": ORANGE},
        "beyond_memory": {"facecolor": "white", "edgecolor": GREEN, "hatch": "///"},
        "overhead": {"color": GREY},
    }
    bottom = [0.0] * len(bars)
    for name, look in looks.items():
        heights = [bar[name] for bar in bars]
        if any(heights):
            axes.bar(places, heights, 0.8, bottom, label=say(f"plot.{name}"), **look)
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    totals = [bar["iteration"] for bar in bars]
    axes.hlines(
        totals,
        [place - 0.45 for place in places],
        [place + 0.45 for place in places],
        colors=INK,
        linewidth=2,
        label=say("plot.iteration"),
    )
    axes.plot(
        places,
        [bar["compute"] for bar in bars],
        "D",
        color=GREEN,
        markeredgecolor="white",
        label=say("plot.compute"),
        clip_on=False,
        zorder=5,
    )
    axes.set_ylim(0, max([*totals, *bottom, *(bar["compute"] for bar in bars)]) * 1.12 or 1)
    if len(bars) <= 14:
        for place, total in zip(places, totals, strict=True):
            _note(axes, place, total, _short(total), offset=(0, 4))


def _grouped_places(shapes: Sequence[tuple[int, int]]) -> list[float]:
    """Bar positions with a gap wherever the context changes."""
    places, place = [], 0.0
    for index, shape in enumerate(shapes):
        if index:
            place += 1.0 if shape[1] == shapes[index - 1][1] else 1.6
        places.append(place)
    return places


def _label_groups(axes: Axes, shapes: Sequence[tuple[int, int]], places: Sequence[float]) -> None:
    axes.set_xticks(places, [f"{shape[0]:,}" for shape in shapes])
    axes.tick_params(axis="x", length=0)
    for context in sorted({shape[1] for shape in shapes}):
        members = [place for place, shape in zip(places, shapes, strict=True) if shape[1] == context]
        crowded = len(members) == 1 and len(shapes) > 5
        axes.annotate(
            f"{context:,}" if crowded else say("plot.context_of", tokens=f"{context:,}"),
            ((members[0] + members[-1]) / 2, 0),
            xycoords=axes.get_xaxis_transform(),
            xytext=(0, -22),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=SMALL,
        )


# --- the bounds ----------------------------------------------------------------------------------------

_LIMIT_LOOKS = {
    "slot": (BLUE, "-", "s"),
    "kv": (ORANGE, "-", "o"),
    "token": (GREEN, "--", "^"),
    "slo": (RED, "-.", "v"),
    "backend": (PURPLE, ":", "P"),
}


def bounds(bounds_by_context: Mapping[int, Mapping[str, Any]]) -> Figure:
    """The five limits against the context, the smallest underlined and named; a limit of 0 stays visible.

    `bounds_by_context` maps the context of a request, in tokens, to what `compute_batch_bounds` returned.
    """
    found = _filled_mapping("bounds_by_context", bounds_by_context)
    for context in found:
        _positive("bounds_by_context", context)
    contexts = sorted(found)
    by_context = {context: _bounds_of(context, found[context]) for context in contexts}
    with matplotlib.rc_context(_STYLE):
        figure, (axes,) = _figure(say("plot.bounds"), heights=(4.8,))
        finals = [final for _, final, _ in by_context.values()]
        axes.plot(contexts, finals, color="#F0E442", linewidth=11, solid_capstyle="round", zorder=1)
        axes.plot([], [], color="#F0E442", linewidth=7, solid_capstyle="butt", label=say("plot.final"))
        for name, (color, dashes, marker) in _LIMIT_LOOKS.items():
            limits = [limits[name] for limits, _, _ in by_context.values()]
            label = say(f"plot.bound.{name}")
            axes.plot(
                contexts, limits, color=color, linestyle=dashes, marker=marker, label=label, clip_on=False
            )
        for context, (_, final, binding) in by_context.items():
            names = "\n".join(say(f"plot.bound.{name}") for name in binding)
            words = f"{names}\n{final:,}"
            _note(axes, context, final, words, offset=(0, -10), va="top", bbox=_PATCH)
        _size_axis(axes, contexts, say("plot.context"))
        _limit_axis(axes, [value for limits, _, _ in by_context.values() for value in limits.values()])
        _legend(figure, axes, columns=3)
    return figure


def _bounds_of(context: object, found: object) -> tuple[dict[str, float], int, tuple[str, ...]]:
    """The limits, the final one, and the names of those that bind."""
    where = f"bounds_by_context[{context}]"
    _keys(where, found, ("limits", "final_limit", "binding_constraints"))
    limits = _numbers(f"{where}['limits']", found["limits"], tuple(_LIMIT_LOOKS))
    _number(f"{where}['final_limit']", found["final_limit"])
    binding = _names(f"{where}['binding_constraints']", found["binding_constraints"])
    return limits, found["final_limit"], binding


def _names(argument: str, names: object) -> tuple[str, ...]:
    """The names of limits in the order of the legend."""
    known = ", ".join(_LIMIT_LOOKS)
    if not isinstance(names, (list, tuple, set, frozenset)) or not set(names) <= set(_LIMIT_LOOKS):
        _refuse(argument, "one_of", names, choices=known)
    return tuple(name for name in _LIMIT_LOOKS if name in names)


def _limit_axis(axes: Axes, limits: Sequence[float]) -> None:
    """Logarithmic from 1 on and straight below, so that 0 has a place; room underneath for the names."""
    axes.set_yscale("symlog", linthresh=1, linscale=0.6)
    top = max(limits)
    steps = [0, 1, *(digit * 10**power for power in range(10) for digit in (2, 5, 10))]
    coarse = [0, *(10**power for power in range(10))]
    ticks = [step for step in (steps if top <= 3000 else coarse) if step <= top * 2]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    lowest = min(limits)
    axes.set_ylim(-1.4 if lowest < 2 else lowest / 5, max(top * 1.6, 2))
    axes.set_ylabel(say("plot.bound"))


# --- the knee ------------------------------------------------------------------------------------------


def knee(
    records: Sequence[Mapping[str, Any]],
    choice: Mapping[str, Any],
    max_iteration_ms: float,
    title: str | None = None,
) -> Figure:
    """Throughput and time of a step against batch, the chosen batch marked, and why the search stopped there.

    `records` have batch, throughput (tokens/s) and iteration_ms; `choice` is what `select_operating_knee`
    returned for them.
    """
    rows = _rows("records", records, ("batch", "throughput", "iteration_ms"))
    _positive("max_iteration_ms", max_iteration_ms)
    chosen, reason = _choice(choice, rows)
    batches = [row["batch"] for row in rows]
    with matplotlib.rc_context(_STYLE):
        heading = say("plot.knee", batch=f"{chosen:g}", reason=reason)
        figure, (upper, lower) = _figure(_titled(title, heading), heights=(2.6, 2.6))
        _marked_line(upper, rows, "throughput", chosen, BLUE)
        upper.set_ylabel(say("plot.tokens_per_s"))
        upper.set_ylim(bottom=0)
        _marked_line(lower, rows, "iteration_ms", chosen, GREEN)
        lower.set_ylabel(say("plot.step_ms"))
        _slo_line(lower, [row["iteration_ms"] for row in rows], max_iteration_ms)
        _over_slo(lower, rows, "iteration_ms", max_iteration_ms)
        _size_axis(lower, batches, say("plot.batch"), keep=(chosen,))
        _legend(figure, lower, columns=3)
    return figure


def _choice(choice: object, rows: Sequence[Mapping[str, float]]) -> tuple[float, str]:
    """The chosen batch and the reason in words; a reason unknown here is shown as it is."""
    _keys("choice", choice, ("selected_batch", "stop_reason"))
    if choice["selected_batch"] not in [row["batch"] for row in rows]:
        _refuse("choice['selected_batch']", "batch_known", choice["selected_batch"])
    reason = choice["stop_reason"]
    known = ("throughput_saturation", "slo_violation", "largest_valid_batch")
    return choice["selected_batch"], say(f"plot.stop.{reason}") if reason in known else str(reason)


def _marked_line(
    axes: Axes, rows: Sequence[Mapping[str, float]], key: str, chosen: float | None, color: str
) -> None:
    """A line with a point a row; the chosen batch gets a ring, its value and a line through the panel."""
    axes.plot([row["batch"] for row in rows], [row[key] for row in rows], "o-", color=color)
    for row in rows:
        if row["batch"] == chosen:
            axes.axvline(chosen, color=INK, linestyle=":", linewidth=1.2, zorder=1)
            ring = {"markersize": 14, "markerfacecolor": "none", "markeredgewidth": 2.2}
            axes.plot(chosen, row[key], "o", color=INK, label=say("plot.chosen"), **ring)
            _note(axes, chosen, row[key], _short(row[key]), offset=(9, -9), ha="left", va="top")


def _slo_line(axes: Axes, values: Sequence[float], slo_ms: float) -> None:
    """The SLO as a dashed line with its value; the axis starts at 0 and reaches it."""
    label = say("plot.slo_ms", ms=f"{slo_ms:.4g}")
    axes.axhline(slo_ms, color=RED, linestyle="--", linewidth=1.6, label=label)
    if axes.get_yscale() == "linear":
        axes.set_ylim(0, max(*values, slo_ms) * 1.12)


def _over_slo(axes: Axes, rows: Sequence[Mapping[str, float]], key: str, slo_ms: float) -> None:
    over = [row for row in rows if row[key] > slo_ms]
    if over:
        places = [row["batch"] for row in over]
        look = {"color": RED, "markersize": 11, "markeredgewidth": 2.5, "zorder": 6}
        axes.plot(places, [row[key] for row in over], "x", label=say("plot.over_slo"), **look)


# --- the service ---------------------------------------------------------------------------------------


def service(
    rows: Sequence[Mapping[str, Any]], ttft_slo_ms: float, itl_slo_ms: float, title: str | None = None
) -> Figure:
    """Throughput, time to the first token and time between tokens against concurrency, with both SLOs.

    `rows` are those of `recorded.sweep`: batch (the concurrency), throughput, ttft_ms, iteration_ms. Rows
    whose averages hold both SLOs are filled green, the others carry a cross.
    """
    rows = _rows("rows", rows, ("batch", "throughput", "ttft_ms", "iteration_ms"))
    _positive("ttft_slo_ms", ttft_slo_ms)
    _positive("itl_slo_ms", itl_slo_ms)
    with matplotlib.rc_context(_STYLE):
        heading = _titled(title or say("plot.service"), say("plot.averages"))
        figure, (upper, middle, lower) = _figure(heading, heights=(2.2, 2.2, 2.0))
        _service_points(upper, rows, "throughput", ttft_slo_ms, itl_slo_ms)
        upper.set_ylabel(say("plot.tokens_per_s"))
        upper.set_ylim(bottom=0)
        middle.set_yscale("log")
        _service_points(middle, rows, "ttft_ms", ttft_slo_ms, itl_slo_ms)
        middle.set_ylabel(say("plot.ttft_ms"))
        _plain_log(middle)
        _service_points(lower, rows, "iteration_ms", ttft_slo_ms, itl_slo_ms)
        lower.set_ylabel(say("plot.itl_ms"))
        for axes, key, slo_ms in ((middle, "ttft_ms", ttft_slo_ms), (lower, "iteration_ms", itl_slo_ms)):
            _slo_line(axes, [row[key] for row in rows], slo_ms)
            _note_slo(axes, slo_ms)
        _size_axis(lower, [row["batch"] for row in rows], say("plot.concurrency"))
        _legend(figure, upper, columns=2)
    return figure


def _service_points(
    axes: Axes, rows: Sequence[Mapping[str, float]], key: str, ttft_slo_ms: float, itl_slo_ms: float
) -> None:
    axes.plot([row["batch"] for row in rows], [row[key] for row in rows], "-", color=GREY, zorder=1)
    looks = {
        True: {"marker": "o", "color": GREEN, "markersize": 8, "label": say("plot.within_slos")},
        False: {"marker": "x", "color": RED, "markersize": 9, "label": say("plot.outside_slos")},
    }
    for held, look in looks.items():
        chosen = [
            row
            for row in rows
            if (row["ttft_ms"] <= ttft_slo_ms and row["iteration_ms"] <= itl_slo_ms) is held
        ]
        places = [row["batch"] for row in chosen]
        axes.plot(places, [row[key] for row in chosen], linestyle="", markeredgewidth=2.2, **look)


def _note_slo(axes: Axes, slo_ms: float) -> None:
    axes.annotate(
        say("plot.slo_ms", ms=f"{slo_ms:,.4g}"),
        (1, slo_ms),
        xycoords=axes.get_yaxis_transform(),
        xytext=(0, 4),
        textcoords="offset points",
        ha="right",
        va="bottom",
        color=RED,
        fontsize=SMALL,
    )


# --- a report ------------------------------------------------------------------------------------------


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
    _one_of("phase", phase, ("prefill", "decode"))
    _one_of("quantity", quantity, ("ms", "tokens_per_s"))
    wanted = None if contexts is None else set(contexts)
    records = [
        r for r in report.records if r.series == series and (wanted is None or r.context_tokens in wanted)
    ]
    attribute = f"{phase}_median_ms" if quantity == "ms" else f"{phase}_tokens_per_s"
    measured = [record for record in records if getattr(record, attribute) is not None]
    failed = [record for record in records if record.status == "failed"]
    if not measured and not failed:
        _refuse("report", "has_phase", f"{len(report.records)} records", phase=phase)
    with matplotlib.rc_context(_STYLE):
        figure, (axes,) = _figure(_report_title(report), heights=(4.6,))
        colors = _shades(sorted({record.context_tokens for record in measured + failed}))
        _context_curves(axes, measured, attribute, colors)
        _failed_crosses(axes, failed)
        _size_axis(axes, [record.batch for record in measured + failed], say("plot.batch"))
        axes.set_ylabel(say("plot.tokens_per_s" if quantity == "tokens_per_s" else f"plot.{phase}_ms"))
        if measured:
            axes.set_yscale("log")
            _room_below(axes, len({record.context_tokens for record in failed}))
            _plain_log(axes)
        _legend(figure, axes, columns=4, title=say("plot.context"))
    return figure


def _report_title(report: Report) -> str:
    model = report.model.id.rsplit("/", 1)[-1]
    how = say(f"plot.{report.provenance.kind}")
    if report.model.weights == "random":
        how = f"{how} · {say('plot.random_weights')}"
    return f"{model} · {report.hardware.label} · {report.model.dtype}\n{how}"


def _context_curves(
    axes: Axes, measured: Sequence[Record], attribute: str, colors: Mapping[int, tuple[str, str]]
) -> None:
    for context, (color, marker) in colors.items():
        curve = sorted((r for r in measured if r.context_tokens == context), key=lambda record: record.batch)
        if curve:
            values = [getattr(record, attribute) for record in curve]
            look = {"color": color, "marker": marker, "markersize": 6, "label": f"{context:,}"}
            axes.plot([record.batch for record in curve], values, **look)
            _spread(axes, curve, attribute, color)


def _spread(axes: Axes, curve: Sequence[Record], attribute: str, color: str) -> None:
    """A band over the middle half of each shape's samples, where a curve of times has samples."""
    phase = attribute.removesuffix("_median_ms")
    samples = [getattr(record, f"{phase}_samples_ms", ()) for record in curve]
    if not all(samples):
        return
    low, high = ([percentile(times, q) for times in samples] for q in (25, 75))
    axes.fill_between([record.batch for record in curve], low, high, color=color, alpha=0.2, linewidth=0)


_ROW = 0.08


def _failed_crosses(axes: Axes, failed: Sequence[Record]) -> None:
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


def memory(report: Report, limit_bytes: float | None = None) -> Figure:
    """KV bytes (full lines) and peak memory of a decode step (dashed, where recorded) against batch, in GB.

    `limit_bytes` is the device's memory; without it the report's own is drawn, where it was recorded. Failed
    shapes are crosses at the bottom.
    """
    records = [record for record in report.records if record.series == "dynamic"]
    held = [record for record in records if record.kv_cache_bytes is not None]
    failed = [record for record in records if record.status == "failed"]
    if not held and not failed:
        _refuse("report", "has_kv", f"{len(report.records)} records")
    limit = report.hardware.memory_bytes if limit_bytes is None else limit_bytes
    with matplotlib.rc_context(_STYLE):
        figure, (axes,) = _figure(_report_title(report), heights=(4.6,))
        colors = _shades(sorted({record.context_tokens for record in held + failed}))
        for context, (color, marker) in colors.items():
            curve = sorted((r for r in held if r.context_tokens == context), key=lambda record: record.batch)
            _memory_lines(axes, curve, {"color": color, "marker": marker, "markersize": 6}, f"{context:,}")
        _failed_crosses(axes, failed)
        if limit is not None:
            label = say("plot.device_memory", gb=f"{limit / 1e9:.3g}")
            axes.axhline(limit / 1e9, color=RED, linestyle="--", linewidth=1.5, label=label)
        _size_axis(axes, [record.batch for record in held + failed], say("plot.batch"))
        axes.set_ylabel(say("plot.memory_gb"))
        if held:
            axes.set_yscale("log")
            _room_below(axes, len({record.context_tokens for record in failed}))
            _plain_log(axes)
        _legend(figure, axes, columns=4, title=say("plot.context"))
    return figure


def _memory_lines(axes: Axes, curve: Sequence[Record], look: Mapping[str, Any], label: str) -> None:
    if not curve:
        return
    axes.plot([r.batch for r in curve], [(r.kv_cache_bytes or 0) / 1e9 for r in curve], label=label, **look)
    peaks = [r for r in curve if r.decode_peak_memory_bytes is not None]
    if peaks:
        heights = [(r.decode_peak_memory_bytes or 0) / 1e9 for r in peaks]
        axes.plot([r.batch for r in peaks], heights, linestyle="--", **look)


def against_ledger(report: Report, predicted_ms: Mapping[tuple[int, int], float]) -> Figure:
    """Measured decode step ÷ the student's prediction, against batch; 1 means that the ledger explains it.

    predicted_ms: (batch, context_tokens) -> milliseconds, by the student's own function.
    """
    for shape, value in _filled_mapping("predicted_ms", predicted_ms).items():
        _positive(f"predicted_ms[{shape}]", value)
    measured = [r for r in report.ok if r.series == "dynamic" and (r.batch, r.context_tokens) in predicted_ms]
    measured = [record for record in measured if record.decode_median_ms is not None]
    if not measured:
        _refuse("report", "has_phase", f"{len(report.records)} records", phase="decode")
    with matplotlib.rc_context(_STYLE):
        figure, (axes,) = _figure(_report_title(report), heights=(4.2,))
        for context, (color, marker) in _shades(sorted({r.context_tokens for r in measured})).items():
            curve = sorted((r for r in measured if r.context_tokens == context), key=lambda r: r.batch)
            ratios = [(r.decode_median_ms or 0) / predicted_ms[r.batch, r.context_tokens] for r in curve]
            look = {"color": color, "marker": marker, "markersize": 6, "label": f"{context:,}"}
            axes.plot([record.batch for record in curve], ratios, **look)
        axes.axhline(1, color=RED, linestyle="--", linewidth=1.5, label=say("plot.ledger_holds"))
        _size_axis(axes, [record.batch for record in measured], say("plot.batch"))
        axes.set_ylabel(say("plot.measured_over_ledger"))
        axes.set_ylim(bottom=0)
        _legend(figure, axes, columns=4, title=say("plot.context"))
    return figure


# --- the roofline --------------------------------------------------------------------------------------


def roofline(points: Sequence[tuple[str, float, float]], device: Device) -> Figure:
    """The most TFLOP/s that a device reaches at each FLOP per byte, with work placed on it.

    `points` are (label, flops, bytes). Under the slope bandwidth is the limit, under the flat roof compute.
    """
    work = [_point(point) for point in _filled("points", points)]
    ridge = device.ridge_flops_per_byte
    reach = [intensity for _, intensity in work] + [ridge]
    low, high = min(reach) / 4, max(reach) * 6
    with matplotlib.rc_context(_STYLE):
        peaks = say("plot.peaks", tflops=f"{device.compute_tflops:g}", gbps=f"{device.bandwidth_gbps:,g}")
        heading = _titled(say("plot.roofline", device=device.name), peaks)
        figure, (axes,) = _figure(heading, heights=(4.4,))
        axes.set_xscale("log")
        axes.set_yscale("log")
        roof = [low, ridge, high]
        axes.plot(roof, [_attainable(x, device) for x in roof], color=INK, zorder=2)
        axes.axvline(ridge, color=GREY, linestyle=":", zorder=1)
        _point_labels(axes, work, device)
        axes.set_ylim(_attainable(low, device) / 1.5, device.compute_tflops * 4)
        axes.set_xlim(low, high)
        note = say("plot.ridge", ridge=f"{ridge:,.0f}")
        _note(axes, ridge, device.compute_tflops, note, offset=(-6, 6), ha="right")
        axes.set_xlabel(say("plot.intensity"))
        axes.set_ylabel(say("plot.attainable"))
        _plain_log(axes)
        _plain_log(axes, which="x")
    return figure


def _point(point: object) -> tuple[str, float]:
    if not (isinstance(point, (tuple, list)) and len(point) == 3):
        _refuse("points", "point", point)
    label, flops, moved_bytes = point
    _positive(f"points: {label}, flops", flops)
    _positive(f"points: {label}, bytes", moved_bytes)
    return str(label), flops / moved_bytes


def _attainable(intensity: float, device: Device) -> float:
    """TFLOP/s: the smaller of peak compute and bandwidth times FLOP per byte."""
    return min(device.compute_tflops, intensity * device.bandwidth_gbps / 1e3)


def _point_labels(axes: Axes, work: Sequence[tuple[str, float]], device: Device) -> None:
    """Each point on the roof, its label below; where points crowd, each label goes one line further down."""
    colors = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY)
    lines, before = 0, 0.0
    for index, (label, intensity) in enumerate(sorted(work, key=lambda item: item[1])):
        height = _attainable(intensity, device)
        color = colors[index % len(colors)]
        axes.plot(intensity, height, "o", color=color, markersize=10, markeredgecolor="white", zorder=5)
        flat = intensity >= device.ridge_flops_per_byte
        lines = lines + 1 if intensity < before * (3 if flat else 1.5) else 0
        offset, side = ((0, -10 - 15 * lines), "center") if flat else ((10, -4 - 15 * lines), "left")
        _note(axes, intensity, height, label, offset=offset, ha=side, va="top")
        before = intensity


# --- the timeline --------------------------------------------------------------------------------------


def timeline(iterations: Sequence[Iteration], kv_limit_tokens: int | None = None) -> Figure:
    """Prefill tokens, decode tokens, waiting requests and KV in use against time, one bar an iteration.

    `iterations` are those of `serving.replay`. Names over prefill were admitted in that iteration, names over
    decode finished in it.
    """
    turns = _filled("iterations", iterations)
    with matplotlib.rc_context(_STYLE):
        heading = _titled(say("plot.timeline"), say("plot.timeline_names"))
        figure, panels = _figure(heading, heights=(1.5, 1.5, 1.0, 1.5))
        prefill, decode, waiting, kv = panels
        _bars(prefill, turns, [turn.prefill_tokens for turn in turns], BLUE)
        _bars(decode, turns, [turn.decode_tokens for turn in turns], GREEN)
        _bars(waiting, turns, [turn.waiting for turn in turns], PURPLE)
        _bars(kv, turns, [turn.kv_tokens for turn in turns], ORANGE)
        for turn in turns:
            middle = turn.start_ms + turn.duration_ms / 2
            _note(prefill, middle, turn.prefill_tokens, " ".join(turn.admitted), offset=(0, 2))
            _note(decode, middle, turn.decode_tokens, " ".join(turn.finished), offset=(0, 2))
        prefill.margins(y=0.3)
        decode.margins(y=0.3)
        for axes, key in zip(
            panels, ("prefill_tokens", "decode_tokens", "waiting", "kv_tokens"), strict=True
        ):
            axes.set_ylabel(say(f"plot.{key}"), linespacing=1.5)
            axes.set_ylim(bottom=0)
            axes.yaxis.set_major_locator(MaxNLocator(nbins=3, integer=True))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        if kv_limit_tokens is not None:
            _positive("kv_limit_tokens", kv_limit_tokens)
            label = say("plot.kv_capacity", tokens=f"{kv_limit_tokens:,}")
            kv.axhline(kv_limit_tokens, color=RED, linestyle="--", label=label)
            kv.set_ylim(0, kv_limit_tokens * 1.1)
            _legend(figure, kv, columns=1)
        kv.set_xlabel(say("plot.time_ms"))
    return figure


def _bars(axes: Axes, turns: Sequence[Iteration], heights: Sequence[float], color: str) -> None:
    starts, widths = [turn.start_ms for turn in turns], [turn.duration_ms for turn in turns]
    axes.bar(starts, heights, widths, align="edge", color=color, edgecolor="white", linewidth=0.8)


# --- lesson 2: boundaries and traces -------------------------------------------------------------------


def boundaries(report: GemmReport) -> Figure:
    """Submit, synchronised and event times against the work of a product, from `gemm.run`."""
    records = _filled("report.records", report.records)
    work = [record.shape.flops / 1e6 for record in records]
    looks = {"submit": (ORANGE, "^"), "synchronized": (BLUE, "o"), "event": (GREEN, "s")}
    with matplotlib.rc_context(_STYLE):
        title = _titled(say("plot.boundaries"), f"{report.device_name} ({report.device})")
        figure, (axes,) = _figure(title, heights=(4.0,))
        for name, (color, marker) in looks.items():
            times_us = [getattr(record, f"{name}_us") for record in records]
            if None not in times_us:
                axes.plot(work, times_us, color=color, marker=marker, label=say(f"plot.boundary.{name}"))
        axes.set(xscale="log", yscale="log", ylabel=say("plot.time_us"), xlabel=say("plot.mflop"))
        _plain_log(axes, "y")
        _plain_log(axes, "x")
        _legend(figure, axes, columns=3)
    return figure


_MOST_OPERATORS = 4


def trace(profile: Profile) -> Figure:
    """The ranges of a traced request one under the other, and below them what ran: operators, kernels."""
    lanes = [
        ("request", profile.ranges_named("request")),
        ("phases", (*profile.ranges_named("prefill"), *profile.ranges_named("decode_step"))),
        ("operators", profile.operator_spans),
        ("kernels", profile.kernel_spans),
    ]
    lanes = [(name, spans) for name, spans in lanes if spans]
    shades = _span_colors([*profile.operator_spans, *profile.kernel_spans])
    shades |= {"request": GREY, "prefill": BLUE, "decode_step": GREEN}
    with matplotlib.rc_context(_STYLE):
        title = _titled(say("plot.trace"), f"{profile.device_name} ({profile.device})")
        figure, (axes,) = _figure(title, heights=(0.8 * len(lanes) + 0.6,))
        for row, (_, spans) in enumerate(lanes):
            _lane(axes, row, spans, shades)
        names = [*(name for name in RANGE_ORDER if profile.ranges_named(name)), *_named(shades)]
        for name in names:
            axes.barh(0, 0, color=shades[name], label=name)
        axes.barh(0, 0, color="#DDDDDD", label=say("plot.other"))
        axes.set_yticks(range(len(lanes)), [say(f"plot.lane.{name}") for name, _ in lanes])
        axes.invert_yaxis()
        axes.grid(axis="x")
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(say("plot.time_ms"))
        _legend(figure, axes, columns=3)
    return figure


RANGE_ORDER = ("request", "prefill", "decode_step")


def _lane(axes: Axes, row: int, spans: Sequence[Span], shades: Mapping[str, str]) -> None:
    places = [(span.start_ms, span.duration_ms) for span in spans]
    colors = [shades.get(span.name, "#DDDDDD") for span in spans]
    edge = {"edgecolor": "white", "linewidth": 0.5} if len(spans) < 40 else {"linewidth": 0}
    axes.broken_barh(places, (row - 0.38, 0.76), facecolors=colors, **edge)


def _span_colors(spans: Sequence[Span]) -> dict[str, str]:
    """A colour for each of the few names that fill most of the time."""
    totals: dict[str, float] = {}
    for span in spans:
        totals[span.name] = totals.get(span.name, 0.0) + span.duration_ms
    most = sorted(totals, key=lambda name: -totals[name])[:_MOST_OPERATORS]
    return dict(zip(most, (ORANGE, PURPLE, SKY, RED), strict=False))


def _named(shades: Mapping[str, str]) -> list[str]:
    return [name for name in shades if name not in RANGE_ORDER]


# --- shared: layout ------------------------------------------------------------------------------------


def _figure(title: str, heights: tuple[float, ...]) -> tuple[LessonFigure, list[Axes]]:
    """A figure of stacked panels (heights in inches) that share their x axis."""
    _register_font()
    room = 1.1
    figure = LessonFigure(figsize=(WIDTH_INCH, sum(heights) + room), layout="constrained")
    grid = figure.subplots(
        len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    figure.suptitle(title, fontsize=_STYLE["font.size"], linespacing=1.4)
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06)
    figure.align_ylabels()
    return figure, [row[0] for row in grid]


def _register_font() -> None:
    """Make the shipped font known to matplotlib, once a process."""
    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    if str(_FONT_FILE) not in known:
        font_manager.fontManager.addfont(str(_FONT_FILE))


def _titled(*lines: str | None) -> str:
    return "\n".join(line for line in lines if line)


_PATCH = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5}


def _legend(
    figure: Figure, axes: Axes, columns: int, title: str | None = None, last: Sequence[str] = ()
) -> None:
    """One legend under all panels, each label once, those of the phrases in `last` at the end."""
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    for label in (say(f"plot.{key}") for key in last):
        unique[label] = unique.pop(label)
    look = {"ncols": columns, "title": title, "columnspacing": 1.4, "handletextpad": 0.5}
    figure.legend(unique.values(), unique.keys(), loc="outside lower center", **look)


def _note(axes: Axes, x: float, y: float, words: str, offset: tuple[float, float], **look: Any) -> None:
    """A few words beside a point, the offset in points."""
    look = {"ha": "center", "va": "bottom", "fontsize": SMALL, "zorder": 7, **look}
    axes.annotate(words, (x, y), xytext=offset, textcoords="offset points", **look)


def _size_axis(axes: Axes, sizes: Iterable[float], label: str, keep: Iterable[float] = ()) -> None:
    """An x axis with a tick at each size, logarithmic where every size is half as large again or more."""
    places = sorted(set(sizes))
    pairs = list(itertools.pairwise(places))
    logarithmic = bool(pairs) and all(high >= 1.5 * low for low, high in pairs)
    axes.set_xscale("log" if logarithmic else "linear")
    scale = math.log if logarithmic else float
    span = (scale(places[-1]) - scale(places[0])) or 1.0
    axes.set_xticks(_spaced(places, lambda place: scale(place) / span, set(keep)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel(label)


def _spaced(places: Sequence[float], position: Any, keep: set[float]) -> list[float]:
    """The places whose labels do not run into each other; the first, the last and `keep` come first."""
    room = 0.02 + 0.013 * max(len(f"{place:,.0f}") for place in places)
    kept: list[float] = []
    for place in sorted(places, key=lambda p: (p not in keep, p not in (places[0], places[-1]), p)):
        if all(abs(position(place) - position(other)) >= room for other in kept):
            kept.append(place)
    return sorted(kept)


def _plain_log(axes: Axes, which: Literal["x", "y"] = "y") -> None:
    """Plain numbers on a logarithmic axis, enough of them to read a value."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    low, high = axes.get_ylim() if which == "y" else axes.get_xlim()
    decades = math.log10(high / low)
    density = ((1.0, (1, 1.5, 2, 3, 4, 5, 6, 8)), (1.6, (1, 2, 3, 5, 8)), (2.6, (1, 2, 5)), (4.0, (1, 3)))
    digits = next((digits for most, digits in density if decades < most), (1,))
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10.0**power for power in powers for digit in digits]
    axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))


def _short(value: float) -> str:
    """Three significant digits, whole numbers from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"


# --- shared: what is refused ---------------------------------------------------------------------------


def _refuse(argument: str, rule: str, value: object, **words: object) -> NoReturn:
    raise ValueError(
        say("plot.bad", argument=argument, rule=say(f"plot.rule.{rule}", **words), value=repr(value)[:80])
    )


def _filled(argument: str, items: Any) -> Any:
    kept = items if isinstance(items, Mapping) else _listed(items)
    if not kept:
        _refuse(argument, "not_empty", items)
    return kept


def _listed(items: Any) -> list[Any]:
    return list(items) if isinstance(items, Iterable) and not isinstance(items, (str, bytes)) else []


def _filled_mapping(argument: str, items: Any) -> Mapping[Any, Any]:
    if not isinstance(items, Mapping):
        _refuse(argument, "mapping", items)
    return _filled(argument, items)


def _rows(argument: str, rows: Any, keys: Sequence[str]) -> list[dict[str, float]]:
    """The rows with just these keys, smallest batch first."""
    checked = [_numbers(f"{argument}[{i}]", row, keys) for i, row in enumerate(_filled(argument, rows))]
    for i, row in enumerate(checked):
        _positive(f"{argument}[{i}]['batch']", row["batch"])
    return sorted(checked, key=lambda row: row["batch"])


def _keys(argument: str, row: object, keys: Sequence[str]) -> None:
    if not isinstance(row, Mapping):
        _refuse(argument, "mapping", row)
    for key in keys:
        if key not in row:
            _refuse(argument, "key", list(row), key=key)


def _numbers(argument: str, row: object, keys: Sequence[str]) -> dict[str, float]:
    _keys(argument, row, keys)
    for key in keys:
        _number(f"{argument}['{key}']", row[key])
    return {key: row[key] for key in keys}


def _is_number(value: object) -> bool:
    try:
        return not isinstance(value, (bool, str)) and math.isfinite(value) and value >= 0
    except (TypeError, ValueError, OverflowError):
        return False


def _number(argument: str, value: object) -> None:
    if not _is_number(value):
        _refuse(argument, "number", value)


def _positive(argument: str, value: object) -> None:
    if not _is_number(value) or not value > 0:
        _refuse(argument, "positive", value)


def _one_of(argument: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        _refuse(argument, "one_of", value, choices=", ".join(choices))
