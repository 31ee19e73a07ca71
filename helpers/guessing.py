"""Guess first: a number typed before the cell that computes it, and afterwards the two side by side.

    guess(step_one_ms=None)                  # type a number in place of None; nothing blocks
    guessing.beside(step_one_ms=3.9)         # guessed, computed, and the factor between them

The questions are words of the lesson (`guess.step_one_ms`). Guesses are kept in `guesses.json`, where results
would lie, and travel in the pack; nobody's marks depend on them. A file that cannot be read counts as none.

Imports: platforms, tables, text, writing. Notebooks and the hand-in call it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from helpers import platforms, writing
from helpers.tables import Table, table
from helpers.text import say

FILE = "guesses.json"
FORMAT = "iteration-budget-guesses/v1"
MAX_BYTES = 20_000
MOST = 100


@dataclass(frozen=True)
class Guess:
    """What was guessed and what came out, in the unit of the question; None for what is not there."""

    guessed: float | None = None
    computed: float | None = None

    @property
    def factor(self) -> float | None:
        """How many times the computed value the guess is; None unless both are above 0."""
        if not self.guessed or not self.computed or min(self.guessed, self.computed) <= 0:
            return None
        return self.guessed / self.computed

    def typed(self, value: object) -> Guess:
        """With this guess, unless the answer was seen already: then the first one stands."""
        seen = self.guessed is not None and self.computed is not None
        return self if seen or not is_figure(value) else replace(self, guessed=float(value))


def is_figure(value: object) -> bool:
    """True for a finite number, which alone is kept."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def guess(**typed: object) -> Table:
    """Keep what was typed for each key; the table shows each question and the guess that stands."""
    kept = read()
    kept |= {key: kept.get(key, Guess()).typed(value) for key, value in typed.items()}
    _write(kept)
    return table([{"question": say(f"guess.{key}"), "guessed": kept[key].guessed} for key in typed])


def beside(**computed: object) -> Table:
    """Each guess beside what came out, and the factor between them; a guess that is missing is a dash."""
    kept = read()
    found = {key: float(value) if is_figure(value) else None for key, value in computed.items()}
    kept |= {key: replace(kept.get(key, Guess()), computed=value) for key, value in found.items()}
    _write(kept)
    return _compared({key: kept[key] for key in computed})


def every(*keys: str) -> Table:
    """All these guesses again, as they stand."""
    kept = read()
    return _compared({key: kept.get(key, Guess()) for key in keys})


def _compared(kept: Mapping[str, Guess]) -> Table:
    return table([_row(key, one) for key, one in kept.items()])


def _row(key: str, one: Guess) -> dict[str, object]:
    return {
        "question": say(f"guess.{key}"),
        "guessed": one.guessed,
        "computed": one.computed,
        "factor": None if one.factor is None else f"× {one.factor:.2g}",
    }


def read(folder: Path | None = None) -> dict[str, Guess]:
    """The guesses kept in this folder, or in the one that stays on this platform."""
    path = _place(folder)
    try:
        return parsed(path.read_bytes()) if path.stat().st_size <= MAX_BYTES else {}
    except OSError:
        return {}


def parsed(data: bytes) -> dict[str, Guess]:
    """The guesses in a file, which may be anybody's: bounded, finite numbers only, else none at all."""
    if len(data) > MAX_BYTES or data.count(b"{") > MOST + 2 or b"[" in data:
        return {}
    try:
        content = json.loads(data.decode("utf-8"), parse_int=float)
        if content["format"] != FORMAT or len(content["guesses"]) > MOST:
            return {}
        return {key: _of(key, one) for key, one in content["guesses"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _of(key: str, one: Mapping[str, object]) -> Guess:
    values = [one.get("guessed"), one.get("computed")]
    if not key.isidentifier() or not all(value is None or is_figure(value) for value in values):
        raise ValueError(key)
    return Guess(*values)


def dumped(kept: Mapping[str, Guess]) -> bytes:
    """The file of these guesses."""
    entries = {
        key: {"guessed": one.guessed, "computed": one.computed} for key, one in kept.items() if one != Guess()
    }
    text = json.dumps({"format": FORMAT, "guesses": entries}, indent=1, sort_keys=True)
    return f"{text}\n".encode()


def _place(folder: Path | None) -> Path:
    return (folder or platforms.detect().folder) / FILE


def _write(kept: Mapping[str, Guess]) -> None:
    """Where nothing can be written, a guess is shown and forgotten."""
    try:
        writing.replace(_place(None), dumped(kept), durable=False)
    except OSError:
        return
