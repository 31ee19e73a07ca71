"""A simulated run: the life of each request, and the run beside what a real server was recorded doing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.plots.arguments import filled, filled_mapping, refuse, require_positive
from helpers.plots.axes import legend
from helpers.plots.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, RED, new_figure, styled
from helpers.text import say

if TYPE_CHECKING:
    from helpers.recorded import RecordedRequest, ServerState
    from helpers.serving import Run

_STATES = {"waiting": GREY, "prefill": BLUE, "decode": GREEN}


def lives(run: Run, most: int = 30) -> Figure:
    """A line a request against time: waiting, prefill, decode; the first `most` requests by arrival."""
    shown = filled("run.requests", run.requests)[:most]
    with styled():
        figure, (axes,) = new_figure(say("plot.lives"), heights=(0.6 + 0.25 * len(shown),))
        for row, served in enumerate(shown):
            for span in served.spans:
                place = (span.start_ms, span.end_ms - span.start_ms)
                axes.broken_barh([place], (row - 0.4, 0.8), color=_STATES[span.state])
            axes.plot(served.first_token_ms, row, "|", color=INK, markersize=9, markeredgewidth=2)
        for state, color in _STATES.items():
            axes.plot([], [], color=color, linewidth=7, label=say(f"plot.state.{state}"))
        axes.plot([], [], "|", color=INK, markersize=9, markeredgewidth=2, label=say("plot.first_token"))
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_yticks(range(len(shown)), [served.request.name for served in shown])
        axes.grid(visible=False)
        axes.set_xlabel(say("plot.time_ms"))
        legend(figure, axes, columns=4)
    return figure


def engine_load(run: Run, kv_blocks: int, recorded: Sequence[ServerState] = ()) -> Figure:
    """Running, waiting and KV in use against time; what a real server reported lies over it, dashed."""
    loads = filled("run.iterations", run.iterations)
    require_positive("kv_blocks", kv_blocks)
    times_s = [load.start_ms / 1e3 for load in loads]
    curves = {
        "running": [load.running for load in loads],
        "waiting_requests": [load.waiting for load in loads],
        "kv_percent": [100 * load.used_blocks / kv_blocks for load in loads],
    }
    seen = {
        "running": [state.running for state in recorded],
        "waiting_requests": [state.waiting for state in recorded],
        "kv_percent": [state.kv_cache_percent for state in recorded],
    }
    with styled():
        figure, panels = new_figure(say("plot.engine_load"), heights=(1.6, 1.6, 1.6))
        for axes, (name, values), color in zip(panels, curves.items(), (BLUE, PURPLE, ORANGE), strict=True):
            axes.plot(times_s, values, color=color, linewidth=1.4, label=say("plot.predicted"))
            if None not in seen[name]:
                places = [state.time_s for state in recorded]
                axes.plot(places, seen[name], "--", color=INK, linewidth=1.2, label=say("plot.recorded"))
            axes.set_ylabel(say(f"plot.{name}"), linespacing=1.5)
            axes.set_ylim(bottom=0)
        panels[-1].set_xlabel(say("plot.time_s"))
        figure.align_ylabels()
        legend(figure, panels[0], columns=2)
    return figure


def against_recorded(run: Run, recorded: Sequence[RecordedRequest]) -> Figure:
    """TTFT and latency of each request against its arrival: predicted as a line, recorded as dots."""
    found = {request.request_id: request for request in filled("recorded", recorded)}
    for served in filled("run.requests", run.requests):
        if served.request.name not in found:
            refuse("recorded", "key", served.request.name, key=served.request.name)
    arrivals_s = [served.request.arrival_ms / 1e3 for served in run.requests]
    with styled():
        figure, panels = new_figure(say("plot.against_recorded"), heights=(2.3, 2.3))
        for axes, key in zip(panels, ("ttft_s", "e2e_s"), strict=True):
            seen = [getattr(found[served.request.name], key) for served in run.requests]
            axes.plot(arrivals_s, seen, ".", color=GREY, markersize=6, label=say("plot.recorded"))
            axes.plot(
                arrivals_s,
                [_seconds(served, key) for served in run.requests],
                color=BLUE,
                linewidth=1.4,
                label=say("plot.predicted"),
            )
            axes.set_ylabel(say(f"plot.{key}"))
            axes.set_ylim(bottom=0)
        panels[-1].set_xlabel(say("plot.arrival_s"))
        legend(figure, panels[0], columns=2)
    return figure


def _seconds(served: Any, key: str) -> float:
    end_ms = served.first_token_ms if key == "ttft_s" else served.finish_ms
    return (end_ms - served.request.arrival_ms) / 1e3


def goodput(by_series: Mapping[str, Mapping[int, float]], size_label: str) -> Figure:
    """Goodput (requests/s) against a setting: `by_series` maps a line's name to {setting: goodput}."""
    found = filled_mapping("by_series", by_series)
    with styled():
        figure, (axes,) = new_figure(say("plot.goodput"), heights=(3.0,))
        for (name, curve), color in zip(found.items(), (BLUE, ORANGE, GREEN, RED, PURPLE), strict=False):
            settings = sorted(filled_mapping(f"by_series[{name}]", curve))
            axes.plot(settings, [curve[setting] for setting in settings], "o-", color=color, label=name)
        _setting_axis(axes, found, size_label)
        axes.set_ylabel(say("plot.goodput_rps"))
        axes.set_ylim(bottom=0)
        legend(figure, axes, columns=3)
    return figure


def _setting_axis(axes: Axes, found: Mapping[str, Mapping[int, float]], label: str) -> None:
    settings = sorted({setting for curve in found.values() for setting in curve})
    axes.set_xscale("log")
    axes.set_xticks(settings, [f"{setting:,}" for setting in settings])
    axes.minorticks_off()
    axes.set_xlabel(label)
