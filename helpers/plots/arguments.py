"""What a picture is asked to show is checked before it is drawn: an error names argument, rule and value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from helpers.text import say


def refuse(argument: str, rule: str, value: object, **words: object) -> NoReturn:
    raise ValueError(
        say("plot.bad", argument=argument, rule=say(f"plot.rule.{rule}", **words), value=repr(value)[:80])
    )


def filled(argument: str, items: Any) -> Any:
    kept = items if isinstance(items, Mapping) else _listed(items)
    if not kept:
        refuse(argument, "not_empty", items)
    return kept


def _listed(items: Any) -> list[Any]:
    return list(items) if isinstance(items, Iterable) and not isinstance(items, (str, bytes)) else []


def filled_mapping(argument: str, items: Any) -> Mapping[Any, Any]:
    if not isinstance(items, Mapping):
        refuse(argument, "mapping", items)
    return filled(argument, items)


def checked_rows(argument: str, rows: Any, keys: Sequence[str]) -> list[dict[str, float]]:
    """The rows with just these keys, smallest batch first."""
    checked = [checked_numbers(f"{argument}[{i}]", row, keys) for i, row in enumerate(filled(argument, rows))]
    for i, row in enumerate(checked):
        require_positive(f"{argument}[{i}]['batch']", row["batch"])
    return sorted(checked, key=lambda row: row["batch"])


def require_keys(argument: str, row: object, keys: Sequence[str]) -> None:
    if not isinstance(row, Mapping):
        refuse(argument, "mapping", row)
    for key in keys:
        if key not in row:
            refuse(argument, "key", list(row), key=key)


def checked_numbers(argument: str, row: object, keys: Sequence[str]) -> dict[str, float]:
    require_keys(argument, row, keys)
    for key in keys:
        require_number(f"{argument}['{key}']", row[key])
    return {key: row[key] for key in keys}


def is_number(value: object) -> bool:
    try:
        return not isinstance(value, (bool, str)) and math.isfinite(value) and value >= 0
    except (TypeError, ValueError, OverflowError):
        return False


def require_number(argument: str, value: object) -> None:
    if not is_number(value):
        refuse(argument, "number", value)


def require_positive(argument: str, value: object) -> None:
    if not is_number(value) or not value > 0:
        refuse(argument, "positive", value)


def require_one_of(argument: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        refuse(argument, "one_of", value, choices=", ".join(choices))
