"""What stands in for `plots` where matplotlib is missing, so that a lesson's exercises and checks still run.

In the browser matplotlib is not part of the page: it is fetched when first needed, if there is a network.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

from helpers.text import both, say

SECONDS = 40


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


@cache
def fetch(package: str, seconds: float = SECONDS) -> None:
    """Load a package that the page's list names, in one try; nothing happens without a network."""
    import pyodide_js
    from pyodide.ffi import can_run_sync, run_sync

    if not can_run_sync():
        return

    async def load() -> None:
        await pyodide_js.loadPackage(package)

    print(both("plots.fetching", package=package), flush=True)
    try:
        run_sync(asyncio.wait_for(load(), seconds))
    except Exception:  # no network, a wrong digest, a time-out: in each case there is no package
        return
    importlib.invalidate_caches()
