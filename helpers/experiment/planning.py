"""The plan: what a dry run shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from helpers import models, preflight
from helpers.experiment.model import counted, random_config
from helpers.experiment.settings import Settings
from helpers.models import ModelSizes
from helpers.tables import Table
from helpers.text import say
from helpers.workload import ELEMENT_BYTES, Dtype, Shape

StepTime = Callable[[ModelSizes, list[int], int, int], float]


@dataclass(frozen=True)
class PlannedShape:
    """One shape before it runs: KV bytes, memory predicted, times by the student's own function."""

    shape: Shape
    kv_bytes: int | None
    memory_bytes: int | None
    prefill_ms: float | None = None
    decode_ms: float | None = None


@dataclass(frozen=True)
class ExperimentPlan:
    """What a run would do."""

    settings: Settings
    dtype: str
    weight_bytes: int | None
    shapes: tuple[PlannedShape, ...]

    @property
    def need(self) -> preflight.Need:
        sizes = [planned.memory_bytes or 0 for planned in self.shapes]
        return preflight.Need(self.weight_bytes or 0, min(sizes), max(sizes))

    def __str__(self) -> str:
        protocol = self.settings.workload
        head = say(
            "experiment.plan",
            id=protocol.id,
            version=protocol.version,
            model=protocol.model_id,
            dtype=self.dtype,
            weights=gb(self.weight_bytes),
            warmup=protocol.warmup,
            repeats=protocol.repeats,
            rounds=len(protocol.round_sizes),
            budget=_budget(protocol.time_budget_s),
            path=self.settings.result_path,
        )
        columns = [
            say(f"experiment.column_{name}") for name in ("shape", "kv", "memory", "prefill", "decode")
        ]
        rows = [[str(p.shape), gb(p.kv_bytes), gb(p.memory_bytes), *self._times(p)] for p in self.shapes]
        return "\n".join([head, *lines(columns, rows)])

    @staticmethod
    def _times(planned: PlannedShape) -> list[str]:
        return ["–" if ms is None else f"{ms:.2f}" for ms in (planned.prefill_ms, planned.decode_ms)]


def _budget(seconds: float | None) -> str:
    return "" if seconds is None else say("experiment.budget", seconds=f"{seconds:g}")


def gb(value: int | None) -> str:
    return "–" if value is None else f"{value / 1e9:.3f}"


def lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of figures as lines of text."""
    return str(Table(tuple(headings), tuple(map(tuple, rows)), (True,) * len(headings))).split("\n")


def sizes_of(model_id: str, dtype: str) -> ModelSizes | None:
    """Sizes from the table of known models, else counted on the model's shape; None if neither knows it."""
    try:
        return models.get(model_id).with_elements_of(ELEMENT_BYTES[dtype])
    except ValueError:
        pass
    try:
        return counted(random_config(model_id), dtype)
    except (ImportError, ValueError):
        return None


def kv_bytes(sizes: ModelSizes, shape: Shape) -> int:
    return sizes.kv_bytes_per_token * shape.tokens


def memory_bytes(sizes: ModelSizes, shape: Shape) -> int:
    """Predicted memory beside the weights, as in service: the cache and the activations of the prefill."""
    activations = shape.tokens * (6 * sizes.hidden + 3 * sizes.intermediate) * sizes.element_bytes
    return kv_bytes(sizes, shape) + activations + shape.batch * sizes.vocabulary * 4


def plan(
    chosen: Settings, *, dtype: Dtype | None = None, step_ms: StepTime | None = None, **unknown: object
) -> ExperimentPlan:
    """Every shape with its KV bytes and memory; its times by a function of the reader's own.

    `step_ms(sizes, context_tokens, prefill_tokens, decode_tokens)` says how many milliseconds an iteration
    takes; `context_tokens` lists the cached tokens of each sequence that decodes. Notebooks of another
    version, which pass something else, get a TypeError that says what to do.
    """
    if unknown:
        raise TypeError(say("experiment.other_call", names=", ".join(unknown)))
    protocol = chosen.workload
    used = dtype or ("float16" if protocol.dtype == "auto" else protocol.dtype)
    sizes = sizes_of(protocol.model_id, used)
    rows = tuple(_planned(shape, sizes, step_ms) for shape in protocol.shapes)
    return ExperimentPlan(chosen, used, sizes.weight_bytes if sizes else None, rows)


def _planned(shape: Shape, sizes: ModelSizes | None, step_ms: StepTime | None) -> PlannedShape:
    if sizes is None:
        return PlannedShape(shape, None, None)
    planned = PlannedShape(shape, kv_bytes(sizes, shape), memory_bytes(sizes, shape))
    if step_ms is None:
        return planned
    return replace(
        planned,
        prefill_ms=float(step_ms(sizes, [], shape.tokens, 0)),
        decode_ms=float(step_ms(sizes, [shape.context_tokens] * shape.batch, 0, shape.batch)),
    )
