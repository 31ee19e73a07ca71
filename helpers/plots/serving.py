"""A server under load: what it gives against concurrency, and what its iterations held against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from helpers.plots.arguments import checked_rows, filled, require_positive
from helpers.plots.axes import annotate, legend, plain_log, size_axis, slo_line
from helpers.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SMALL, new_figure, styled, titled
from helpers.text import say

if TYPE_CHECKING:
    from helpers.serving import Iteration


def service(
    rows: Sequence[Mapping[str, Any]], ttft_slo_ms: float, itl_slo_ms: float, title: str | None = None
) -> Figure:
    """Throughput, time to the first token and time between tokens against concurrency, with both SLOs.

    `rows` are those of `recorded.sweep`: batch (the concurrency), throughput, ttft_ms, iteration_ms. Rows
    whose averages hold both SLOs are filled green, the others carry a cross.
    """
    rows = checked_rows("rows", rows, ("batch", "throughput", "ttft_ms", "iteration_ms"))
    require_positive("ttft_slo_ms", ttft_slo_ms)
    require_positive("itl_slo_ms", itl_slo_ms)
    with styled():
        heading = titled(title or say("plot.service"), say("plot.averages"))
        figure, (upper, middle, lower) = new_figure(heading, heights=(2.2, 2.2, 2.0))
        _service_points(upper, rows, "throughput", ttft_slo_ms, itl_slo_ms)
        upper.set_ylabel(say("plot.tokens_per_s"))
        upper.set_ylim(bottom=0)
        middle.set_yscale("log")
        _service_points(middle, rows, "ttft_ms", ttft_slo_ms, itl_slo_ms)
        middle.set_ylabel(say("plot.ttft_ms"))
        plain_log(middle)
        _service_points(lower, rows, "iteration_ms", ttft_slo_ms, itl_slo_ms)
        lower.set_ylabel(say("plot.itl_ms"))
        for axes, key, slo_ms in ((middle, "ttft_ms", ttft_slo_ms), (lower, "iteration_ms", itl_slo_ms)):
            slo_line(axes, [row[key] for row in rows], slo_ms)
            _note_slo(axes, slo_ms)
        size_axis(lower, [row["batch"] for row in rows], say("plot.concurrency"))
        legend(figure, upper, columns=2)
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


def timeline(iterations: Sequence[Iteration], kv_limit_tokens: int | None = None) -> Figure:
    """Prefill tokens, decode tokens, waiting requests and KV in use against time, one bar an iteration.

    `iterations` are those of `serving.replay`. Names over prefill were admitted in that iteration, names over
    decode finished in it.
    """
    turns = filled("iterations", iterations)
    with styled():
        heading = titled(say("plot.timeline"), say("plot.timeline_names"))
        figure, panels = new_figure(heading, heights=(1.5, 1.5, 1.0, 1.5))
        prefill, decode, waiting, kv = panels
        _bars(prefill, turns, [turn.prefill_tokens for turn in turns], BLUE)
        _bars(decode, turns, [turn.decode_tokens for turn in turns], GREEN)
        _bars(waiting, turns, [turn.waiting for turn in turns], PURPLE)
        _bars(kv, turns, [turn.kv_tokens for turn in turns], ORANGE)
        for turn in turns:
            middle = turn.start_ms + turn.duration_ms / 2
            annotate(prefill, middle, turn.prefill_tokens, " ".join(turn.admitted), offset=(0, 2))
            annotate(decode, middle, turn.decode_tokens, " ".join(turn.finished), offset=(0, 2))
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
            require_positive("kv_limit_tokens", kv_limit_tokens)
            label = say("plot.kv_capacity", tokens=f"{kv_limit_tokens:,}")
            kv.axhline(kv_limit_tokens, color=RED, linestyle="--", label=label)
            kv.set_ylim(0, kv_limit_tokens * 1.1)
            legend(figure, kv, columns=1)
        kv.set_xlabel(say("plot.time_ms"))
    return figure


def _bars(axes: Axes, turns: Sequence[Iteration], heights: Sequence[float], color: str) -> None:
    starts, widths = [turn.start_ms for turn in turns], [turn.duration_ms for turn in turns]
    axes.bar(starts, heights, widths, align="edge", color=color, edgecolor="white", linewidth=0.8)
