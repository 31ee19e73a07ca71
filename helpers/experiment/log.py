"""The journal of one run label, understood: what is finished, what was begun, what was spent."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from helpers import results
from helpers.results import Journal, Report, Sentinel, ShapeRecord
from helpers.text import say
from helpers.workload import Shape


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


class RunLog:
    """The journal of one run label, understood: header, finished shapes, shapes that killed the process."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.header: Report | None = None
        self.records: list[ShapeRecord] = []
        self.sentinels: list[Sentinel] = []
        self.begun: dict[Shape, int] = {}
        self.timed_s = self.wall_s = 0.0
        self.sessions = 0
        self.failure: str | None = None
        for entry in journal.read():
            self._take(entry)

    def _take(self, entry: Mapping[str, Any]) -> None:
        kind = entry.get("kind")
        if kind == "header":
            self.header = results.from_dict(entry["report"], self.journal.path.name)
            self.sessions += 1
        elif kind == "session":
            self.sessions += 1
            self.failure = None
        elif kind == "begin":
            shape = Shape(entry["context_tokens"], entry["batch"], entry["series"])
            self.begun[shape] = self.begun.get(shape, 0) + 1
        elif kind == "stopped":
            self.begun.clear()
        elif kind == "record":
            self.records.append(ShapeRecord(**entry["record"]))
            self.timed_s += entry["timed_s"]
            self.wall_s += entry["wall_s"]
        elif kind == "sentinel":
            self.sentinels.append(Sentinel(**entry["sentinel"]))
            self.timed_s += entry["timed_s"]
            self.wall_s += entry["wall_s"]
        else:
            raise results.ResultError("experiment.journal", path=self.journal.path, got=repr(kind)[:40])

    def open(self, fresh: Report) -> None:
        """Begin, or go on where an earlier session stopped, if it was the same experiment."""
        if self.header is None:
            self.header = fresh
            self.sessions = 1
            self.journal.append({"kind": "header", "report": results.to_dict(fresh)})
            return
        found = results.differences(self.header, fresh)
        if found:
            first = found[0]
            raise results.ResultError(
                "experiment.other_run", field=first.field, was=first.a, now=first.b, path=self.journal.path
            )
        self.sessions += 1
        self.failure = None
        self.journal.append({"kind": "session", "at": now(), "hardware": fresh.hardware.model_dump()})

    def begin(self, shape: Shape) -> None:
        self.begun[shape] = self.begun.get(shape, 0) + 1
        self.journal.append({"kind": "begin", **_shape(shape)})

    def add(self, record: ShapeRecord, timed_s: float, wall_s: float) -> None:
        self._write({"kind": "record", "record": record.model_dump(mode="json")}, timed_s, wall_s)
        self.records.append(record)

    def add_sentinel(self, sentinel: Sentinel, timed_s: float, wall_s: float) -> None:
        self._write({"kind": "sentinel", "sentinel": sentinel.model_dump(mode="json")}, timed_s, wall_s)
        self.sentinels.append(sentinel)

    def _write(self, entry: Mapping[str, Any], timed_s: float, wall_s: float) -> None:
        self.journal.append({**entry, "timed_s": timed_s, "wall_s": wall_s})
        self.timed_s += timed_s
        self.wall_s += wall_s

    def report(self, failure: str | None = None) -> Report:
        """The report of everything that is done."""
        assert self.header is not None
        order = {shape: index for index, shape in enumerate(self.header.workload.shapes)}
        records = tuple(sorted(self.records, key=lambda record: order[record.shape]))
        good = any(record.status == "ok" for record in records)
        complete = len(records) == len(order) and failure is None
        status = "failed" if not good or failure else ("completed" if complete else "partial")
        return Report(
            **{
                **dict(self.header),
                "status": status,
                "records": records,
                "sentinels": tuple(self.sentinels),
                "failure": failure or (None if good else say("experiment.nothing")),
                "decision": "tune" if good and complete else "rerun",
                "finished_at": now(),
                "sessions": self.sessions,
                "timed_s": self.timed_s,
                "wall_s": self.wall_s,
            }
        )


def _shape(shape: Shape) -> dict[str, Any]:
    return {"context_tokens": shape.context_tokens, "batch": shape.batch, "series": shape.series}
