"""The trace as a file: a Chrome trace with this course's own entry, written whole and read back."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from helpers import writing
from helpers.profiler.operators import operator_times, outermost
from helpers.profiler.profile import RANGES, Profile, Range, Span, TracedWorkload
from helpers.profiler.traced_model import MODEL, TracedModel
from helpers.results import ResultError
from helpers.results.files import parse

SCHEMA_VERSION = "inference-benchmark-trace/v1"
ENTRY = "iterationBudget"

_KERNEL_CATEGORIES = ("kernel", "gpu_memcpy", "gpu_memset")


def exported(recorder: Any) -> dict[str, Any]:
    """What the profiler exports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        recorder.export_chrome_trace(str(path))
        return json.loads(path.read_text(encoding="utf-8"))


def annotated(
    exported: Mapping[str, Any], shapes: Sequence[Mapping[str, int]], model: TracedModel, label: str
) -> dict[str, Any]:
    """The trace with the ranges' shapes in their events and this course's entry; nothing about the host."""
    events = list(exported["traceEvents"])
    begun = sorted((e for e in events if _is_range(e)), key=lambda e: (e["ts"], -e["dur"]))
    for event, shape in zip(begun, shapes, strict=True):
        event["args"] = {**event.get("args", {}), **shape}
    entry = {
        "schema_version": SCHEMA_VERSION,
        "label": label,
        "device": model.device,
        "device_name": model.device_name,
        "torch": model.torch.__version__,
        "model": MODEL,
        "workload": asdict(model.workload),
    }
    return {"displayTimeUnit": "ms", ENTRY: entry, "traceEvents": events}


def _is_range(event: Mapping[str, Any]) -> bool:
    return event.get("cat") == "user_annotation" and event.get("name") in RANGES


def write(path: Path, trace: Mapping[str, Any]) -> None:
    """Write a trace with one event a line, whole or not at all."""
    events = ",\n".join(json.dumps(event, ensure_ascii=False) for event in trace["traceEvents"])
    head = ",\n".join(f'"{key}": {json.dumps(trace[key])}' for key in trace if key != "traceEvents")
    writing.replace(path, f'{{{head},\n"traceEvents": [\n{events}\n]}}\n'.encode())


def load(path: str | os.PathLike[str]) -> Profile:
    """The profile in a trace of this course; a damaged file is refused by line, a foreign one by name."""
    path = Path(path)
    try:
        text = _unpacked(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise ResultError("result.not_found", path=path) from None
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error):
        raise ResultError("result.not_utf8", path=path.name) from None
    trace = parse(text, path.name)
    entry, events = trace.get(ENTRY), trace.get("traceEvents")
    version = entry.get("schema_version") if isinstance(entry, Mapping) else None
    if version != SCHEMA_VERSION or not isinstance(events, list):
        raise ResultError("profiler.foreign", path=path.name, want=SCHEMA_VERSION, got=repr(version))
    try:
        return _profile(path, entry, [event for event in events if event.get("ph") == "X"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultError("result.bad_json", path=path.name, reason=repr(error)) from None


def _unpacked(path: Path) -> bytes:
    """The bytes of a trace; one that ends in .gz is unpacked, as trace viewers do."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def _profile(path: Path, entry: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> Profile:
    found = sorted(filter(_is_range, events), key=lambda e: (e["ts"], -e["dur"]))
    if not found:
        raise ResultError("profiler.no_ranges", path=path.name, names=", ".join(RANGES))
    zero = found[0]["ts"]
    ranges = tuple(_range(event, zero) for event in found)
    operators = [event for event in events if event.get("cat") == "cpu_op"]
    kernels = [event for event in events if event.get("cat") in _KERNEL_CATEGORIES]
    has_device = entry["device"] == "cuda"
    return Profile(
        path=path,
        label=entry["label"],
        device=entry["device"],
        device_name=entry["device_name"],
        torch=entry["torch"],
        workload=TracedWorkload(**entry["workload"]),
        ranges=ranges,
        operators=operator_times(operators, kernels if has_device else None, ranges, zero),
        operator_spans=tuple(_span(event, zero) for event in outermost(operators)),
        kernel_spans=tuple(_span(event, zero) for event in kernels),
    )


def _span(event: Mapping[str, Any], zero: float) -> Span:
    return Span(event["name"], (event["ts"] - zero) / 1e3, event["dur"] / 1e3)


def _range(event: Mapping[str, Any], zero: float) -> Range:
    shape = {name: event["args"][name] for name in ("batch", "tokens", "context_tokens")}
    return Range(event["name"], (event["ts"] - zero) / 1e3, event["dur"] / 1e3, **shape)
