"""What fits into memory: the KV of models against context, the parts of a card, two kinds of requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from helpers.plots.arguments import filled, filled_mapping, require_number, require_one_of, require_positive
from helpers.plots.axes import legend, plain_log
from helpers.plots.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, RED, new_figure, styled
from helpers.text import say

_COLORS = (BLUE, GREEN, ORANGE, PURPLE, RED, INK, GREY)
_PARTS = {"absent": INK, "held_back": GREY, "weights": BLUE, "unexplained": RED, "kv": GREEN}


def cache_sizes(sizes: Mapping[str, Mapping[int, int]]) -> Figure:
    """A line a model: bytes of KV against tokens of context, both axes logarithmic."""
    named = filled_mapping("sizes", sizes)
    with styled():
        figure, (axes,) = new_figure(say("plot.cache_sizes"), heights=(3.6,))
        for place, (name, curve) in enumerate(named.items()):
            points = sorted(filled_mapping("sizes", curve).items())
            for context, size in points:
                require_positive("sizes", context)
                require_positive("sizes", size)
            across, up = zip(*((context, size / 1e9) for context, size in points), strict=True)
            style = "-" if place < len(_COLORS) else "--"
            axes.plot(across, up, style, marker=".", color=_COLORS[place % len(_COLORS)], label=name)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        plain_log(axes, "y")
        axes.set_xlabel(say("plot.context"))
        axes.set_ylabel(say("plot.kv_gb"))
        legend(figure, axes, columns=3)
    return figure


def memory_parts(parts: Mapping[str, float]) -> Figure:
    """One stacked bar: what each part of a card's memory, in bytes, is used for."""
    named = filled_mapping("parts", parts)
    with styled():
        figure, (axes,) = new_figure(say("plot.memory_parts"), heights=(1.1,))
        start_gb = 0.0
        for name, size in named.items():
            require_one_of("parts", name, tuple(_PARTS))
            require_number("parts", size)
            label = say(f"plot.part.{name}", gb=f"{size / 1e9:.2f}")
            axes.barh(0, size / 1e9, left=start_gb, color=_PARTS[name], edgecolor="white", label=label)
            start_gb += size / 1e9
        axes.set_yticks([])
        axes.grid(visible=False)
        axes.set_xlabel(say("plot.size_gb"))
        legend(figure, axes, columns=2)
    return figure


def mixtures(limits_by_share: Mapping[float, Sequence[int]], running: float) -> Figure:
    """How many of the second kind fit with so many of the first; dashed, a number that really ran at once."""
    named = filled_mapping("limits_by_share", limits_by_share)
    require_positive("running", running)
    with styled():
        figure, (axes,) = new_figure(say("plot.mixtures"), heights=(3.2,))
        for color, (share, limits) in zip(_COLORS, named.items(), strict=False):
            counts = filled("limits_by_share", limits)
            label = say("plot.output_share", percent=f"{100 * share:g}")
            axes.plot(range(len(counts)), counts, drawstyle="steps-mid", color=color, label=label)
        seen = say("plot.ran_at_once", count=f"{running:.1f}")
        axes.plot([0, running], [running, 0], "--", color=INK, label=seen)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(say("plot.first_kind"))
        axes.set_ylabel(say("plot.second_kind"))
        legend(figure, axes, columns=2)
    return figure
