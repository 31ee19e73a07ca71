"""What a step costs by the ledger: bars of its parts, and its place under a device's roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.hardware import Device
from helpers.plots.arguments import (
    checked_numbers,
    filled,
    filled_mapping,
    is_number,
    refuse,
    require_positive,
)
from helpers.plots.axes import annotate, legend, plain_log, short
from helpers.plots.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    SMALL,
    new_figure,
    styled,
    titled,
)
from helpers.text import say

_LEDGER_KEYS = (
    "memory_bytes",
    "kv_read_bytes",
    "kv_write_bytes",
    "memory_ms",
    "compute_ms",
    "exposed_overhead_ms",
    "iteration_ms",
)


def step_time(steps: Mapping[tuple[int, int], Mapping[str, Any]], device_name: str | None = None) -> Figure:
    """Bars of milliseconds: what reading weights and KV takes, compute as a marker, exposed overhead on top.

    `steps` maps (batch, context_tokens) to what `estimate_iteration_cost` returned. Memory time is shared out
    in proportion to bytes. The black line is the returned `iteration_ms`: it lies on top of its bar.
    """
    parts = {shape: _ledger_parts(shape, ledger) for shape, ledger in filled_mapping("steps", steps).items()}
    shapes = sorted(parts, key=lambda shape: (shape[1], shape[0]))
    places = _grouped_places(shapes)
    with styled():
        figure, (axes,) = new_figure(titled(say("plot.step_time"), device_name), heights=(4.4,))
        _stack_ledger(axes, places, [parts[shape] for shape in shapes])
        _label_groups(axes, shapes, places)
        axes.set_ylabel(say("plot.step_ms"))
        axes.set_xlabel(say("plot.batch_in_groups"), labelpad=24)
        legend(figure, axes, columns=2, last=("iteration", "compute"))
    return figure


def _ledger_parts(shape: object, ledger: object) -> dict[str, float]:
    """The heights of one bar, in milliseconds."""
    if not (isinstance(shape, tuple) and len(shape) == 2 and all(is_number(size) for size in shape)):
        refuse("steps", "pair", shape)
    values = checked_numbers(f"steps[{shape}]", ledger, _LEDGER_KEYS)
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
            annotate(axes, place, total, short(total), offset=(0, 4))


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


def roofline(points: Sequence[tuple[str, float, float]], device: Device) -> Figure:
    """The most TFLOP/s that a device reaches at each FLOP per byte, with work placed on it.

    `points` are (label, flops, bytes). Under the slope bandwidth is the limit, under the flat roof compute.
    """
    work = [_point(point) for point in filled("points", points)]
    ridge = device.ridge_flops_per_byte
    reach = [intensity for _, intensity in work] + [ridge]
    low, high = min(reach) / 4, max(reach) * 6
    with styled():
        peaks = say("plot.peaks", tflops=f"{device.compute_tflops:g}", gbps=f"{device.bandwidth_gbps:,g}")
        heading = titled(say("plot.roofline", device=device.name), peaks)
        figure, (axes,) = new_figure(heading, heights=(4.4,))
        axes.set_xscale("log")
        axes.set_yscale("log")
        roof = [low, ridge, high]
        axes.plot(roof, [_attainable(x, device) for x in roof], color=INK, zorder=2)
        axes.axvline(ridge, color=GREY, linestyle=":", zorder=1)
        _point_labels(axes, work, device)
        axes.set_ylim(_attainable(low, device) / 1.5, device.compute_tflops * 4)
        axes.set_xlim(low, high)
        note = say("plot.ridge", ridge=f"{ridge:,.0f}")
        annotate(axes, ridge, device.compute_tflops, note, offset=(-6, 6), ha="right")
        axes.set_xlabel(say("plot.intensity"))
        axes.set_ylabel(say("plot.attainable"))
        plain_log(axes)
        plain_log(axes, which="x")
    return figure


def _point(point: object) -> tuple[str, float]:
    if not (isinstance(point, (tuple, list)) and len(point) == 3):
        refuse("points", "point", point)
    label, flops, moved_bytes = point
    require_positive(f"points: {label}, flops", flops)
    require_positive(f"points: {label}, bytes", moved_bytes)
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
        annotate(axes, intensity, height, label, offset=offset, ha=side, va="top")
        before = intensity
