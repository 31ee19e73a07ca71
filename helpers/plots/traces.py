"""Time taken apart: one product at three boundaries, and what ran in a traced request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.plots.arguments import filled
from helpers.plots.axes import legend, plain_log
from helpers.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, new_figure, styled, titled
from helpers.text import say

if TYPE_CHECKING:
    from helpers.gemm import GemmReport
    from helpers.profiler import Profile, Span

_MOST_OPERATORS = 4
RANGE_ORDER = ("request", "prefill", "decode_step")


def boundaries(report: GemmReport) -> Figure:
    """Submit, synchronised and event times against the work of a product, from `gemm.run`."""
    records = filled("report.records", report.records)
    work = [record.shape.flops / 1e6 for record in records]
    looks = {"submit": (ORANGE, "^"), "synchronized": (BLUE, "o"), "event": (GREEN, "s")}
    with styled():
        title = titled(say("plot.boundaries"), f"{report.device_name} ({report.device})")
        figure, (axes,) = new_figure(title, heights=(4.0,))
        for name, (color, marker) in looks.items():
            times_us = [getattr(record, f"{name}_us") for record in records]
            if None not in times_us:
                axes.plot(work, times_us, color=color, marker=marker, label=say(f"plot.boundary.{name}"))
        axes.set(xscale="log", yscale="log", ylabel=say("plot.time_us"), xlabel=say("plot.mflop"))
        plain_log(axes, "y")
        plain_log(axes, "x")
        legend(figure, axes, columns=3)
    return figure


def trace(profile: Profile, zoom: Span | None = None) -> Figure:
    """The ranges of a traced request one under the other, and below them what ran: operators, kernels.

    `zoom` is a range of it, such as one decode step: only its time is shown, wide enough to see each gap.
    """
    lanes = [
        ("request", profile.ranges_named("request")),
        ("phases", (*profile.ranges_named("prefill"), *profile.ranges_named("decode_step"))),
        ("operators", profile.operator_spans),
        ("kernels", profile.kernel_spans),
    ]
    lanes = [(name, spans) for name, spans in lanes if spans]
    shades = _span_colors([*profile.operator_spans, *profile.kernel_spans])
    shades |= {"request": GREY, "prefill": BLUE, "decode_step": GREEN}
    with styled():
        title = titled(say("plot.trace"), f"{profile.device_name} ({profile.device})")
        figure, (axes,) = new_figure(title, heights=(0.8 * len(lanes) + 0.6,))
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
        if zoom:
            axes.set_xlim(zoom.start_ms, zoom.end_ms)
        legend(figure, axes, columns=3)
    return figure


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
