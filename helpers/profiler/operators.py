"""Time by operator, added up from a trace's events: each its own, and the kernels that it launched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from helpers.profiler.profile import OperatorTime, Range


def operator_times(
    operators: Sequence[Mapping[str, Any]],
    kernels: Sequence[Mapping[str, Any]] | None,
    ranges: Sequence[Range],
    zero: float,
) -> tuple[OperatorTime, ...]:
    """Time by operator, the one with most of it first; operators outside the request do not count.

    An operator that does nothing but hand over to another of its name is one call with it, as torch counts.
    """
    own_us, again = _own_times(operators)
    prefills = [item for item in ranges if item.name == "prefill"]
    request = next((item for item in ranges if item.name == "request"), ranges[0])
    sums: dict[str, list[float]] = {}
    launched: dict[Any, str] = {}
    for event in operators:
        at_ms = (event["ts"] - zero) / 1e3
        if not request.start_ms <= at_ms < request.end_ms:
            continue
        launched[event["args"].get("External id")] = event["name"]
        row = sums.setdefault(event["name"], [0, 0.0, 0.0])
        in_prefill = any(item.start_ms <= at_ms < item.end_ms for item in prefills)
        row[0] += id(event) not in again
        row[1 if in_prefill else 2] += own_us[id(event)] / 1e3
    device_ms = _device_times(kernels, launched)
    times = [
        OperatorTime(
            operator=name,
            calls=int(calls),
            prefill_ms=prefill_ms,
            decode_ms=decode_ms,
            self_device_ms=None if device_ms is None else device_ms.get(name, 0.0),
        )
        for name, (calls, prefill_ms, decode_ms) in sums.items()
    ]
    return tuple(sorted(times, key=lambda item: -item.self_cpu_ms))


def _own_times(operators: Sequence[Mapping[str, Any]]) -> tuple[dict[int, float], set[int]]:
    """Microseconds of each operator without those that it calls, and which only take over from another."""
    own_us = {id(event): event["dur"] for event in operators}
    inside: dict[int, list[Mapping[str, Any]]] = {}
    for event, outer in _nested(operators):
        if outer is not None:
            own_us[id(outer)] -= event["dur"]
            inside.setdefault(id(outer), []).append(event)
    return own_us, _handed_over(operators, inside)


def _nested(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """Each event with the event that it lies in, thread by thread; None for the outermost."""
    open_by_thread: dict[Any, list[Mapping[str, Any]]] = {}
    for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        stack = open_by_thread.setdefault(event["tid"], [])
        while stack and event["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]:
            stack.pop()
        yield event, stack[-1] if stack else None
        stack.append(event)


def outermost(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [event for event, outer in _nested(events) if outer is None]


def _handed_over(
    operators: Sequence[Mapping[str, Any]], inside: Mapping[int, Sequence[Mapping[str, Any]]]
) -> set[int]:
    """Operators that are all that another of the same name calls."""
    pairs = ((event, inside.get(id(event), ())) for event in operators)
    return {id(part[0]) for event, part in pairs if len(part) == 1 and part[0]["name"] == event["name"]}


def _device_times(
    kernels: Sequence[Mapping[str, Any]] | None, launched: Mapping[Any, str]
) -> dict[str, float] | None:
    """Milliseconds of kernels by the operator that launched them; None without a device."""
    if kernels is None:
        return None
    sums: dict[str, float] = {}
    for kernel in kernels:
        name = launched.get(kernel.get("args", {}).get("External id"))
        if name is not None:
            sums[name] = sums.get(name, 0.0) + kernel["dur"] / 1e3
    return sums
