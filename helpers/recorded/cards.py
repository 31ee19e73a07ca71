"""Benchmark reports to take apart, as cards: what was measured, on what, the rows behind it, what is claimed.

Each was built by the instructor's generator, from recorded or published measurements or constructed after a
public case; `source` says which.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from helpers import text
from helpers.recorded.files import FOLDER, known_name
from helpers.tables import Table, table

REPORTS = FOLDER / "reports"


@dataclass(frozen=True)
class BenchmarkReport:
    """One report; `claimed` holds the one number in question, by its name.

    With at most one fault in it, `setup`, `figures` and `rows` (a list of dictionaries) are enough to put the
    number right. A notebook shows a report as a card. All sentences are in the language spoken.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    setup: dict[str, Any]
    figures: dict[str, Any]
    rows: list[dict[str, Any]]
    claim: str
    claimed: dict[str, float]
    source: str

    @property
    def facts(self) -> Table:
        """Setup, figures and the claimed number, one entry a row."""
        entries = {**self.setup, **self.figures, **self.claimed}
        return table([{"entry": key, "value": value} for key, value in entries.items()])

    def __repr__(self) -> str:
        notes = "\n".join(f"- {note}" for note in self.notes)
        parts = (
            f"{self.name} · {self.title}",
            notes,
            self.facts,
            _as_named(self.rows),
            self.claim,
            self.source,
        )
        return "\n\n".join(map(str, parts))

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            '<div style="border:1px solid #999;border-radius:6px;padding:0.4em 1em;max-width:52em">'
            f"<h4>{escape(self.name)} · {escape(self.title)}</h4><ul>{notes}</ul>"
            f'<div style="display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start">'
            f"{self.facts._repr_html_()}{_as_named(self.rows)._repr_html_()}</div>"
            f"<p><b>{escape(self.claim)}</b></p><p><small>{escape(self.source)}</small></p></div>"
        )


def benchmark_reports() -> tuple[str, ...]:
    """The names that `benchmark_report` knows."""
    return tuple(sorted(path.stem for path in REPORTS.glob("*.json")))


def benchmark_report(name: str) -> BenchmarkReport:
    """The report of that name; an unknown name raises ValueError."""
    path = REPORTS / f"{known_name(name, benchmark_reports())}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    spoken = {key: _spoken(data[key]) for key in ("title", "claim", "source")}
    rest = {key: data[key] for key in ("setup", "figures", "rows", "claimed")}
    return BenchmarkReport(name=name, notes=tuple(map(_spoken, data["notes"])), **spoken, **rest)


def _spoken(phrase: dict[str, str]) -> str:
    return phrase.get(text.spoken(), phrase["en"])


def _as_named(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table under the very keys by which code reaches the figures."""
    return replace(table(rows), headings=tuple(rows[0]))
