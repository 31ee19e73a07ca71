"""The order of a run: every shape once a round, in an order drawn anew; CUDA graphs last, in order.

Imports: workload.
The experiment follows it; the audit compares a result with it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from helpers.workload import Shape, Workload


@dataclass(frozen=True)
class Turn:
    """One visit to a shape: its place in the run, which of the shape's rounds it is, samples wanted."""

    position: int
    shape: Shape
    round: int
    samples: int

    @property
    def is_first(self) -> bool:
        return self.round == 0


def schedule(protocol: Workload) -> tuple[Turn, ...]:
    """Every turn of a run, drawn from the seed, so that neither cold start nor heat lands on one size.

    A capture that fails can spoil the process: graphs come when everything else is measured, each shape's
    rounds one after the other, smallest first.
    """
    plain = [shape for shape in protocol.shapes if shape.series != "cuda_graph"]
    graphs = [shape for shape in protocol.shapes if shape.series == "cuda_graph"]
    sizes = protocol.round_sizes
    turns = [(s, r) for r in range(len(sizes)) for s in drawn(plain, protocol.seed, r)]
    turns += [(s, r) for s in graphs for r in range(len(sizes))]
    return tuple(Turn(at, shape, r, sizes[r]) for at, (shape, r) in enumerate(turns))


def drawn(shapes: Sequence[Shape], seed: int, round: int = 0) -> list[Shape]:
    """The shapes in the order of one round."""
    mixed = list(shapes)
    random.Random(seed + 1_000_003 * round).shuffle(mixed)
    return mixed
