"""One request under torch's profiler: named ranges, time by operator, a trace that Perfetto opens.

    python -m helpers.profiler --label laptop

The model is tiny and has random weights: what is looked at is where time goes, not how fast a model is. The
trace is a Chrome trace with this course's own entry, from which everything here is read back.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import inspect
import json
import os
import platform
import statistics
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from helpers import results, timing, writing
from helpers.gemm import chosen_device
from helpers.results import ResultError
from helpers.results.files import parse
from helpers.tables import Table, table
from helpers.text import LANGUAGES, say, speak

SCHEMA_VERSION = "inference-benchmark-trace/v1"
ENTRY = "iterationBudget"
STEM = "inf-benchmark-capacity-trace"
MODEL = "random/qwen3-tiny-4-layers"

RangeName = Literal["request", "prefill", "decode_step"]
RANGES: tuple[RangeName, ...] = get_args(RangeName)
_KERNEL_CATEGORIES = ("kernel", "gpu_memcpy", "gpu_memset")


@dataclass(frozen=True)
class Workload:
    """What runs under the profiler: one prefill, then decode steps, for every sequence of the batch."""

    batch: int = 2
    context_tokens: int = 64
    decode_steps: int = 4
    seed: int = 181

    def __post_init__(self) -> None:
        for name, low in (("batch", 1), ("context_tokens", 1), ("decode_steps", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(say("workload.at_least", name=name, low=low, got=repr(value)))


@dataclass(frozen=True)
class Span:
    """A named stretch of time, in milliseconds from the start of the request."""

    name: str
    start_ms: float
    duration_ms: float

    @property
    def end_ms(self) -> float:
        return self.start_ms + self.duration_ms


@dataclass(frozen=True)
class Range(Span):
    """A stable range with its shape: sequences, tokens processed in it, tokens cached before it."""

    batch: int
    tokens: int
    context_tokens: int


@dataclass(frozen=True)
class OperatorTime:
    """Time of one operator without the operators that it calls, added up over its calls.

    self_device_ms is the time of the kernels that it launched; None where there is no device but the CPU.
    """

    operator: str
    calls: int
    prefill_ms: float
    decode_ms: float
    self_device_ms: float | None

    @property
    def self_cpu_ms(self) -> float:
        return self.prefill_ms + self.decode_ms


@dataclass(frozen=True)
class Profile:
    """What a trace says: its ranges, the time by operator, and the spans that a picture shows."""

    path: Path
    label: str
    device: str
    device_name: str
    torch: str
    workload: Workload
    ranges: tuple[Range, ...]
    operators: tuple[OperatorTime, ...]
    operator_spans: tuple[Span, ...]
    kernel_spans: tuple[Span, ...]

    def ranges_named(self, name: RangeName) -> tuple[Range, ...]:
        """The ranges of one name, in order."""
        return tuple(item for item in self.ranges if item.name == name)

    @property
    def table(self) -> Table:
        """The ten operators with the most time of their own."""
        total_ms = sum(item.self_cpu_ms for item in self.operators) or 1.0
        rows = []
        for item in self.operators[:10]:
            row = {
                "operator": item.operator,
                "calls": item.calls,
                "operator_prefill_ms": item.prefill_ms,
                "operator_decode_ms": item.decode_ms,
                "self_cpu_ms": item.self_cpu_ms,
                "share": f"{item.self_cpu_ms / total_ms:.1%}",
            }
            if item.self_device_ms is not None:
                row["self_device_ms"] = item.self_device_ms
            rows.append(row)
        return table(rows)

    @property
    def range_table(self) -> Table:
        """The ranges with their shapes."""
        return table(
            [
                {
                    "range": item.name,
                    "batch": item.batch,
                    "tokens": item.tokens,
                    "context_tokens": item.context_tokens,
                    "start_ms": item.start_ms,
                    "duration_ms": item.duration_ms,
                }
                for item in self.ranges
            ]
        )


# --- running -----------------------------------------------------------------------------------------


def run(
    folder: str | os.PathLike[str] = "results",
    label: str = "default",
    device: str = "auto",
    workload: Workload | None = None,
) -> Profile:
    """Trace one request, or read the trace that this label has already; another label traces anew."""
    path = results.path_for(folder, label, STEM)
    session = _Session(device, workload or Workload())
    if path.exists():
        return _same(load(path), session)
    session.request()
    with session.profiled() as recorder:
        shapes = session.request()
    _write(path, _ours(_exported(recorder), shapes, session, label))
    return load(path)


def _same(profile: Profile, session: _Session) -> Profile:
    """The profile, if it is of this device and workload; another is refused."""
    wanted = {"device": session.device, "workload": session.workload}
    for field, now in wanted.items():
        was = getattr(profile, field)
        if was != now:
            raise ResultError("run.other_setting", field=field, path=profile.path, was=was, now=now)
    return profile


@dataclass(frozen=True)
class TracingCost:
    """Times of the same request without and with the profiler, taken in turns."""

    untraced_samples_ms: tuple[float, ...]
    traced_samples_ms: tuple[float, ...]

    @property
    def untraced_ms(self) -> float:
        return statistics.median(self.untraced_samples_ms)

    @property
    def traced_ms(self) -> float:
        return statistics.median(self.traced_samples_ms)

    @property
    def ratio(self) -> float:
        """Traced ÷ untraced, medians."""
        return self.traced_ms / self.untraced_ms

    @property
    def table(self) -> Table:
        """Both medians and their ratio."""
        return table(
            [
                {
                    "samples": len(self.traced_samples_ms),
                    "untraced_ms": self.untraced_ms,
                    "traced_ms": self.traced_ms,
                    "ratio": self.ratio,
                }
            ]
        )


def cost(device: str = "auto", workload: Workload | None = None, rounds: int = 10) -> TracingCost:
    """What profiling costs: the request with and without it, in turns, after a warm-up of both."""
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise ValueError(say("workload.at_least", name="rounds", low=1, got=repr(rounds)))
    session = _Session(device, workload or Workload())
    untraced, traced = [], []
    for _ in range(rounds + 1):
        untraced.append(session.request_ms())
        with session.profiled():
            traced.append(session.request_ms())
    return TracingCost(tuple(untraced[1:]), tuple(traced[1:]))


class _Session:
    """A tiny model on a device, and the request that is looked at."""

    def __init__(self, device: str, workload: Workload) -> None:
        os.environ.setdefault("KINETO_LOG_LEVEL", "99")
        import torch
        from transformers import Qwen3Config, Qwen3ForCausalLM

        self.torch = torch
        self.workload = workload
        self.device = chosen_device(device, torch, ("cuda", "cpu"))
        self.clock = timing.clock_for(self.device, torch)
        torch.manual_seed(workload.seed)
        config = Qwen3Config(
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=16,
            hidden_size=64,
            intermediate_size=128,
            vocab_size=2048,
        )
        self.model = Qwen3ForCausalLM(config).eval().to(self.device)
        self.parameters = inspect.signature(self.model.forward).parameters
        source = torch.Generator().manual_seed(workload.seed)
        shape = (workload.batch, workload.context_tokens)
        self.prompt = torch.randint(0, config.vocab_size, shape, generator=source).to(self.device)

    @property
    def device_name(self) -> str:
        if self.device == "cuda":
            return self.torch.cuda.get_device_name(0)
        return platform.processor() or platform.machine() or self.device

    def request(self) -> list[dict[str, int]]:
        """One request; the shapes of its ranges, in the order in which they begin."""
        work, shapes = self.workload, []
        with self.torch.inference_mode(), self._range("request", shapes, work.context_tokens, 0):
            with self._range("prefill", shapes, work.context_tokens, 0):
                token, cache = self._forward(self.prompt, None)
            for step in range(work.decode_steps):
                with self._range("decode_step", shapes, 1, work.context_tokens + step):
                    token, cache = self._forward(token, cache)
            self.clock.synchronize()
        return shapes

    def request_ms(self) -> float:
        """Milliseconds of one request, start to last token."""
        self.clock.synchronize()
        start = time.perf_counter()
        self.request()
        return (time.perf_counter() - start) * 1e3

    def _forward(self, ids: Any, cache: Any) -> tuple[Any, Any]:
        keyword = "cache" if "cache" in self.parameters else "past_key_values"
        known = {} if cache is None else {keyword: cache}
        output = self.model(input_ids=ids, use_cache=True, logits_to_keep=1, **known)
        return output.logits[:, -1:].argmax(-1), getattr(output, keyword)

    @contextlib.contextmanager
    def _range(
        self, name: RangeName, shapes: list[dict[str, int]], tokens: int, context_tokens: int
    ) -> Iterator[None]:
        """A range of the profiler, and of NVTX on CUDA; the name stays the same, the shape goes beside it."""
        shape = {"batch": self.workload.batch, "tokens": tokens, "context_tokens": context_tokens}
        shapes.append(shape)
        nvtx = self.torch.cuda.nvtx if self.device == "cuda" else None
        if nvtx:
            nvtx.range_push(f"{name} " + " ".join(f"{key}={value}" for key, value in shape.items()))
        try:
            with self.torch.profiler.record_function(name):
                yield
        finally:
            if nvtx:
                nvtx.range_pop()

    def profiled(self) -> Any:
        """The profiler, for the CPU and what else there is."""
        kinds = self.torch.profiler.ProfilerActivity
        activities = [kinds.CPU, *([kinds.CUDA] if self.device == "cuda" else [])]
        return self.torch.profiler.profile(activities=activities, record_shapes=True)


# --- the trace as a file -----------------------------------------------------------------------------


def _exported(recorder: Any) -> dict[str, Any]:
    """What the profiler exports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        recorder.export_chrome_trace(str(path))
        return json.loads(path.read_text(encoding="utf-8"))


