"""Inputs: what an exercise's functions may be called with, as data of the lesson; drawn, and made simpler.

`inputs.toml` in the lesson's secret half says for each function what its parameters are drawn from:

    [copy_time.good]
    size_bytes = [0, 1000, 4_000_000]                  one of these, the simplest first
    overhead_ms = {optional = [0.0, 0.5]}              or left out
    sizes = {list = [1, 2, 3], least = 1, most = 4}    some of these, in any order
    records = {list = {record = {files = [1, 2], copy_ms = [1.0, 2.0]}}, most = 3, distinct = "files"}
    [copy_time.bad]
    size_bytes = [-1]                                  refused: at most one of these in a call

Values are such that right formulas agree on them however they round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from course.lesson.toml import load_toml

FILE = "inputs.toml"
SHARE_OF_BAD = 0.2
Arguments = dict[str, Any]


@dataclass(frozen=True)
class FunctionInputs:
    """What one function may be called with: good values of each parameter, and bad ones of some."""

    good: Mapping[str, Any]
    bad: Mapping[str, list]

    def draw(self, random: Random) -> Arguments:
        """Arguments of one call; in one of five a single one is bad, if the function refuses any."""
        arguments = _draw_record(self.good, random)
        if self.bad and random.random() < SHARE_OF_BAD:
            name = random.choice(sorted(self.bad))
            arguments[name] = random.choice(self.bad[name])
        return arguments

    def simpler(self, arguments: Arguments) -> Iterator[Arguments]:
        """The arguments with one of them simpler."""
        yield from _simpler_record(self.good, arguments)


def read_inputs(folder: Path) -> dict[str, FunctionInputs]:
    """The inputs of each function, from a lesson's secret half; none without the file."""
    path = folder / FILE
    data = load_toml(path) if path.is_file() else {}
    return {name: FunctionInputs(table["good"], table.get("bad", {})) for name, table in data.items()}


def _draw(spec: Any, random: Random) -> Any:
    if isinstance(spec, list):
        return random.choice(spec)
    if "record" in spec:
        return _draw_record(spec["record"], random)
    count = random.randint(spec.get("least", 0), spec["most"])
    return _distinct([_draw(spec["list"], random) for _ in range(count)], spec.get("distinct"))


def _draw_record(fields: Mapping[str, Any], random: Random) -> Arguments:
    drawn = {}
    for name, spec in fields.items():
        is_optional = isinstance(spec, Mapping) and "optional" in spec
        if not is_optional or random.random() < 0.5:
            drawn[name] = _draw(spec["optional"] if is_optional else spec, random)
    return drawn


def _distinct(items: list, field: str | None) -> list:
    """The items, of those that agree in this field only the first."""
    return list({item[field]: item for item in reversed(items)}.values())[::-1] if field else items


def _simpler(spec: Any, value: Any) -> Iterator[Any]:
    if isinstance(spec, list):
        yield from spec[: spec.index(value)] if value in spec else spec
    elif "record" in spec:
        yield from _simpler_record(spec["record"], value)
    else:
        yield from _simpler_list(spec, value)


def _simpler_list(spec: Mapping[str, Any], items: list) -> Iterator[list]:
    if len(items) > spec.get("least", 0):
        yield from (items[:place] + items[place + 1 :] for place in range(len(items)))
    for place, item in enumerate(items):
        for simpler in _simpler(spec["list"], item):
            changed = [*items[:place], simpler, *items[place + 1 :]]
            if len(_distinct(changed, spec.get("distinct"))) == len(items):
                yield changed


def _simpler_record(fields: Mapping[str, Any], record: Arguments) -> Iterator[Arguments]:
    for name in (name for name in fields if name in record):
        spec = fields[name]
        if isinstance(spec, Mapping) and "optional" in spec:
            yield {key: value for key, value in record.items() if key != name}
            spec = spec["optional"]
        yield from ({**record, name: value} for value in _simpler(spec, record[name]))
