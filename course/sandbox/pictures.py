"""Runs inside the sandbox: pictures that nobody looks at are not drawn, and none stays in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any


def quiet_figures() -> None:
    """Figures are drawn without a screen, and `show` shows nothing."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.switch_backend("agg")
        pyplot.show = lambda *_, **__: None


def close_figures() -> None:
    """Forget what a cell drew."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is not None and helpers.Gcf.figs:
        helpers.Gcf.destroy_all()


class Undrawn:
    """A picture of the lesson that is drawn when somebody looks into it; no mark depends on how it looks."""

    def __init__(self, draw: Callable, positional: tuple, named: dict) -> None:
        self._work, self._drawn = (draw, positional, named), None

    def __repr__(self) -> str:
        return f"<{self._work[0].__name__}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_repr_", "_ipython_")):
            raise AttributeError(name)
        if self._drawn is None:
            draw, positional, named = self._work
            self._drawn = draw(*positional, **named)
        return getattr(self._drawn, name)


def draw_lazily() -> None:
    """Let every picture of `helpers.plots` wait until somebody looks into it."""
    plots = sys.modules.get("helpers.plots")
    for name, draw in list(vars(plots).items()) if plots is not None else []:
        own = callable(draw) and not isinstance(draw, type) and draw.__module__.startswith("helpers.plots")
        if own and not name.startswith("_"):
            setattr(plots, name, partial(_undrawn, draw))


def _undrawn(draw: Callable, *positional: Any, **named: Any) -> Undrawn:
    return Undrawn(draw, positional, named)