def _ours(
    exported: Mapping[str, Any], shapes: Sequence[Mapping[str, int]], session: _Session, label: str
) -> dict[str, Any]:
    """The trace with the ranges' shapes in their events and this course's entry; nothing about the host."""
    events = list(exported["traceEvents"])
    begun = sorted((e for e in events if _is_range(e)), key=lambda e: (e["ts"], -e["dur"]))
    for event, shape in zip(begun, shapes, strict=True):
        event["args"] = {**event.get("args", {}), **shape}
    entry = {
        "schema_version": SCHEMA_VERSION,
        "label": label,
        "device": session.device,
        "device_name": session.device_name,
        "torch": session.torch.__version__,
        "model": MODEL,
        "workload": asdict(session.workload),
    }
    return {"displayTimeUnit": "ms", ENTRY: entry, "traceEvents": events}


def _is_range(event: Mapping[str, Any]) -> bool:
    return event.get("cat") == "user_annotation" and event.get("name") in RANGES


def _write(path: Path, trace: Mapping[str, Any]) -> None:
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
        workload=Workload(**entry["workload"]),
        ranges=ranges,
        operators=_operator_times(operators, kernels if has_device else None, ranges, zero),
        operator_spans=tuple(_span(event, zero) for event in _outermost(operators)),
        kernel_spans=tuple(_span(event, zero) for event in kernels),
    )


