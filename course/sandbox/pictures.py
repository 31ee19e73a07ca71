"""Runs inside the sandbox: pictures that nobody looks at are not drawn, and none stays in memory."""

from __future__ import annotations

import contextlib
import importlib
import sys
import warnings
from functools import partial
from typing import Any

DRAWING = ("matplotlib.pyplot", "helpers.plots.style")


def load_matplotlib() -> None:
    """Import what draws, where it is installed: a second's work, done once and when it is asked for."""
    for name in DRAWING:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def show_nothing() -> None:
    """`show` on a screen that is not there says so; nobody is to be told."""
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def close_figures() -> None:
    """Forget what a cell drew."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is not None and helpers.Gcf.figs:
        helpers.Gcf.destroy_all()


class Undrawn:
    """A picture of the lesson that is drawn when somebody looks into it; no mark depends on how it looks."""

    def __init__(self, plots: Any, name: str, positional: tuple, named: dict) -> None:
        self._work, self._drawn = (plots, name, positional, named), None

    def __repr__(self) -> str:
        return f"<{self._work[1]}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_repr_", "_ipython_")):
            raise AttributeError(name)
        if self._drawn is None:
            plots, picture, positional, named = self._work
            self._drawn = plots.__getattr__(picture)(*positional, **named)
        return getattr(self._drawn, name)


def draw_lazily() -> None:
    """Let every picture of `helpers.plots` wait until somebody looks into it."""
    plots = sys.modules.get("helpers.plots")
    for name in plots.HOMES if plots is not None else ():
        setattr(plots, name, partial(_undrawn, plots, name))


def _undrawn(plots: Any, name: str, /, *positional: Any, **named: Any) -> Undrawn:
    return Undrawn(plots, name, positional, named)
