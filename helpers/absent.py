"""What stands in for `plots` where matplotlib is missing, so that a lesson's exercises and checks still run.

In the browser matplotlib is not part of the page: it is fetched when first needed, if there is a network.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.util import find_spec

from helpers.text import say

SECONDS = 10
RACE = """(loading, ms) => Promise.race([
  Promise.resolve(loading).then(() => true, () => false),
  new Promise((resolve) => setTimeout(() => resolve(false), ms)),
])"""


class Plots:
    """Takes every call that `helpers.plots` takes, and prints one line in place of a picture."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("_"):
            raise AttributeError(name)
        return _no_picture


def _no_picture(*arguments: object, **options: object) -> None:
    print(say("plots.absent_browser" if sys.platform == "emscripten" else "plots.absent"))


def is_missing(package: str, system: str = sys.platform) -> bool:
    """Whether a package is not there; in the browser it is fetched first, if that is possible."""
    if find_spec(package) is None and system == "emscripten":
        fetch(package)
    return find_spec(package) is None


def fetch(package: str, seconds: float = SECONDS) -> bool:
    """Load a package that the page's list names; False where that failed or took too long.

    The page's own clock decides, so that no task of Python's is cancelled: such a task ends in a traceback
    later. What was begun goes on, and a second call finds it there or waits again.
    """
    import pyodide_js
    from pyodide.code import run_js
    from pyodide.ffi import can_run_sync, run_sync

    if not can_run_sync():
        return False
    print(say("plots.fetching", package=package), flush=True)
    try:
        loaded = bool(run_sync(run_js(RACE)(pyodide_js.loadPackage(package), seconds * 1000)))
    except Exception:  # the page refuses even to begin: there is no package then
        loaded = False
    if not loaded:
        print(say("plots.not_fetched", package=package, seconds=seconds), flush=True)
    importlib.invalidate_caches()
    return loaded
