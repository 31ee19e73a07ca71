"""The plan: what a dry run shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from helpers import hardware, models, preflight
from helpers.experiment.constants import Settings
from helpers.experiment.model import count, random_config
from helpers.tables import Table
from helpers.text import say
from helpers.workload import ELEMENT_BYTES, Dtype, Shape

Estimate = Callable[..., Mapping[str, Any]]


@dataclass(frozen=True)
class PlannedShape:
    """One shape before it runs: KV bytes, memory predicted, times by the student's own function."""

    shape: Shape
    kv_bytes: int | None
    memory_bytes: int | None
    prefill_ms: float | None = None
    decode_ms: float | None = None


@dataclass(frozen=True)
class Plan:
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


def gb(value: int | None) -> str:
    return "–" if value is None else f"{value / 1e9:.3f}"


def lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of figures as lines of text."""
    return str(Table(tuple(headings), tuple(map(tuple, rows)), (True,) * len(headings))).split("\n")


@dataclass(frozen=True)
class Anatomy:
    """Sizes of a model that memory depends on; KV bytes per token are counted, not computed."""

    parameters: int
    flops_per_token: int
    kv_bytes_per_token: int
    hidden: int
    intermediate: int
    vocabulary: int
    element_bytes: int

    @property
    def weight_bytes(self) -> int:
        return self.parameters * self.element_bytes

    def kv_bytes(self, shape: Shape) -> int:
        return self.kv_bytes_per_token * shape.tokens

    def memory_bytes(self, shape: Shape) -> int:
        """Predicted memory beside the weights: the cache twice (once in a static series), the activations."""
        caches = 2 if shape.series == "dynamic" else 1
        activations = shape.tokens * (6 * self.hidden + 3 * self.intermediate) * self.element_bytes
        return caches * self.kv_bytes(shape) + activations + shape.batch * self.vocabulary * 4


def anatomy(model_id: str, dtype: str) -> Anatomy | None:
    """Sizes from the table of known models, else counted on the model's shape; None if neither knows it."""
    element = ELEMENT_BYTES[dtype]
    try:
        known = models.get(model_id)
    except ValueError:
        return _counted_anatomy(model_id, dtype)
    return Anatomy(
        known.parameters,
        known.flops_per_token,
        known.kv_bytes_per_token * element // 2,
        known.hidden,
        known.intermediate,
        known.vocabulary,
        element,
    )


def _counted_anatomy(model_id: str, dtype: str) -> Anatomy | None:
    try:
        config = random_config(model_id)
    except (ImportError, ValueError):
        return None
    counts = count(config, dtype, 1)
    return Anatomy(
        counts.parameters,
        2 * counts.parameters,
        counts.kv_bytes,
        config.hidden_size,
        config.intermediate_size,
        config.vocab_size,
        ELEMENT_BYTES[dtype],
    )


def plan(
    chosen: Settings,
    *,
    dtype: Dtype | None = None,
    estimate: Estimate | None = None,
    device: hardware.Device | None = None,
) -> Plan:
    """Every shape with its KV bytes and memory; its times by the student's `estimate_iteration_cost`."""
    protocol = chosen.workload
    used = dtype or ("float16" if protocol.dtype == "auto" else protocol.dtype)
    sizes = anatomy(protocol.model_id, used)
    rows = tuple(_planned(shape, sizes, estimate, device) for shape in protocol.shapes)
    return Plan(chosen, used, sizes.weight_bytes if sizes else None, rows)


def _planned(
    shape: Shape, sizes: Anatomy | None, estimate: Estimate | None, device: hardware.Device | None
) -> PlannedShape:
    if sizes is None:
        return PlannedShape(shape, None, None)
    planned = PlannedShape(shape, sizes.kv_bytes(shape), sizes.memory_bytes(shape))
    if estimate is None or device is None:
        return planned

    def iteration_ms(contexts: list[int], prefill: int, decode: int) -> float:
        cost = estimate(
            weight_bytes=sizes.weight_bytes,
            kv_bytes_per_token=sizes.kv_bytes_per_token,
            active_context_tokens=contexts,
            scheduled_prefill_tokens=prefill,
            scheduled_decode_tokens=decode,
            flops_per_token=float(sizes.flops_per_token),
            effective_bandwidth_gbps=device.bandwidth_gbps,
            effective_compute_tflops=device.compute_tflops,
        )
        return float(cost["iteration_ms"])

    return replace(
        planned,
        prefill_ms=iteration_ms([], shape.tokens, 0),
        decode_ms=iteration_ms([shape.context_tokens] * shape.batch, 0, shape.batch),
    )
