"""A diagnosis: the wrong ideas behind an exercise's failed tests, what they cost, and a smallest case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from helpers.facts import CheckFacts


@dataclass(frozen=True)
class Diagnosis:
    """What was found behind the failed tests of one exercise.

    `ideas` are those that the answer has, `either` those of which it has one. `fails` says for each concept
    that fails for one of them for which, `charged` for each idea which concept it costs; without
    follow-through that is empty, and every concept costs. `example` is the smallest call found on which the
    answer goes wrong.
    """

    ideas: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    fails: Mapping[str, str] = field(default_factory=dict)
    charged: Mapping[str, str] = field(default_factory=dict)
    example: CheckFacts | None = None

    @property
    def kept(self) -> Mapping[str, str]:
        """The concepts that failed and keep their points, each with the idea, which is paid for elsewhere."""
        paid = set(self.charged.values())
        return {concept: idea for concept, idea in self.fails.items() if paid and concept not in paid}

    @property
    def reasons(self) -> Mapping[str, str]:
        """By concept the idea that explains it, where only one can."""
        return {concept: idea for concept, idea in self.fails.items() if idea in self.ideas}

    def to_dict(self) -> dict[str, Any]:
        """The diagnosis as JSON holds it."""
        found = {name: value for name, value in asdict(self).items() if value and name != "example"}
        return {**found, "example": self.example.to_dict()} if self.example else found

    @classmethod
    def from_dict(cls, data: object) -> Diagnosis:
        """The diagnosis that `to_dict` wrote down; an empty one for anything else."""
        data = data if isinstance(data, Mapping) else {}
        texts = {name: tuple(map(str, data.get(name, ()))) for name in ("ideas", "either")}
        pairs = {name: dict(data.get(name, {})) for name in ("fails", "charged")}
        return cls(**texts, **pairs, example=CheckFacts.from_dict(data.get("example")))
