"""What a picture shows, in words made from what is drawn: for whoever hears the notebook read aloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from helpers.text import say

MOST_SERIES = 12
MOST_CHARACTERS = 1500
Series = tuple[str, numpy.ndarray, numpy.ndarray]


def alt_text(figure: Figure) -> str:
    """Title, axes, the range of each named series, and the words that stand in the picture."""
    title = " · ".join(figure.get_suptitle().splitlines())
    words = " ".join([f"{title}{say('plot.alt.stop')}", *map(_panel, figure.axes)])
    return words if len(words) <= MOST_CHARACTERS else words[: MOST_CHARACTERS - 1] + "…"


def _panel(axes: Axes) -> str:
    found = list(_series(axes))
    shown = [_range(label, heights) for label, _, heights in found[:MOST_SERIES]]
    if len(found) > MOST_SERIES:
        shown.append(say("plot.alt.more", count=len(found) - MOST_SERIES))
    parts = [say("plot.alt.axes", y=_plain(axes.get_ylabel()), x=_across(axes, found)), *shown]
    marked = list(dict.fromkeys(_plain(text.get_text()) for text in axes.texts if text.get_text().strip()))
    if marked:
        parts.append(say("plot.alt.marked", words=", ".join(marked[:MOST_SERIES])))
    return say("plot.alt.comma").join(parts) + say("plot.alt.stop")


def _across(axes: Axes, found: Iterable[Series]) -> str:
    """The x axis and the stretch of it that is drawn on; the label stands below the lowest panel."""
    label = _plain(axes.get_xlabel() or next((a.get_xlabel() for a in axes.figure.axes[::-1]), ""))
    if axes.containers:  # bars stand at places of their own: what they stand for is on the ticks
        ticks = [_plain(tick.get_text()) for tick in axes.get_xticklabels() if tick.get_text()]
        return say("plot.alt.one", label=label, value=", ".join(ticks)) if ticks else label
    places = [places for _, places, _ in found if len(places)]
    return _range(label, numpy.concatenate(places)) if places else label


def _series(axes: Axes) -> Iterator[Series]:
    """Each series with a name of its own: lines, bars and points."""
    for line in axes.get_lines():
        if _named(line.get_label()):
            whole = line.get_transform() == axes.transData
            x, y = (numpy.atleast_1d(numpy.asarray(data, dtype=float)) for data in line.get_data())
            yield _plain(line.get_label()), x if whole else x[:0], y
    for bars in axes.containers:
        if _named(bars.get_label()):
            x = numpy.array([bar.get_x() + bar.get_width() / 2 for bar in bars.patches])
            yield _plain(bars.get_label()), x, numpy.array([bar.get_height() for bar in bars.patches])
    for points in axes.collections:
        if isinstance(points, PathCollection) and _named(points.get_label()) and len(points.get_offsets()):
            x, y = numpy.asarray(points.get_offsets(), dtype=float).T
            yield _plain(points.get_label()), x, y


def _named(label: object) -> bool:
    return isinstance(label, str) and bool(label) and not label.startswith("_")


def _range(label: str, values: numpy.ndarray) -> str:
    values = values[numpy.isfinite(values)]
    if not len(values):
        return label
    low, high = f"{values.min():,.4g}", f"{values.max():,.4g}"
    if low == high:
        return say("plot.alt.one", label=label, value=low)
    return say("plot.alt.range", label=label, low=low, high=high)


def _plain(label: str) -> str:
    return " ".join(label.replace("$", "").split())
