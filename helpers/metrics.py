"""A page of metrics in the Prometheus text format or OpenMetrics, as vLLM publishes it: histograms, gauges,
counters.

The names and bucket bounds of vLLM stand in its source, vllm/v1/metrics/loggers.py. Of a histogram this
module gives what the page holds: cumulative counts up to upper bounds, a sum and a count.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

from helpers.text import say

Labels = Mapping[str, str]

STARTED = "process_start_time_seconds"
SERVERS = ("model_name", "engine")  # labels that tell one server's figures from another's


class MetricsError(ValueError):
    """A page that is refused; `line` says where."""

    def __init__(self, key: str, line: int | None = None, **values: object) -> None:
        self.key = key
        self.line = line
        super().__init__(say(key, **({} if line is None else {"line": line}), **values))


@dataclass(frozen=True)
class Histogram:
    """How many observations were at most as large as each upper bound, their sum and their number.

    `buckets` are pairs (upper bound, cumulative count); the last bound is infinite.
    """

    name: str
    labels: Labels
    buckets: tuple[tuple[float, int], ...]
    sum: float
    count: int

    @property
    def mean(self) -> float | None:
        """sum ÷ count; None without observations."""
        return self.sum / self.count if self.count else None

    def since(self, earlier: Histogram) -> Histogram:
        """What was observed between an earlier page and this one."""
        bounds = [bound for bound, _ in self.buckets]
        if self.name != earlier.name or bounds != [bound for bound, _ in earlier.buckets]:
            raise MetricsError("metrics.other_buckets", name=self.name, other=earlier.name)
        counts = [now - then for (_, now), (_, then) in zip(self.buckets, earlier.buckets, strict=True)]
        if any(count < 0 for count in counts):
            raise MetricsError("metrics.restarted", name=self.name)
        pairs = tuple(zip(bounds, counts, strict=True))
        return Histogram(self.name, self.labels, pairs, self.sum - earlier.sum, self.count - earlier.count)

    def plus(self, other: Histogram) -> Histogram:
        """What two servers observed together; labels that differ are left out."""
        bounds = [bound for bound, _ in self.buckets]
        if bounds != [bound for bound, _ in other.buckets]:
            raise MetricsError("metrics.other_buckets", name=self.name, other=other.name)
        counts = [one + two for (_, one), (_, two) in zip(self.buckets, other.buckets, strict=True)]
        common = MappingProxyType(dict(self.labels.items() & other.labels.items()))
        pairs = tuple(zip(bounds, counts, strict=True))
        return Histogram(self.name, common, pairs, self.sum + other.sum, self.count + other.count)


@dataclass(frozen=True)
class Value:
    """One gauge or counter with its labels."""

    name: str
    labels: Labels
    value: float


@dataclass(frozen=True)
class MetricsPage:
    """Everything on one page, in its order."""

    histograms: tuple[Histogram, ...]
    gauges: tuple[Value, ...]
    counters: tuple[Value, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name once, in the order of the page's kinds."""
        every = (*self.histograms, *self.gauges, *self.counters)
        return tuple(dict.fromkeys(item.name for item in every))

    def histogram(self, name: str, /, *, added: bool = False, **labels: str) -> Histogram:
        """The one histogram of that name with these labels; with `added`, all of them together."""
        found = _matching(self.histograms, name, labels)
        return reduce(Histogram.plus, found) if added else _only(name, found)

    def gauge(self, name: str, **labels: str) -> float:
        """The value of the one gauge of that name with these labels."""
        return _only(name, _matching(self.gauges, name, labels)).value

    def counter(self, name: str, /, *, added: bool = False, **labels: str) -> float:
        """The counters of that name with these labels, added up: those of one server, unless `added`."""
        found = _matching(self.counters, name, labels)
        servers = {tuple(item.labels.get(label) for label in SERVERS): item for item in found}
        if len(servers) > 1 and not added:
            _only(name, list(servers.values()))
        return math.fsum(item.value for item in found)

    def since(self, earlier: MetricsPage) -> MetricsPage:
        """What was counted between an earlier page and this one; gauges are those of this page.

        Refused where the server was started anew in between: its counts began at 0 again, however high they
        are now.
        """
        if _started(self) != _started(earlier):
            raise MetricsError("metrics.started_anew", name=STARTED)
        before = {(item.name, frozenset(item.labels.items())): item for item in earlier._counted()}
        found = [
            _less(item, before.get((item.name, frozenset(item.labels.items())))) for item in self._counted()
        ]
        cut = len(self.histograms)
        return MetricsPage(tuple(found[:cut]), self.gauges, tuple(found[cut:]))

    def _counted(self) -> tuple[Histogram | Value, ...]:
        return (*self.histograms, *self.counters)


