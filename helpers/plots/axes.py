"""What stands on and around the axes: ticks that can be read, notes, the SLO's line, the legend below."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from helpers.plots.style import RED, SMALL
from helpers.text import say

PATCH = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5}


def legend(
    figure: Figure, axes: Axes, columns: int, title: str | None = None, last: Sequence[str] = ()
) -> None:
    """One legend under all panels, each label once, those of the phrases in `last` at the end."""
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    for label in (say(f"plot.{key}") for key in last):
        unique[label] = unique.pop(label)
    look = {"ncols": columns, "title": title, "columnspacing": 1.4, "handletextpad": 0.5}
    figure.legend(unique.values(), unique.keys(), loc="outside lower center", **look)


def annotate(axes: Axes, x: float, y: float, words: str, offset: tuple[float, float], **look: Any) -> None:
    """A few words beside a point, the offset in points."""
    look = {"ha": "center", "va": "bottom", "fontsize": SMALL, "zorder": 7, **look}
    axes.annotate(words, (x, y), xytext=offset, textcoords="offset points", **look)


def slo_line(axes: Axes, values: Sequence[float], slo_ms: float) -> None:
    """The SLO as a dashed line with its value; the axis starts at 0 and reaches it."""
    label = say("plot.slo_ms", ms=f"{slo_ms:.4g}")
    axes.axhline(slo_ms, color=RED, linestyle="--", linewidth=1.6, label=label)
    if axes.get_yscale() == "linear":
        axes.set_ylim(0, max(*values, slo_ms) * 1.12)


def size_axis(axes: Axes, sizes: Iterable[float], label: str, keep: Iterable[float] = ()) -> None:
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


def plain_log(axes: Axes, which: Literal["x", "y"] = "y") -> None:
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


def short(value: float) -> str:
    """Three significant digits, whole numbers from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"
