"""How large a batch may be and where the search for one stops: the five limits, and the knee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from helpers.plots.arguments import (
    checked_numbers,
    checked_rows,
    filled_mapping,
    refuse,
    require_keys,
    require_number,
    require_positive,
)
from helpers.plots.axes import PATCH, annotate, legend, short, size_axis, slo_line
from helpers.plots.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED, new_figure, styled, titled
from helpers.text import say

_LIMIT_LOOKS = {
    "slot": (BLUE, "-", "s"),
    "kv": (ORANGE, "-", "o"),
    "token": (GREEN, "--", "^"),
    "slo": (RED, "-.", "v"),
    "backend": (PURPLE, ":", "P"),
}


def bounds(bounds_by_context: Mapping[int, Mapping[str, Any]]) -> Figure:
    """The five limits against the context, the smallest underlined and named; a limit of 0 stays visible.

    `bounds_by_context` maps the context of a request, in tokens, to its bounds.
    """
    found = filled_mapping("bounds_by_context", bounds_by_context)
    for context in found:
        require_positive("bounds_by_context", context)
    contexts = sorted(found)
    by_context = {context: _bounds_of(context, found[context]) for context in contexts}
    with styled():
        figure, (axes,) = new_figure(say("plot.bounds"), heights=(4.8,))
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
            annotate(axes, context, final, words, offset=(0, -10), va="top", bbox=PATCH)
        size_axis(axes, contexts, say("plot.context"))
        _limit_axis(axes, [value for limits, _, _ in by_context.values() for value in limits.values()])
        legend(figure, axes, columns=3)
    return figure


def _bounds_of(context: object, found: object) -> tuple[dict[str, float], int, tuple[str, ...]]:
    """The limits, the final one, and the names of those that bind."""
    where = f"bounds_by_context[{context}]"
    require_keys(where, found, ("limits", "final_limit", "binding_constraints"))
    limits = checked_numbers(f"{where}['limits']", found["limits"], tuple(_LIMIT_LOOKS))
    require_number(f"{where}['final_limit']", found["final_limit"])
    binding = _names(f"{where}['binding_constraints']", found["binding_constraints"])
    return limits, found["final_limit"], binding


def _names(argument: str, names: object) -> tuple[str, ...]:
    """The names of limits in the order of the legend."""
    known = ", ".join(_LIMIT_LOOKS)
    if not isinstance(names, (list, tuple, set, frozenset)) or not set(names) <= set(_LIMIT_LOOKS):
        refuse(argument, "one_of", names, choices=known)
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


def knee(
    records: Sequence[Mapping[str, Any]],
    choice: Mapping[str, Any] | None = None,
    *,
    max_iteration_ms: float,
    title: str | None = None,
) -> Figure:
    """Throughput and time of a step against batch, the chosen batch marked, and why the search stopped there.

    `records` have batch, throughput (tokens/s) and iteration_ms; `choice` is what the search for a knee
    returned for them; without one nothing is marked.
    """
    rows = checked_rows("records", records, ("batch", "throughput", "iteration_ms"))
    require_positive("max_iteration_ms", max_iteration_ms)
    chosen, heading = (None, say("plot.knee_open")) if choice is None else _chosen(choice, rows)
    batches = [row["batch"] for row in rows]
    with styled():
        figure, (upper, lower) = new_figure(titled(title, heading), heights=(2.6, 2.6))
        _marked_line(upper, rows, "throughput", chosen, BLUE)
        upper.set_ylabel(say("plot.tokens_per_s"))
        upper.set_ylim(bottom=0)
        _marked_line(lower, rows, "iteration_ms", chosen, GREEN)
        lower.set_ylabel(say("plot.step_ms"))
        slo_line(lower, [row["iteration_ms"] for row in rows], max_iteration_ms)
        _over_slo(lower, rows, "iteration_ms", max_iteration_ms)
        size_axis(lower, batches, say("plot.batch"), keep=() if chosen is None else (chosen,))
        legend(figure, lower, columns=3)
    return figure


def _chosen(choice: object, rows: Sequence[Mapping[str, float]]) -> tuple[float, str]:
    chosen, reason = _choice(choice, rows)
    return chosen, say("plot.knee", batch=f"{chosen:g}", reason=reason)


def _choice(choice: object, rows: Sequence[Mapping[str, float]]) -> tuple[float, str]:
    """The chosen batch and the reason in words; a reason unknown here is shown as it is."""
    require_keys("choice", choice, ("selected_batch", "stop_reason"))
    if choice["selected_batch"] not in [row["batch"] for row in rows]:
        refuse("choice['selected_batch']", "batch_known", choice["selected_batch"])
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
            annotate(axes, chosen, row[key], short(row[key]), offset=(9, -9), ha="left", va="top")


def _over_slo(axes: Axes, rows: Sequence[Mapping[str, float]], key: str, slo_ms: float) -> None:
    over = [row for row in rows if row[key] > slo_ms]
    if over:
        places = [row["batch"] for row in over]
        look = {"color": RED, "markersize": 11, "markeredgewidth": 2.5, "zorder": 6}
        axes.plot(places, [row[key] for row in over], "x", label=say("plot.over_slo"), **look)
