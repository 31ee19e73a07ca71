"""The journal of one run label, understood: what is finished, what was begun, what was spent."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from helpers import results
from helpers.experiment.visit import Visit, joined
from helpers.results import FieldDifference, Journal, Report, Sentinel, ShapeRecord
from helpers.schedule import Turn
from helpers.text import say
from helpers.workload import Shape


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


class RunLog:
    """The journal of one run label, understood: header, turns done, shapes finished or given up.

    A line is checked when it is read. One that is damaged, out of place or of another kind is refused by its
    number, with the way out: without that line, only what it held is measured again.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.header: Report | None = None
        self.records: list[ShapeRecord] = []
        self.visits: dict[Shape, list[Visit]] = {}
        self.sentinels: list[Sentinel] = []
        self.begun: dict[Shape, int] = {}
        self.timed_s = self.wall_s = 0.0
        self.sessions = 0
        self.failure: str | None = None
        for number, entry in journal.numbered():
            try:
                self._take(entry)
            except results.ResultError as error:
                if error.key == "experiment.headless":
                    raise
                raise self._refused(number, error) from None
            except (KeyError, TypeError, ValueError) as error:
                raise self._refused(number, error) from None

    def _refused(self, number: int, error: Exception) -> results.ResultError:
        reason = str(error).splitlines()[0]
        if isinstance(error, ValidationError):
            reason = " ".join(filter(None, results.explain(error)))
        elif isinstance(error, KeyError):
            reason = say("experiment.line_lacks", name=error.args[0])
        return results.ResultError(
            "experiment.journal", path=self.journal.path, line=number, reason=reason[:300]
        )

    def _take(self, entry: Mapping[str, Any]) -> None:
        takers: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "header": self._take_header,
            "session": self._take_session,
            "begin": self._take_begin,
            "stopped": lambda _: self.begun.clear(),
            "again": self._take_again,
            "visit": self._take_visit,
            "record": self._take_record,
            "sentinel": self._take_sentinel,
        }
        kind = entry.get("kind")
        if kind not in takers:
            raise ValueError(say("experiment.line_kind", got=repr(kind)[:40]))
        if kind != "header" and self.header is None:
            raise results.ResultError("experiment.headless", path=self.journal.path)
        takers[kind](entry)

    def _take_header(self, entry: Mapping[str, Any]) -> None:
        if self.header is not None:
            raise ValueError(say("experiment.line_twice", what="header"))
        self.header = results.from_dict(entry["report"], self.journal.path.name)
        self.sessions += 1

    def _take_session(self, _: Mapping[str, Any]) -> None:
        self.sessions += 1
        self.failure = None

    def _take_begin(self, entry: Mapping[str, Any]) -> None:
        shape = Shape(entry["context_tokens"], entry["batch"], entry["series"])
        self._must_belong(shape)
        self.begun[shape] = self.begun.get(shape, 0) + 1

    def _take_again(self, _: Mapping[str, Any]) -> None:
        """Shapes given up are tried again."""
        self.begun.clear()
        self.records = [record for record in self.records if record.failure_kind != "error"]

    def _take_visit(self, entry: Mapping[str, Any]) -> None:
        visit = Visit(**entry["visit"])
        seconds = _seconds(entry)
        self._must_belong(visit.shape)
        rounds = [other.round for other in self.visits.get(visit.shape, [])]
        if visit.round in rounds or visit.shape in self.done:
            raise ValueError(say("experiment.line_twice", what=f"{visit.shape}, {visit.round + 1}"))
        self._spend(*seconds)
        self._keep(visit)

    def _take_record(self, entry: Mapping[str, Any]) -> None:
        record = ShapeRecord(**entry["record"])
        seconds = _seconds(entry)
        self._must_belong(record.shape)
        if record.shape in self.done:
            raise ValueError(say("experiment.line_twice", what=str(record.shape)))
        self._spend(*seconds)
        self.records.append(record)

    def _take_sentinel(self, entry: Mapping[str, Any]) -> None:
        sentinel, seconds = Sentinel(**entry["sentinel"]), _seconds(entry)
        if any(other.position == sentinel.position for other in self.sentinels):
            raise ValueError(say("experiment.line_twice", what=f"sentinel {sentinel.position}"))
        self._spend(*seconds)
        self.sentinels.append(sentinel)

    def _must_belong(self, shape: Shape) -> None:
        if self.header is None or shape not in self.header.workload.shapes:
            raise ValueError(say("result.record_stray", shape=shape))

    # --- what is done ---------------------------------------------------------------------------------

    @property
    def done(self) -> set[Shape]:
        """The shapes that have their record."""
        return {record.shape for record in self.records}

    def has(self, turn: Turn) -> bool:
        """Whether a turn needs no more: measured, or its shape has failed."""
        rounds = (visit.round for visit in self.visits.get(turn.shape, []))
        return turn.shape in self.done or turn.round in rounds

    def _keep(self, visit: Visit) -> None:
        """Take a visit in; when it was the shape's last, its record is made."""
        self.visits.setdefault(visit.shape, []).append(visit)
        self.begun.pop(visit.shape, None)
        if len(self.visits[visit.shape]) == self.rounds:
            self.records.append(joined(sorted(self.visits[visit.shape], key=lambda one: one.round)))

    @property
    def rounds(self) -> int:
        """Rounds of a shape in this run."""
        assert self.header is not None
        return len(self.header.workload.protocol.round_sizes)

    def settle(self) -> None:
        """Whatever has a round, but not all, is as good as it gets: the time is up."""
        for shape, visits in self.visits.items():
            if shape not in self.done:
                self.records.append(joined(sorted(visits, key=lambda one: one.round)))

    # --- writing --------------------------------------------------------------------------------------

    def open(self, fresh: Report) -> None:
        """Begin, or go on where an earlier session stopped, if it was the same experiment."""
        if self.header is None:
            self.header = fresh
            self.sessions = 1
            self.journal.append({"kind": "header", "report": results.to_dict(fresh)})
            return
        found = results.differences(self.header, fresh) or _changed(self.header, fresh)
        if found:
            first = found[0]
            raise results.ResultError(
                "experiment.other_run", field=first.field, was=first.a, now=first.b, path=self.journal.path
            )
        self.sessions += 1
        self.failure = None
        self.journal.append({"kind": "session", "at": now(), "hardware": fresh.hardware.model_dump()})

    def try_again(self) -> None:
        """Shapes given up in an earlier session are tried once more."""
        entry = {"kind": "again", "at": now()}
        self.journal.append(entry)
        self._take(entry)

    def begin(self, shape: Shape) -> None:
        self.begun[shape] = self.begun.get(shape, 0) + 1
        self.journal.append({"kind": "begin", **_shape(shape)})

    def add_visit(self, visit: Visit, timed_s: float, wall_s: float) -> None:
        self._write({"kind": "visit", "visit": visit.model_dump(mode="json")}, timed_s, wall_s)
        self._keep(visit)

    def add(self, record: ShapeRecord, timed_s: float, wall_s: float) -> None:
        self._write({"kind": "record", "record": record.model_dump(mode="json")}, timed_s, wall_s)
        self.records.append(record)

    def add_sentinel(self, sentinel: Sentinel, timed_s: float, wall_s: float) -> None:
        self._write({"kind": "sentinel", "sentinel": sentinel.model_dump(mode="json")}, timed_s, wall_s)
        self.sentinels.append(sentinel)

    def _write(self, entry: Mapping[str, Any], timed_s: float, wall_s: float) -> None:
        self.journal.append({**entry, "timed_s": timed_s, "wall_s": wall_s})
        self._spend(timed_s, wall_s)

    def _spend(self, timed_s: float, wall_s: float) -> None:
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


_SECONDS = TypeAdapter(results.Seconds)


def _seconds(entry: Mapping[str, Any]) -> tuple[float, float]:
    """Seconds timed and spent, as a line of the journal says."""
    return _SECONDS.validate_python(entry["timed_s"]), _SECONDS.validate_python(entry["wall_s"])


def _changed(was: Report, now: Report) -> list[FieldDifference]:
    """What must not change between the sessions of one run, beyond what makes two reports comparable."""
    pairs = [
        (f"{part}.{name}", getattr(getattr(was, part), name), getattr(getattr(now, part), name))
        for part, names in _WITHIN_A_RUN.items()
        for name in names
    ]
    return [FieldDifference(*pair) for pair in pairs if pair[1] != pair[2]]


_WITHIN_A_RUN = {
    "workload": ("rounds", "min_repeats", "time_budget_s", "max_shape_tokens"),
    "hardware": ("cpu_threads",),
}
