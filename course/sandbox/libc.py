"""Runs inside the sandbox: calls of the C library that Python does not offer, with errors as OSError."""

from __future__ import annotations

import ctypes
import os

LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> None:
    """Call a function that gives 0 when all is well."""
    if getattr(LIBRARY, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2)."""
    call("mount", _bytes(source), _bytes(target), _bytes(kind), ctypes.c_ulong(flags), _bytes(options))


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
