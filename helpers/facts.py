"""Facts: what a failed check found, as plain data; the sentence is made last, in the reader's language.

A sentence is never read back: whoever wants the idea, the concept or the numbers takes them from here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from helpers.text import CATALOG, Catalog, Language, say_in, spoken

TEXT_CHARACTERS = 2_000
SHOWN_CHARACTERS = 200
LARGEST_INTEGER = 10**30
SAID = "check.said"
TOO_FEW_DIGITS = "check.digits"
UNITS = {
    "ms": "ms",
    "us": "µs",
    "s": "s",
    "bytes": "B",
    "token": "token",
    "tokens": "token",
    "flops": "FLOP",
    "gbps": "GB/s",
    "tflops": "TFLOP/s",
}


@dataclass(frozen=True)
class CheckFacts:
    """What a check found: the message's key, what it fills in (plain data), the wrong idea, the concept.

    `values` of a mismatch hold `what`, `expected`, `got` and `unit`. A value that JSON has no word for stands
    there as {"repr": text, "type": its class}, an exception as {"repr": text, "raised": its class}.
    """

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)
    idea: str | None = None
    concept: str | None = None
    line: int | None = field(default=None, compare=False)  # of the test, for its author

    def at(self, cell: str) -> str:
        """The place in this cell, as editors write it: its name, and the line where it is known."""
        return cell if self.line is None else f"{cell}:{self.line}"

    def to_dict(self) -> dict[str, Any]:
        """The facts as JSON holds them; a test's lines mean nothing to others."""
        found = {name: value for name, value in asdict(self).items() if value not in (None, {})}
        return {name: value for name, value in found.items() if name != "line"}

    @classmethod
    def from_dict(cls, data: object) -> CheckFacts | None:
        """The facts that `to_dict` wrote down; None for anything else."""
        if not isinstance(data, Mapping) or not isinstance(data.get("key"), str):
            return None
        values = data.get("values")
        values = values if isinstance(values, Mapping) else {}
        return cls(data["key"], values, data.get("idea"), data.get("concept"))


def said(text: str) -> CheckFacts:
    """Facts of a failure that is known as a text only."""
    return CheckFacts(SAID, {"message": text[:TEXT_CHARACTERS]})


def sentence(
    facts: CheckFacts,
    language: Language | None = None,
    *,
    with_concept: bool = True,
    catalog: Catalog = CATALOG,
) -> str:
    """What the facts say to a person, in this language or the one spoken; bounded."""
    language = language or spoken()
    message = _message(facts, language, catalog)
    if facts.idea:
        space = "" if language == "zh" else " "
        message += space + say_in(language, "check.idea", idea=word(language, "idea", facts.idea))
    if facts.concept and with_concept:
        concept = word(language, "concept", facts.concept)
        message = say_in(language, "check.in_concept", concept=concept, message=message)
    return message[:TEXT_CHARACTERS]


def word(language: Language, kind: str, key: str) -> str:
    """What people call a concept, an idea or a column; its key where nobody has named it."""
    return say_in(language, f"{kind}.{key}")


def unit(name: str) -> str:
    """The unit that a name ends in: `memory_ms` is in ms, `tokens_per_s` in token/s, `gain_per_s` in 1/s.

    Only whole words count, and a name that is nothing but a unit names a thing, not its unit.
    """
    words = name.split("_")
    if len(words) < 2 or words[-1] not in UNITS:
        return ""
    if words[-2] == "per":
        return f"{UNITS.get(words[-3], '1') if len(words) > 2 else '1'}/{UNITS[words[-1]]}"
    return UNITS[words[-1]]


def plain(value: object) -> Any:
    """The value as JSON holds it; of anything else, and of what is too long, its text and its class."""
    if is_number(value) and not isinstance(value, (int, float)):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < LARGEST_INTEGER else _described(value, str(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _described(value, repr(float(value)))
    if type(value) is str and len(value) <= SHOWN_CHARACTERS:
        return clean(value)
    if isinstance(value, (set, frozenset)):
        return _described(value, f"[{', '.join(sorted(map(repr, value)))}]")
    return _described(value, repr(value))


def raised(problem: Exception) -> dict[str, str]:
    """An exception as JSON holds it."""
    kind, message = type(problem).__name__, str(problem)[:SHOWN_CHARACTERS]
    return {"repr": clean(f"{kind}: {message}") if message else kind, "raised": kind}


def shown(value: Any, digits: int = 6) -> str:
    """A plain value as a sentence shows it."""
    if isinstance(value, Mapping):
        return str(value.get("repr", ""))
    if is_number(value):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}g}"
    return repr(value)


def is_number(value: object) -> bool:
    """True for a real number of Python's or numpy's; a truth value is none."""
    return not isinstance(value, bool) and (isinstance(value, (int, float)) or _is_numpy_number(value))


def _is_numpy_number(value: object) -> bool:
    if type(value).__module__ != "numpy" or getattr(value, "ndim", 1) != 0:
        return False
    return value.dtype.kind in "iuf"


def _message(facts: CheckFacts, language: Language, catalog: Catalog) -> str:
    """The sentence without idea and concept; facts that this version has no words for show their key."""
    if facts.key not in catalog:
        return facts.key
    values = {name: value for name, value in facts.values.items() if name != "unit"}
    digits = 15 if facts.key == TOO_FEW_DIGITS else 6
    for name in ("expected", "got"):
        if name in values:
            values[name] = _with_unit(values[name], str(facts.values.get("unit", "")), digits)
    return catalog.say_in(language, facts.key, **values)


def _with_unit(value: Any, unit: str, digits: int) -> str:
    text = shown(value, digits)
    return f"{text} {unit}" if unit and is_number(value) else text


def clean(text: str) -> str:
    """Text that a file can hold: half characters replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _described(value: object, text: str) -> dict[str, str]:
    return {"repr": _cut(text), "type": type(value).__name__}


def _cut(text: str) -> str:
    return clean(text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 3] + "...")
