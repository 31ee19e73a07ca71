"""Runs inside the sandbox: what may be behind a TypeError, so that it can be told by its cause."""

from __future__ import annotations

import builtins
import contextlib
import inspect
from collections.abc import Callable
from types import FrameType
from typing import Any


def causes(function: Callable, problem: TypeError, namespace: dict[str, Any]) -> dict[str, Any]:
    """The builtin that a value has taken the name of, and of a call that never began the parameters."""
    inner = _frame(problem, namespace)
    if inner is None:
        with contextlib.suppress(TypeError, ValueError):
            return {"parameters": list(inspect.signature(function).parameters)}
        return {}
    taken = (name for name in inner.f_code.co_names if hasattr(builtins, name) and name in namespace)
    name = next((name for name in taken if not callable(namespace[name])), None)
    return {"overwritten": name} if name else {}


def _frame(problem: TypeError, namespace: dict[str, Any]) -> FrameType | None:
    """The innermost of the notebook's own frames."""
    found, trace = None, problem.__traceback__
    while trace is not None:
        found = trace.tb_frame if trace.tb_frame.f_globals is namespace else found
        trace = trace.tb_next
    return found
