"""A sitting: one class's turn at an assignment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sitting:
    """What hidden tests draw from, and whether the deadline has passed for everyone."""

    seed: str = ""
    is_over: bool = False
