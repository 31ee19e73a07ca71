"""What one engine may hold, and what it is asked to do in one iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Server:
    """The limits of one iteration, and the KV cache in blocks of `block_tokens` tokens."""

    max_num_seqs: int
    max_num_batched_tokens: int
    kv_blocks: int
    block_tokens: int = 16

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise ValueError(f"{name} must be > 0, got {value}")

    def blocks_for(self, tokens: int) -> int:
        """Blocks that hold so many tokens; one that is partly filled counts whole."""
        return -(-tokens // self.block_tokens)

    def limits(self) -> dict[str, int]:
        """The limits as a scheduler is told them."""
        return {
            "max_num_seqs": self.max_num_seqs,
            "max_num_batched_tokens": self.max_num_batched_tokens,
            "block_tokens": self.block_tokens,
        }


class Batch(NamedTuple):
    """The work of one iteration, as the clock is told it; a tuple, since a run makes thousands.

    context_tokens: tokens of KV read for each sequence that takes part, before this iteration's own.
    """

    context_tokens: tuple[int, ...]
    prefill_tokens: int
    decode_tokens: int
