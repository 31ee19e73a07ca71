"""Bounds of a result file: how long, how deep and how much in all, before anything is made of it."""

from __future__ import annotations

from collections.abc import Mapping

from helpers.results.fields import MOST_DEPTH, MOST_KEYS, MOST_SAMPLES, MOST_VALUES, ResultError


def check(data: Mapping[str, object], where: str) -> None:
    """Refuse a file of too many values, or with a part too long or too deep, by the part's name."""
    values = 0
    waiting: list[tuple[object, str, int]] = [(data, "data", 0)]
    while waiting:
        part, field, depth = waiting.pop()
        if not isinstance(part, (list, tuple, Mapping)):
            continue
        values += len(part)
        most = MOST_KEYS if isinstance(part, Mapping) else MOST_SAMPLES
        for rule, got, limit in (("length", len(part), most), ("depth", depth, MOST_DEPTH)):
            if got > limit:
                raise ResultError(f"result.too_much_{rule}", path=where, field=field, got=got, most=limit)
        if values > MOST_VALUES:
            raise ResultError("result.too_much", path=where, most=MOST_VALUES)
        named = part.items() if isinstance(part, Mapping) else ((field, item) for item in part)
        waiting += [(item, str(name)[:80], depth + 1) for name, item in named]
