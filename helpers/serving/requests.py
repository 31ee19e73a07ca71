"""A request as it arrives, and what the engine knows of it while it is being served."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """One request: when it arrives, how long its prompt is, how many tokens it wants back."""

    name: str
    arrival_ms: float
    prompt_tokens: int
    output_tokens: int

    @property
    def total_tokens(self) -> int:
        """Prompt and whole output."""
        return self.prompt_tokens + self.output_tokens


class LiveRequest:
    """A request in the engine: what its scheduler sees of it, and what it has lived through so far.

    shown: id; todo, tokens to compute before the next one comes out (1 in decode, more in prefill or after a
        preemption); cached, the tokens whose KV is there; blocks, the KV blocks that hold them.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.shown = {"id": request.name, "todo": request.prompt_tokens, "cached": 0, "blocks": 0}
        self.generated = self.preemptions = 0
        self.started_ms: float | None = None
        self.first_token_ms: float | None = None
        self.finish_ms: float | None = None
        self.spans: list[list] = []

    @property
    def decodes(self) -> bool:
        return self.generated > 0 and self.shown["todo"] == 1

    def give_up(self) -> int:
        """Lose the KV, which has to be computed again; returns the blocks that this frees."""
        freed = self.shown["blocks"]
        tokens = self.request.prompt_tokens + self.generated
        self.shown = {"id": self.request.name, "todo": tokens, "cached": 0, "blocks": 0}
        self.preemptions += 1
        return freed
