"""Cuts public traces down to what the lesson ships: python -m course.lessons.serving_requests.traffic FOLDER.

FOLDER holds the originals, `azure2023_{code,conv}.csv.gz` (Azure/AzurePublicDataset @b469a11) and
`mooncake_{conversation,synthetic}.jsonl.gz` (kvcache-ai/Mooncake @3b5a594, FAST25-release/traces).
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from helpers.recorded.traffic import PREFIX_TRACES, TRAFFIC, traffic_file

WINDOW_S = 600.0


def arrivals(path: Path) -> Iterator[tuple[int, int, int]]:
    """Arrival (ms after the first request), input and output tokens of the first ten minutes."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    start = _moment(rows[0])
    for row in rows:
        after_s = (_moment(row) - start).total_seconds()
        if after_s < WINDOW_S:
            yield round(after_s * 1e3), int(row["ContextTokens"]), int(row["GeneratedTokens"])


def block_runs(path: Path) -> Iterator[list[int]]:
    """Each request's block hashes as runs: first hash, length, first hash, length …"""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield list(_runs(json.loads(line)["hash_ids"]))


def _runs(hashes: Iterable[int]) -> Iterator[int]:
    start = length = 0
    for value in hashes:
        if length and value == start + length:
            length += 1
            continue
        if length:
            yield from (start, length)
        start, length = value, 1
    if length:
        yield from (start, length)


def _moment(row: dict[str, str]) -> datetime:
    return datetime.fromisoformat(row["TIMESTAMP"][:26])


def written(rows: Iterable[object]) -> bytes:
    """The same rows are always the same bytes: no time and no name in the archive's head."""
    return gzip.compress(json.dumps(list(rows), separators=(",", ":")).encode(), 9, mtime=0)


def build(originals: Path) -> dict[Path, bytes]:
    """Every shipped trace by its path."""
    azure = {"azure-code": "azure2023_code.csv.gz", "azure-conversation": "azure2023_conv.csv.gz"}
    files = {traffic_file(name): written(arrivals(originals / azure[name])) for name in TRAFFIC}
    for name in PREFIX_TRACES:
        original = originals / f"{name.replace('-', '_')}.jsonl.gz"
        files[traffic_file(name)] = written(block_runs(original))
    return files


if __name__ == "__main__":
    for path, content in build(Path(sys.argv[1])).items():
        path.write_bytes(content)
