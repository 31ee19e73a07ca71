"""The products that are measured, and which of them a device gets."""

from __future__ import annotations

from dataclasses import dataclass

from helpers.gemm.device import DeviceName
from helpers.text import say


@dataclass(frozen=True)
class Gemm:
    """The product [m, k] @ [k, n]."""

    m: int
    k: int
    n: int

    def __post_init__(self) -> None:
        for name in ("m", "k", "n"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(say("gemm.side", name=name, got=repr(value)))

    @property
    def flops(self) -> int:
        """2 · m · k · n: a multiplication and an addition each."""
        return 2 * self.m * self.k * self.n

    def __str__(self) -> str:
        return f"[{self.m},{self.k}] @ [{self.k},{self.n}]"


SHAPE_GPU = Gemm(256, 1024, 1024)
SHAPE_CPU = Gemm(64, 256, 256)


def shapes_for(device: DeviceName) -> tuple[Gemm, ...]:
    """The seed's shape among squares that grow, as large as the device does in a moment."""
    if device in ("cpu", "queue"):
        return (SHAPE_CPU, *(Gemm(side, side, side) for side in (128, 256, 512, 1024)))
    squares = tuple(Gemm(side, side, side) for side in (1024, 2048, 4096, 8192))
    return (Gemm(64, 256, 256), Gemm(256, 256, 256), SHAPE_GPU, *squares)
