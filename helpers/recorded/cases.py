"""Reports to take apart, request lists for goodput, and pages of metrics, as shipped beside this file.

Each was built from recorded measurements by the instructor's generator; `source` names the measurement.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from helpers import lessons, text
from helpers.recorded.files import FOLDER, known_name
from helpers.tables import Table, table

Fault = str
Status = Literal["completed", "cancelled", "failed"]

FAULTS: tuple[Fault, ...] = lessons.faults()
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True)
class Exhibit:
    """A short benchmark report: what was measured, on what, the rows behind it, and what it claims.

    `claimed` holds the one number in question; with at most one fault in the report, `rows`, `setup` and
    `figures` are enough to put it right. All sentences are in the language spoken.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    setup: dict[str, Any]
    figures: dict[str, Any]
    rows: tuple[dict[str, Any], ...]
    claim: str
    claimed: dict[str, float]
    source: str
    licence: str

    @property
    def facts(self) -> Table:
        """Setup, figures and the claimed number, one entry a row."""
        entries = {**self.setup, **self.figures, **self.claimed}
        return table([{"entry": key, "value": value} for key, value in entries.items()])

    @property
    def table(self) -> Table:
        """The rows behind the claim."""
        return table(self.rows)

    @property
    def text(self) -> str:
        """Title, notes and claim."""
        return "\n".join([self.title, *(f"- {note}" for note in self.notes), self.claim])

    def __repr__(self) -> str:
        return f"{self.name} · {self.text}"


def fault_name(fault: Fault) -> str:
    """What a fault is called in the language spoken."""
    return text.say(f"fault.{known_name(fault, FAULTS)}")


def exhibits() -> tuple[str, ...]:
    """The names that `exhibit` knows."""
    return _stems("exhibits")


def exhibit(name: str) -> Exhibit:
    """The report of that name; an unknown name raises ValueError."""
    data = _data("exhibits", name, exhibits())
    return Exhibit(
        name=name,
        title=_spoken(data["title"]),
        notes=tuple(map(_spoken, data["notes"])),
        setup=data["setup"],
        figures=data["figures"],
        rows=tuple(data["rows"]),
        claim=_spoken(data["claim"]),
        claimed=data["claimed"],
        source=data["source"],
        licence=data["licence"],
    )


@dataclass(frozen=True)
class Trace:
    """Requests of one window of time, as a goodput function takes them.

    A request is a dictionary: request_id, arrival_s, status, input_tokens, output_tokens, ttft_ms, e2e_s (the
    time to the last token, in seconds). `ttft_ms` is None where no first token reached the client, `e2e_s`
    None where no last one did, and `output_tokens` counts what reached the client.
    """

    name: str
    title: str
    rule: str
    window_s: float
    requests: tuple[dict[str, Any], ...]
    source: str
    licence: str

    def count(self, status: Status) -> int:
        """Requests with that status."""
        return sum(request["status"] == status for request in self.requests)


def traces() -> tuple[str, ...]:
    """The names that `trace` knows."""
    return _stems("traces")


def trace(name: str) -> Trace:
    """The request list of that name; an unknown name raises ValueError."""
    data = _data("traces", name, traces())
    return Trace(
        name=name,
        title=_spoken(data["title"]),
        rule=_spoken(data["rule"]),
        window_s=data["window_s"],
        requests=tuple(data["requests"]),
        source=data["source"],
        licence=data["licence"],
    )


_PAGES = {
    "rtx4090-llama-3.1-8b": "vllm_metrics_rtx4090.prom",
    "rtx4090-llama-3.1-8b-at-60s": "vllm_metrics_rtx4090_at_60s.prom",
}


def metrics_pages() -> tuple[str, ...]:
    """The names that `metrics_page` knows."""
    return tuple(_PAGES)


def metrics_page(name: str = "rtx4090-llama-3.1-8b") -> Path:
    """The file of that page in the Prometheus text format, for `helpers.metrics.read`."""
    return FOLDER / _PAGES[known_name(name, metrics_pages())]


def _stems(folder: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (FOLDER / folder).glob("*.json")))


def _data(folder: str, name: str, known: tuple[str, ...]) -> dict[str, Any]:
    path = FOLDER / folder / f"{known_name(name, known)}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _spoken(phrase: dict[str, str]) -> str:
    return phrase.get(text.spoken(), phrase["en"])
