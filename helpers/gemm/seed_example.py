"""The seed's capacity example, and its line with figures that somebody else worked out."""

from __future__ import annotations

from dataclasses import dataclass

SEED_SOURCE = "examples/benchmark_capacity.py, printed 2026-08-13 on an RTX 3080"


@dataclass(frozen=True)
class SeedExample:
    """The seed's capacity example: what goes in, and what the seed's script printed."""

    total_gib: float = 20.0
    weights_gib: float = 14.0
    runtime_gib: float = 1.5
    layers: int = 32
    kv_heads: int = 8
    head_dim: int = 128
    element_bytes: int = 2
    utilization: float = 0.90
    printed_usable_gib: float = 18.0
    printed_fixed_gib: float = 15.5
    printed_kv_bytes_per_token: int = 131_072
    printed_token_capacity: int = 20_480
    source: str = SEED_SOURCE


SEED = SeedExample()


def capacity_line(usable_gib: float, fixed_gib: float, kv_bytes_per_token: int, token_capacity: int) -> str:
    """The seed's line about capacity, with figures that somebody else worked out."""
    return (
        f"capacity usable_GiB={usable_gib:.3f} fixed_GiB={fixed_gib:.3f} "
        f"KV_bytes_per_token={kv_bytes_per_token} token_capacity={token_capacity}"
    )
