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

    decodes: one token is left to compute, and it is not the prompt's.
    shown: id; todo, tokens to compute before the next one comes out (1 in decode, more in prefill or after a
        preemption); cached, the tokens whose KV is there; blocks, the KV blocks that hold them.
    """

    __slots__ = ("decodes", "first_token_ms", "generated", "preemptions", "request", "shown", "spans")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.shown = {"id": request.name, "todo": request.prompt_tokens, "cached": 0, "blocks": 0}
        self.generated = self.preemptions = 0
        self.decodes = False
        self.first_token_ms: float | None = None
        self.spans: list[list] = []

    @property
    def started_ms(self) -> float:
        return self.spans[0][1]

    @property
    def finish_ms(self) -> float:
        return self.spans[-1][2]

    def advance(self, tokens: int, start_ms: float, end_ms: float) -> bool:
        """Its tokens are in the cache; the one that completes them yields the next output. True at the end.

        Every token of a run passes here.
        """
        state = "decode" if self.decodes else "prefill"
        last = self.spans[-1] if self.spans else None
        if last and last[2] == start_ms and last[0] == state:
            last[2] = end_ms
        else:
            self.spans.append([state, start_ms, end_ms])
        self.shown["cached"] += tokens
        if state == "prefill" and not self._completes(tokens, end_ms):
            return False
        self.generated += 1
        return self.generated == self.request.output_tokens

    def _completes(self, tokens: int, end_ms: float) -> bool:
        """What a prefill leaves to do; whether it is the last of it."""
        left = self.shown["todo"] - tokens
        if left == 0 and self.first_token_ms is None:
            self.first_token_ms = end_ms
        self.shown["todo"] = left or 1
        self.decodes = left == 0 or (left == 1 and self.generated > 0)
        return left == 0

    def give_up(self) -> int:
        """Lose the KV, which has to be computed again; returns the blocks that this frees."""
        freed = self.shown["blocks"]
        tokens = self.request.prompt_tokens + self.generated
        self.shown = {"id": self.request.name, "todo": tokens, "cached": 0, "blocks": 0}
        self.decodes = False
        self.preemptions += 1
        return freed
