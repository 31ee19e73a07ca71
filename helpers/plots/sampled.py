"""Samples as they are: one step timed in three ways, percentiles of many draws, samples in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from helpers.plots.arguments import filled, filled_mapping
from helpers.plots.axes import legend, plain_log
from helpers.plots.style import BLUE, GREEN, ORANGE, RED, SKY, new_figure, styled
from helpers.text import say

BINS = 40


def three_ways(rows: Sequence[Mapping[str, float]]) -> Figure:
    """Submit, synchronised and event times against a kernel's own time; rows hold `run_us` and the three."""
    rows = filled("rows", rows)
    looks = {"submit": (ORANGE, "^"), "synchronized": (BLUE, "o"), "event": (GREEN, "s")}
    with styled():
        figure, (axes,) = new_figure(say("plot.three_ways"), heights=(4.0,))
        for name, (color, marker) in looks.items():
            times_us = [row[f"{name}_us"] for row in rows]
            label = say(f"plot.boundary.{name}")
            axes.plot([row["run_us"] for row in rows], times_us, color=color, marker=marker, label=label)
        axes.set(xscale="log", yscale="log", ylabel=say("plot.time_us"), xlabel=say("plot.kernel_us"))
        plain_log(axes, "y")
        plain_log(axes, "x")
        legend(figure, axes, columns=3)
    return figure


def percentile_draws(draws: Mapping[int, Sequence[float]], true_ms: float) -> Figure:
    """How often each percentile was found, a panel for each number of samples; the true one as a line."""
    draws = filled_mapping("draws", draws)
    low = min(min(found) for found in draws.values())
    high = sorted(value for found in draws.values() for value in found)[-len(draws) * 10]
    with styled():
        figure, panels = new_figure(say("plot.draws"), heights=(1.9,) * len(draws))
        for axes, (count, found) in zip(panels, draws.items(), strict=True):
            below = sum(value < true_ms for value in found) / len(found)
            axes.hist(found, bins=BINS, range=(low, max(high, 1.05 * true_ms)), color=SKY)
            label = say("plot.draws_true", ms=f"{true_ms:.4g}")
            axes.axvline(true_ms, color=RED, linewidth=1.8, linestyle="--", label=label)
            axes.set_title(say("plot.draws_of", n=count, share=f"{below:.0%}"), loc="left")
            axes.set_ylabel(say("plot.draws_count"))
        panels[-1].set_xlabel(say("plot.draws_value"))
        legend(figure, panels[0], columns=1)
    return figure


def sample_strip(samples_us: Sequence[float], summary: Mapping[str, object]) -> Figure:
    """Samples in their order, and what a summary says of them: `cold_us`, `median_us`, `percentile_us`."""
    samples_us = filled("samples_us", samples_us)
    cold = len(summary["cold_us"])  # type: ignore[arg-type]
    places = range(1, len(samples_us) + 1)
    with styled():
        figure, (axes,) = new_figure(say("plot.samples_in_order"), heights=(3.6,))
        if cold:
            axes.plot(places[:cold], samples_us[:cold], "D", color=RED, label=say("plot.sample_cold"))
        axes.plot(places[cold:], samples_us[cold:], "o", color=BLUE, label=say("plot.sample"))
        for name, color, dash in (("median", GREEN, "-"), ("percentile", ORANGE, "--")):
            if summary[f"{name}_us"] is not None:
                axes.axhline(
                    summary[f"{name}_us"], color=color, linestyle=dash, label=say(f"plot.sample_{name}")
                )
        axes.set(yscale="log", ylabel=say("plot.time_us"), xlabel=say("plot.sample_number"))
        plain_log(axes, "y")
        legend(figure, axes, columns=4)
    return figure