END = "# EOF"  # the last line of an OpenMetrics page, and of no other


def read(path: str | os.PathLike[str]) -> MetricsPage:
    """The page in a file; a damaged one is refused with the line."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MetricsError("metrics.unreadable", path=path, reason=error.strerror or str(error)) from None
    try:
        return parse(content.decode("utf-8"), path.name)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MetricsError("metrics.not_utf8", line, where=path.name) from None


def parse(content: str, where: str = "page") -> MetricsPage:
    """The page in a text; a damaged one is refused with the line."""
    lines = content.split("\n")
    families = list(_families(lines, where))
    if not families:
        raise MetricsError("metrics.empty", where=where)
    places = _Places(lines)
    page = MetricsPage(
        histograms=tuple(h for f in families if f.type == "histogram" for h in _histograms(f, places, where)),
        gauges=tuple(v for f in families if f.type == "gauge" for v in _values(f, places, where)),
        counters=tuple(v for f in families if f.type == "counter" for v in _values(f, places, where)),
    )
    if lines[-1] not in (
        "",
        END,
    ):  # cut inside its last line, which may be cut inside a number and read as another one
        raise MetricsError("metrics.cut_off", len(lines), where=where)
    return page


# --- reading -----------------------------------------------------------------------------------------


class _Counted:
    """Lines one by one; knows the number of the line handed out last."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = lines
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self.lines, start=1):
            self.number = number
            yield line


def _families(lines: list[str], where: str) -> Iterator[Any]:
    """The parser's families; what it cannot read is refused with the line it was reading."""
    from prometheus_client import parser
    from prometheus_client.openmetrics import parser as open_parser

    is_open = next((line for line in reversed(lines) if line), "") == END
    read = (open_parser if is_open else parser).text_fd_to_metric_families
    counted = _Counted(lines[: len(lines) - (is_open and not lines[-1])])  # nothing stands behind its end
    try:
        for family in read(counted):  # type: ignore[arg-type]
            stray = family.type in ("unknown", "untyped") and any("le" in s.labels for s in family.samples)
            if stray:
                raise MetricsError("metrics.stray", counted.number, where=where, name=family.name)
            yield family
    except MetricsError:
        raise
    except (ValueError, KeyError, IndexError):
        line = lines[counted.number - 1].strip()[:80] if lines else ""
        raise MetricsError("metrics.damaged", counted.number, where=where, got=repr(line)) from None


class _Places:
    """On which line each sample of a name stands."""

    def __init__(self, lines: list[str]) -> None:
        self._lines: dict[str, list[int]] = {}
        for number, line in enumerate(lines, start=1):
            name = re.match(r"\s*([a-zA-Z_:][\w:]*)", line)
            if name:
                self._lines.setdefault(name[1], []).append(number)

    def of(self, samples: Iterable[Any]) -> Iterator[tuple[Any, int]]:
        """Each sample with its line; a name's samples keep the order of the page."""
        waiting = {name: iter(numbers) for name, numbers in self._lines.items()}
        for sample in samples:
            yield sample, next(waiting.get(sample.name, iter(())), 0)


def _histograms(family: Any, places: _Places, where: str) -> Iterator[Histogram]:
    """One histogram for each set of labels, checked: bounds rise, counts do not fall, the end is there."""
    by_labels: dict[tuple[tuple[str, str], ...], list[tuple[Any, int]]] = {}
    for sample, line in places.of(family.samples):
        labels = {key: value for key, value in sample.labels.items() if key != "le"}
        by_labels.setdefault(tuple(sorted(labels.items())), []).append((sample, line))
    for labels, samples in by_labels.items():
        yield _histogram(family.name, labels, samples, where)


