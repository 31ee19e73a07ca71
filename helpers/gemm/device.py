"""The devices that a product runs on, and the choice of one that is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from helpers.text import say

DeviceName = Literal["cuda", "mps", "cpu", "queue"]
DEVICES: tuple[DeviceName, ...] = get_args(DeviceName)


def chosen_device(device: str, torch: Any, known: Sequence[str] = DEVICES) -> str:
    """The device asked for, or the best there is of those known; one that is not there is refused."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    there = {name: there.get(name, True) for name in known}
    if device == "auto":
        return next(name for name, available in there.items() if available)
    if not there.get(device, False):
        available = ", ".join(name for name, is_there in there.items() if is_there)
        raise ValueError(say("gemm.device", got=repr(device), known=available))
    return device
