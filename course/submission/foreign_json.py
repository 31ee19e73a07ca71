"""Foreign JSON: text of a stranger's, parsed only as far as its size says what parsing it costs.

A byte of JSON can become 30 bytes of objects (`[],[],[]`). Each list and each object begins with a bracket,
so counting brackets bounds that before anything is parsed; a bracket inside a string counts too, for the
limit is far above what honest files hold.
"""

from __future__ import annotations

import json
from typing import Any

CONTAINERS = 1_000_000
DIGITS = 100  # a longer integer is no figure of anybody's, and takes the square of its length to read


def parsed(text: str, containers: int = CONTAINERS) -> Any:
    """The value in this text; ValueError for what is no JSON, too deep, or of too many parts."""
    if text.count("[") + text.count("{") > containers:
        raise ValueError("containers")
    try:
        return json.loads(text, parse_int=_integer, strict=False)
    except (RecursionError, MemoryError):
        raise ValueError("depth") from None


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < DIGITS else 0