def _histogram(
    name: str, labels: tuple[tuple[str, str], ...], samples: list[tuple[Any, int]], where: str
) -> Histogram:
    buckets: list[tuple[float, int]] = []
    ends: dict[str, float] = {}
    line = 0
    for sample, line in samples:
        if not sample.name.endswith("_bucket"):
            ends[sample.name.removeprefix(name)] = _finite(sample, line, where)
            continue
        bound, count = _bound(sample, line, where), _finite(sample, line, where)
        last_bound, last_count = buckets[-1] if buckets else (-math.inf, 0)
        if bound <= last_bound or count < last_count or count != int(count):
            raise MetricsError("metrics.not_cumulative", line, where=where, name=name)
        buckets.append((bound, int(count)))
    whole = buckets and buckets[-1][0] == math.inf and {"_sum", "_count"} <= set(ends)
    if not whole:
        raise MetricsError("metrics.cut", line, where=where, name=name)
    if ends["_count"] != buckets[-1][1]:
        raise MetricsError(
            "metrics.count", line, where=where, name=name, count=f"{ends['_count']:g}", last=buckets[-1][1]
        )
    return Histogram(name, MappingProxyType(dict(labels)), tuple(buckets), ends["_sum"], int(ends["_count"]))


def _bound(sample: Any, line: int, where: str) -> float:
    try:
        bound = float(sample.labels["le"])
    except (KeyError, ValueError):
        bound = math.nan
    if math.isnan(bound):
        raise MetricsError("metrics.bound", line, where=where, name=sample.name)
    return bound


def _finite(sample: Any, line: int, where: str) -> float:
    if not math.isfinite(sample.value):
        raise MetricsError("metrics.not_finite", line, where=where, name=sample.name, got=sample.value)
    return float(sample.value)


def _values(family: Any, places: _Places, where: str) -> Iterator[Value]:
    for sample, line in places.of(family.samples):
        if family.type == "counter" and sample.name.endswith("_created"):
            continue  # the moment of its first count, in OpenMetrics
        # a gauge may say NaN or +Inf (nothing to report yet); a counter that does is damaged
        value = float(sample.value) if family.type == "gauge" else _finite(sample, line, where)
        yield Value(sample.name, MappingProxyType(dict(sample.labels)), value)


# --- subtracting -------------------------------------------------------------------------------------


def _started(page: MetricsPage) -> frozenset[tuple[frozenset, float]]:
    """When each process of the server was started, where the page says so."""
    return frozenset((frozenset(g.labels.items()), g.value) for g in page.gauges if g.name == STARTED)


def _less(now: Histogram | Value, then: Histogram | Value | None) -> Histogram | Value:
    """The same less what was counted before; what was not on the earlier page began at 0 after it."""
    if then is None:
        return now
    if isinstance(now, Histogram):
        return now.since(then)
    if now.value < then.value:
        raise MetricsError("metrics.restarted", name=now.name)
    return Value(now.name, now.labels, now.value - then.value)


# --- choosing ----------------------------------------------------------------------------------------


def _matching(items: Iterable[Any], name: str, labels: Mapping[str, str]) -> list[Any]:
    """The items of a name whose labels hold the given ones; none is an error that names what there is."""
    items = list(items)
    named = [item for item in items if item.name == name]
    if not named:
        known = ", ".join(dict.fromkeys(item.name for item in items))
        raise MetricsError("metrics.unknown", name=repr(name), known=known)
    found = [item for item in named if all(item.labels.get(k) == v for k, v in labels.items())]
    if not found:
        known = "; ".join(str(dict(item.labels)) for item in named)
        raise MetricsError("metrics.no_labels", name=name, got=dict(labels), known=known)
    return found


def _only(name: str, found: list[Any]) -> Any:
    if len(found) > 1:
        known = "; ".join(str(dict(item.labels)) for item in found)
        raise MetricsError("metrics.several", name=name, known=known)
    return found[0]
