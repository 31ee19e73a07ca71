"""How every picture looks: colours, sizes, the shipped font, and the figure that shows itself in a cell."""

from __future__ import annotations

from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.plots.described import alt_text

# Okabe and Ito's palette: told apart by colour-blind eyes and in grey.
BLUE, SKY, GREEN, ORANGE, RED, PURPLE = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7"
GREY, INK = "#9A9A9A", "#222222"
WIDTH_INCH = 6.4
DPI = 120
SMALL = 10.5

FONT_FILE = Path(__file__).parents[1] / "fonts" / "NotoSansSC-common.otf"
STYLE = {
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


def styled() -> AbstractContextManager[None]:
    """Draw in the course's style within; no setting of matplotlib's outlives it."""
    return matplotlib.rc_context(STYLE)


class LessonFigure(Figure):
    """A Figure that draws in the course's style and shows itself in any notebook, without pyplot."""

    def draw(self, renderer: Any) -> None:
        with styled():
            super().draw(renderer)

    @property
    def alt(self) -> str:
        """What is drawn, in words."""
        return alt_text(self)

    def _repr_png_(self) -> tuple[bytes, dict[str, str]]:
        """The picture, and its alternative text in the output's metadata, where nbconvert looks for it."""
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=DPI)
        return buffer.getvalue(), {"alt": self.alt}

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The same words where no picture is shown."""
        printer.text(self.alt)


def new_figure(title: str, heights: tuple[float, ...]) -> tuple[LessonFigure, list[Axes]]:
    """A figure of stacked panels (heights in inches) that share their x axis."""
    _register_font()
    room = 1.1
    figure = LessonFigure(figsize=(WIDTH_INCH, sum(heights) + room), layout="constrained")
    grid = figure.subplots(
        len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    figure.suptitle(title, fontsize=STYLE["font.size"], linespacing=1.4)
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06)
    figure.align_ylabels()
    return figure, [row[0] for row in grid]


def _register_font() -> None:
    """Make the shipped font known to matplotlib, once a process."""
    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    if str(FONT_FILE) not in known:
        font_manager.fontManager.addfont(str(FONT_FILE))


def titled(*lines: str | None) -> str:
    return "\n".join(line for line in lines if line)