def _span(event: Mapping[str, Any], zero: float) -> Span:
    return Span(event["name"], (event["ts"] - zero) / 1e3, event["dur"] / 1e3)


def _range(event: Mapping[str, Any], zero: float) -> Range:
    shape = {name: event["args"][name] for name in ("batch", "tokens", "context_tokens")}
    return Range(event["name"], (event["ts"] - zero) / 1e3, event["dur"] / 1e3, **shape)


def _nested(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """Each event with the event that it lies in, thread by thread; None for the outermost."""
    open_by_thread: dict[Any, list[Mapping[str, Any]]] = {}
    for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        stack = open_by_thread.setdefault(event["tid"], [])
        while stack and event["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]:
            stack.pop()
        yield event, stack[-1] if stack else None
        stack.append(event)


def _outermost(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [event for event, outer in _nested(events) if outer is None]


def _operator_times(
    operators: Sequence[Mapping[str, Any]],
    kernels: Sequence[Mapping[str, Any]] | None,
    ranges: Sequence[Range],
    zero: float,
) -> tuple[OperatorTime, ...]:
    """Time by operator, the one with most of it first; operators outside the request do not count.

    An operator that does nothing but hand over to another of its name is one call with it, as torch counts.
    """
    own_us = {id(event): event["dur"] for event in operators}
    inside: dict[int, list[Mapping[str, Any]]] = {}
    for event, outer in _nested(operators):
        if outer is not None:
            own_us[id(outer)] -= event["dur"]
            inside.setdefault(id(outer), []).append(event)
    again = _handed_over(operators, inside)
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


# --- the command -------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Trace one request and print where its time goes; with --cost, what tracing costs."""
    parser = argparse.ArgumentParser(prog="python -m helpers.profiler", description=say("profiler.about"))
    parser.add_argument("--label", default="default", help=say("profiler.help.label"))
    parser.add_argument("--results", default="results", help=say("gemm.help.results"))
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "cpu"))
    parser.add_argument("--cost", action="store_true", help=say("profiler.help.cost"))
    parser.add_argument("--language", choices=LANGUAGES)
    options = parser.parse_args(arguments)
    if options.language:
        speak(options.language)
    try:
        profile = run(options.results, options.label, options.device)
        print(profile.range_table, profile.table, profile.path, sep="\n\n")
        if options.cost:
            print(cost(options.device).table)
    except ValueError as problem:
        print(problem)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
