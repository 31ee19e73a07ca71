"""Traffic of production services: when requests came and how long they were, and which blocks they shared."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from helpers.recorded.files import FOLDER, known_name

TRAFFIC = ("azure-code", "azure-conversation")
PREFIX_TRACES = ("mooncake-conversation", "mooncake-synthetic")
BLOCK_TOKENS = 512


def traffic(name: str) -> tuple[tuple[float, int, int], ...]:
    """Arrival (ms), input and output tokens of ten minutes of that service; unknown names raise ValueError.

    Azure LLM inference trace 2023, CC BY 4.0. The lengths are those of the service's own tokenizer.
    """
    return tuple(map(tuple, _rows(known_name(name, TRAFFIC))))


def prefix_trace(name: str) -> list[list[int]]:
    """The blocks of each request's prompt, in order of arrival; equal numbers are equal text from the start.

    Mooncake's public traces: blocks of `BLOCK_TOKENS` tokens. An unknown name raises ValueError.
    """
    return [_blocks(runs) for runs in _rows(known_name(name, PREFIX_TRACES))]


def traffic_file(name: str) -> Path:
    """Where the trace of that name lies."""
    return FOLDER / "traces" / f"{name.replace('-', '_')}.json.gz"


def _rows(name: str) -> list[list[int]]:
    return json.loads(gzip.decompress(traffic_file(name).read_bytes()))


def _blocks(runs: list[int]) -> list[int]:
    pairs = zip(runs[::2], runs[1::2], strict=True)
    return [block for start, length in pairs for block in range(start, start + length)]
