"""Workload: the fixed protocol of an experiment as data, and the registry, read from the lessons' files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from helpers import lessons
from helpers.text import Phrase, say

Dtype = Literal["auto", "bfloat16", "float16", "float32"]
Series = Literal["dynamic", "static", "cuda_graph"]
Weights = Literal["published", "random"]
ProfileId = Literal["INF-CUDA-MECHANISM", "INF-MPS-MECHANISM", "INF-CPU-MECHANISM"]

DTYPES: tuple[Dtype, ...] = get_args(Dtype)
ELEMENT_BYTES: dict[str, int] = {"float32": 4, "bfloat16": 2, "float16": 2}
SERIES: tuple[Series, ...] = get_args(Series)
PROFILES: dict[str, ProfileId] = {
    "cuda": "INF-CUDA-MECHANISM",
    "mps": "INF-MPS-MECHANISM",
    "cpu": "INF-CPU-MECHANISM",
}


@dataclass(frozen=True, order=True)
class Shape:
    """One cell of the matrix: how many sequences, how many tokens each, in which series."""

    context_tokens: int
    batch: int
    series: Series = "dynamic"

    @property
    def tokens(self) -> int:
        """Tokens that a prefill of this shape processes."""
        return self.batch * self.context_tokens

    def __str__(self) -> str:
        tail = "" if self.series == "dynamic" else f" {self.series}"
        return f"{self.batch} × {self.context_tokens}{tail}"


def _positive(name: str, values: Iterable[int]) -> tuple[int, ...]:
    """The values as a tuple; refuses an empty list, repeats and anything that is no positive integer."""
    numbers = tuple(values)
    for value in numbers:
        if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
            raise ValueError(say("workload.positive", name=name, got=repr(value)))
    if not numbers or len(set(numbers)) != len(numbers):
        raise ValueError(say("workload.distinct", name=name, got=repr(list(numbers))))
    return numbers


@dataclass(frozen=True)
class Workload:
    """What is measured, and how: two results with different workloads are not the same experiment."""

    id: str
    version: str
    model_id: str
    batch_sizes: tuple[int, ...]
    context_lengths: tuple[int, ...]
    semantic_id: str = "INF-ITERATION-BUDGET"
    model_revision: str = "main"
    dtype: Dtype = "auto"
    series: tuple[Series, ...] = ("dynamic",)
    warmup: int = 5
    repeats: int = 20
    seed: int = 2026
    time_budget_s: float | None = None
    min_repeats: int = 3
    rounds: int = 4
    max_shape_tokens: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "batch_sizes", _positive("batch_sizes", self.batch_sizes))
        object.__setattr__(self, "context_lengths", _positive("context_lengths", self.context_lengths))
        object.__setattr__(self, "series", tuple(self.series))
        for name, low in (("warmup", 0), ("repeats", 1), ("min_repeats", 1), ("rounds", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(say("workload.at_least", name=name, low=low, got=repr(value)))
        one_of("dtype", self.dtype, DTYPES)
        for name in self.series:
            one_of("series", name, SERIES)
        if not self.series or len(set(self.series)) != len(self.series):
            raise ValueError(say("workload.distinct", name="series", got=repr(list(self.series))))
        if self.time_budget_s is not None and not _seconds(self.time_budget_s):
            raise ValueError(say("workload.seconds", name="time_budget_s", got=repr(self.time_budget_s)))

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Every shape of the matrix, series after series, short contexts and small batches first."""
        every = (
            Shape(context, batch, series)
            for series in self.series
            for context in self.context_lengths
            for batch in self.batch_sizes
        )
        return tuple(s for s in every if self.max_shape_tokens is None or s.tokens <= self.max_shape_tokens)

    @property
    def round_sizes(self) -> tuple[int, ...]:
        """Samples of each round: the repeats, shared out as evenly as they go."""
        rounds = min(self.rounds, self.repeats)
        return tuple(self.repeats // rounds + (r < self.repeats % rounds) for r in range(rounds))

    def changed(self, **fields: Any) -> Workload:
        """A copy with other values; a change that alters the meaning needs a version of its own."""
        base = EXPERIMENTS.get(self.id)
        copy = replace(self, **fields)
        if base is None or copy.version != base.workload.version:
            return copy
        for name in sorted(base.fixed):
            if getattr(copy, name) != getattr(base.workload, name):
                raise ValueError(
                    say(
                        "workload.needs_version",
                        name=name,
                        was=getattr(base.workload, name),
                        now=getattr(copy, name),
                        version=copy.version,
                    )
                )
        return copy


def _seconds(value: object) -> bool:
    """Whether a value is a positive, finite number of seconds."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


def one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        raise ValueError(say("workload.one_of", name=name, choices=", ".join(choices), got=repr(value)))


@dataclass(frozen=True)
class Experiment:
    """An entry of the registry: the protocol, and what may change without a new version of it."""

    workload: Workload
    title: Phrase
    question: Phrase
    profile_id: ProfileId
    weights: Weights = "published"
    free: frozenset[str] = field(default_factory=lambda: frozenset({"model_revision", "time_budget_s"}))

    @property
    def id(self) -> str:
        return self.workload.id

    @property
    def fixed(self) -> frozenset[str]:
        """The fields whose change gives the experiment another meaning, hence another version."""
        return frozenset(Workload.__dataclass_fields__) - self.free - {"id", "version"}


def _experiment(id: str, data: Mapping[str, Any]) -> Experiment:
    """The entry that a lesson's file describes."""
    protocol = {name: tuple(v) if isinstance(v, list) else v for name, v in data["workload"].items()}
    return Experiment(
        Workload(id=id, **protocol),
        Phrase(**data["title"]),
        Phrase(**data["question"]),
        data["profile_id"],
        data["weights"],
        frozenset(data["free"]),
    )


EXPERIMENTS: Mapping[str, Experiment] = {
    id: _experiment(id, data) for lesson in lessons.every() for id, data in lesson.experiments.items()
}


def default() -> str:
    """The id of the experiment that is run unless another is asked for: the first of the first lesson."""
    return next(iter(EXPERIMENTS))


def without_gpu() -> str:
    """The id of the first experiment with a real model that a machine without GPU can run."""
    return _first(lambda it: it.profile_id == PROFILES["cpu"] and it.weights == "published")


def with_random_weights() -> str:
    """The id of the first experiment that downloads nothing."""
    return _first(lambda it: it.weights == "random")


def _first(wanted: Callable[[Experiment], bool]) -> str:
    return next((id for id, experiment in EXPERIMENTS.items() if wanted(experiment)), default())


def registered(experiment_id: str, **fields: Any) -> Workload:
    """The registered protocol, with other values where the registry allows them."""
    if experiment_id not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise ValueError(say("workload.unknown", got=repr(experiment_id), known=known))
    registered = EXPERIMENTS[experiment_id].workload
    return registered.changed(**fields) if fields else registered
