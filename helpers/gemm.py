"""One matrix product at three boundaries of time, small to large: checked, then timed, saved, resumable.

    python -m helpers.gemm --label laptop

Submission, synchronised wall clock and device events come from `helpers.timing`; a temporary of 16 MiB shows
what the allocator keeps. On a CPU a call returns when it is done, so there is one boundary and no allocator:
what does not apply is None, never 0. The device "queue" is the same CPU behind a queue that one thread works
off: calls return at once, as on a GPU, and all three boundaries exist. Its times are a CPU's.
"""

from __future__ import annotations

import argparse
import math
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helpers import results, timing
from helpers.results import Journal, ResultError
from helpers.results.files import explain
from helpers.tables import Table, table
from helpers.text import LANGUAGES, say, speak

SCHEMA_VERSION = "inference-benchmark-gemm/v1"
STEM = "inf-benchmark-capacity"
SEED_SOURCE = "examples/benchmark_capacity.py, printed 2026-08-13 on an RTX 3080"
TEMPORARY_SIDE = 2048
SHAPE_BUDGET_S = 5.0

DeviceName = Literal["cuda", "mps", "cpu", "queue"]
DEVICES: tuple[DeviceName, ...] = get_args(DeviceName)

Count = Annotated[int, Field(strict=True, ge=1)]
Bytes = Annotated[int, Field(strict=True, ge=0)]
Micros = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class Gemm:
    """The product [m, k] @ [k, n]."""

    m: int
    k: int
    n: int

    def __post_init__(self) -> None:
        for name in ("m", "k", "n"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(say("gemm.side", name=name, got=repr(value)))

    @property
    def flops(self) -> int:
        """2 · m · k · n: a multiplication and an addition each."""
        return 2 * self.m * self.k * self.n

    def __str__(self) -> str:
        return f"[{self.m},{self.k}] @ [{self.k},{self.n}]"


SHAPE_GPU = Gemm(256, 1024, 1024)
SHAPE_CPU = Gemm(64, 256, 256)


def shapes_for(device: DeviceName) -> tuple[Gemm, ...]:
    """The seed's shape among squares that grow, as large as the device does in a moment."""
    if device in ("cpu", "queue"):
        return (SHAPE_CPU, *(Gemm(side, side, side) for side in (128, 256, 512, 1024)))
    squares = tuple(Gemm(side, side, side) for side in (1024, 2048, 4096, 8192))
    return (Gemm(64, 256, 256), Gemm(256, 256, 256), SHAPE_GPU, *squares)


# --- what is saved -----------------------------------------------------------------------------------


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Setting(_Part):
    """What a run measures and on what; a run is continued only where all of it is the same."""

    schema_version: Literal["inference-benchmark-gemm/v1"] = SCHEMA_VERSION
    label: str
    device: DeviceName
    device_name: str
    dtype: str
    torch: str
    python: str
    cpu_threads: Count | None = None
    device_memory_bytes: Bytes | None = None
    shapes: tuple[tuple[Count, Count, Count], ...]
    rounds: Count
    warmup: Annotated[int, Field(strict=True, ge=0)]
    seed: Annotated[int, Field(strict=True, ge=0)]


class GemmRecord(_Part):
    """One shape: raw samples in microseconds, and how far the result is from the reference."""

    m: Count
    k: Count
    n: Count
    max_abs_difference: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    cold_us: Micros
    submit_samples_us: tuple[Micros, ...] | None
    synchronized_samples_us: tuple[Micros, ...]
    event_samples_us: tuple[Micros, ...] | None

    @property
    def shape(self) -> Gemm:
        return Gemm(self.m, self.k, self.n)

    @property
    def submit_us(self) -> float | None:
        """Median time until the call returns; None where a call returns only when it is done."""
        return statistics.median(self.submit_samples_us) if self.submit_samples_us else None

    @property
    def synchronized_us(self) -> float:
        """Median time from the call to the end of waiting for the device."""
        return statistics.median(self.synchronized_samples_us)

    @property
    def event_us(self) -> float | None:
        """Median time between two events of the device; None on a device without."""
        return statistics.median(self.event_samples_us) if self.event_samples_us else None

    @property
    def tflops(self) -> float:
        """FLOP a second in 10^12, on the device's own clock where it has one."""
        return self.shape.flops / (self.event_us or self.synchronized_us) / 1e6


class AllocatorWindow(_Part):
    """Bytes before, with, and after a temporary tensor; all None where there is no such allocator."""

    temporary_bytes: Bytes | None = None
    baseline_allocated_bytes: Bytes | None = None
    baseline_reserved_bytes: Bytes | None = None
    peak_allocated_bytes: Bytes | None = None
    peak_reserved_bytes: Bytes | None = None
    after_allocated_bytes: Bytes | None = None
    after_reserved_bytes: Bytes | None = None

    @property
    def applicable(self) -> bool:
        return self.temporary_bytes is not None

    @property
    def table(self) -> Table:
        """Allocated and reserved MiB at the three moments; a dash where they do not apply."""
        return table(
            [
                {
                    "moment": say(f"gemm.moment.{moment}"),
                    "allocated_mib": _mib(getattr(self, f"{moment}_allocated_bytes")),
                    "reserved_mib": _mib(getattr(self, f"{moment}_reserved_bytes")),
                }
                for moment in ("baseline", "peak", "after")
            ]
        )


def _mib(count: int | None) -> float | None:
    return None if count is None else count / 2**20


@dataclass(frozen=True)
class GemmReport:
    """A run, whole or under way: setting, the shapes done so far, the allocator's figures if there."""

    setting: Setting
    records: tuple[GemmRecord, ...]
    memory: AllocatorWindow | None

    @property
    def complete(self) -> bool:
        """Whether every shape and the allocator's window are there."""
        wanted = {Gemm(*sides) for sides in self.setting.shapes}
        return self.memory is not None and wanted <= {record.shape for record in self.records}

    @property
    def device(self) -> DeviceName:
        return self.setting.device

    @property
    def device_name(self) -> str:
        return self.setting.device_name

    @property
    def device_memory_gib(self) -> float | None:
        """What the device itself reports as its memory, in GiB; None where it is a CPU."""
        return None if self.setting.device_memory_bytes is None else self.setting.device_memory_bytes / 2**30

    def record(self, shape: Gemm) -> GemmRecord:
        """The record of a shape; one that was not measured raises ValueError."""
        for record in self.records:
            if record.shape == shape:
                return record
        known = "; ".join(str(record.shape) for record in self.records)
        raise ValueError(say("gemm.no_shape", shape=shape, known=known))

    @property
    def table(self) -> Table:
        """The medians of the three boundaries, one shape a row."""
        return table(
            [
                {
                    "gemm": str(record.shape),
                    "submit_us": record.submit_us,
                    "synchronized_us": record.synchronized_us,
                    "event_us": record.event_us,
                    "gemm_tflops": record.tflops,
                }
                for record in self.records
            ]
        )


# --- running -----------------------------------------------------------------------------------------


def run(
    folder: str | Path = "results",
    label: str = "default",
    device: DeviceName | Literal["auto"] = "auto",
    shapes: Sequence[Gemm] | None = None,
    rounds: int = 30,
    warmup: int = 10,
    seed: int = 181,
) -> GemmReport:
    """Measure every shape that the saved run of this label lacks, and return the whole.

    A complete run is returned as it is; another label measures anew.
    """
    bench = _Bench(device)
    setting = bench.setting(label, shapes or shapes_for(bench.device), rounds, warmup, seed)
    journal = Journal(results.journal_for(folder, label, f"{STEM}-gemm"))
    with journal.alone():
        report = _continued(journal, setting)
        done = {record.shape for record in report.records}
        for shape in (Gemm(*sides) for sides in setting.shapes):
            if shape not in done:
                journal.append({"gemm": bench.measure(shape, setting).model_dump(mode="json")})
        if report.memory is None:
            journal.append({"allocator": bench.memory_window().model_dump(mode="json")})
    return load(journal.path)


def load(path: str | Path) -> GemmReport:
    """The run in a file of JSON lines; a damaged line is refused by its number."""
    path = Path(path)
    lines = Journal(path).read()
    if not lines:
        raise ResultError("result.not_found", path=path)
    setting = _part(Setting, lines[0], f"{path.name}:1")
    records: list[GemmRecord] = []
    memory = None
    for number, line in enumerate(lines[1:], start=2):
        where = f"{path.name}:{number}"
        if "gemm" in line:
            records.append(_part(GemmRecord, line["gemm"], where))
        else:
            memory = _part(AllocatorWindow, line.get("allocator"), where)
    known = {Gemm(*sides) for sides in setting.shapes}
    for record in records:
        if record.shape not in known:
            raise ResultError("gemm.stray", path=path.name, shape=record.shape)
    return GemmReport(setting, tuple(sorted(records, key=lambda record: record.shape.flops)), memory)


_Model = TypeVar("_Model", bound=_Part)


def _part(kind: type[_Model], data: object, where: str) -> _Model:
    """The part in a line's data; anything else is refused by field, rule and line."""
    if not isinstance(data, Mapping):
        raise ResultError("result.foreign", path=where, got=type(data).__name__)
    try:
        return kind(**data)
    except (ValidationError, TypeError) as error:
        if not isinstance(error, ValidationError):
            raise ResultError("result.bad_json", path=where, reason=str(error)) from None
        field, rule, got = explain(error)
        key = "result.field" if got else "result.rule"
        raise ResultError(key, path=where, field=field, rule=rule, got=got) from None


def _continued(journal: Journal, setting: Setting) -> GemmReport:
    """What the journal holds of this very setting; a new journal begins with it."""
    if not journal.path.exists() or not journal.read():
        journal.append(setting.model_dump(mode="json"))
        return GemmReport(setting, (), None)
    report = load(journal.path)
    for name in Setting.model_fields:
        was, now = getattr(report.setting, name), getattr(setting, name)
        if was != now:
            raise ResultError("run.other_setting", field=name, path=journal.path, was=was, now=now)
    return report


class _Bench:
    """A device, its clock and its products."""

    def __init__(self, device: str) -> None:
        import torch

        self.torch = torch
        self.device: Any = chosen_device(device, torch)
        self.on_cpu = self.device in ("cpu", "queue")
        self.queue = _Queue() if self.device == "queue" else None
        self.clock = self.queue.clock if self.queue else timing.clock_for(self.device, torch)
        self.dtype = torch.float32 if self.on_cpu else torch.float16

    def setting(self, label: str, shapes: Iterable[Gemm], rounds: int, warmup: int, seed: int) -> Setting:
        sides = tuple((shape.m, shape.k, shape.n) for shape in shapes)
        data = {
            "label": results.run_label(label),
            "device": self.device,
            "device_name": self._name(),
            "dtype": str(self.dtype).removeprefix("torch."),
            "torch": self.torch.__version__,
            "python": platform.python_version(),
            "cpu_threads": self.torch.get_num_threads() if self.on_cpu else None,
            "device_memory_bytes": self._memory_bytes(),
            "shapes": sides,
            "rounds": rounds,
            "warmup": warmup,
            "seed": seed,
        }
        return _part(Setting, data, "gemm")

    def _name(self) -> str:
        if self.device == "cuda":
            return self.torch.cuda.get_device_name(0)
        name = platform.processor() or platform.machine() or self.device
        return f"{name} behind a queue" if self.queue else name

    def _memory_bytes(self) -> int | None:
        if self.device == "cuda":
            return int(self.torch.cuda.get_device_properties(0).total_memory)
        return int(self.torch.mps.recommended_max_memory()) if self.device == "mps" else None

    def measure(self, shape: Gemm, setting: Setting) -> GemmRecord:
        """Check the product, then time it."""
        torch = self.torch
        with torch.inference_mode():
            source = torch.Generator().manual_seed(setting.seed)
            place = "cpu" if self.on_cpu else self.device
            x = torch.randn(shape.m, shape.k, generator=source).to(place, self.dtype)
            weight = torch.randn(shape.k, shape.n, generator=source).to(place, self.dtype)
            difference: list[float] = []
            timed = timing.measure(
                self._step(x, weight),
                self.clock,
                timing.Repetition(setting.warmup, setting.rounds, budget_s=SHAPE_BUDGET_S, min_repeats=6),
                inspect=lambda output: difference.append(self._difference(shape, x, weight, output)),
            )
        events = timed.boundary == "event"
        return GemmRecord(
            m=shape.m,
            k=shape.k,
            n=shape.n,
            max_abs_difference=difference[0],
            cold_us=timed.cold_ms * 1e3,
            submit_samples_us=_us(timed.submit_samples_ms) if events else None,
            synchronized_samples_us=_us(timed.wall_samples_ms if events else timed.samples_ms),
            event_samples_us=_us(timed.samples_ms) if events else None,
        )

    def _step(self, x: Any, weight: Any) -> Callable[[], Any]:
        if self.queue:
            return lambda: self.queue.submit(lambda: x @ weight)
        return lambda: x @ weight

    def _difference(self, shape: Gemm, x: Any, weight: Any, output: Any) -> float:
        """The largest distance from the product in the next wider type; one too large is refused."""
        wide = self.torch.float64 if self.dtype == self.torch.float32 else self.torch.float32
        output = output.result() if self.queue else output
        reference = x.to(wide) @ weight.to(wide)
        relative, absolute = (1e-5, 1e-4) if wide == self.torch.float64 else (2e-3, 2e-2)
        absolute *= max(1.0, math.sqrt(shape.k / 1024))
        distance = (output.to(wide) - reference).abs()
        if not bool((distance <= absolute + relative * reference.abs()).all()):
            raise ValueError(say("gemm.wrong", shape=shape, got=f"{float(distance.max()):.3g}"))
        return float(distance.max())

    def memory_window(self) -> AllocatorWindow:
        """What the caching allocator says before, with and after a temporary tensor of 16 MiB."""
        if self.device != "cuda":
            return AllocatorWindow()
        cuda, torch = self.torch.cuda, self.torch
        cuda.synchronize()
        baseline = (cuda.memory_allocated(), cuda.memory_reserved())
        cuda.reset_peak_memory_stats()
        temporary = torch.empty((TEMPORARY_SIDE, TEMPORARY_SIDE), device=self.device, dtype=torch.float32)
        temporary.fill_(1)
        cuda.synchronize()
        size, peak = temporary.nbytes, (cuda.max_memory_allocated(), cuda.max_memory_reserved())
        del temporary
        cuda.synchronize()
        after = (cuda.memory_allocated(), cuda.memory_reserved())
        return AllocatorWindow(
            temporary_bytes=size,
            baseline_allocated_bytes=baseline[0],
            baseline_reserved_bytes=baseline[1],
            peak_allocated_bytes=peak[0],
            peak_reserved_bytes=peak[1],
            after_allocated_bytes=after[0],
            after_reserved_bytes=after[1],
        )


class _Queue:
    """An asynchronous device made of one thread: calls queue up and run in order."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1)
        self.clock = timing.Clock("cpu", lambda: self.submit(int).result(), lambda: _QueueEvent(self))

    def submit(self, call: Callable[[], Any]) -> Future[Any]:
        """Queue a call; its result comes when its turn does."""
        return self._worker.submit(call)


class _QueueEvent:
    """A moment on the queue's own clock: when everything queued before it is done."""

    def __init__(self, queue: _Queue) -> None:
        self._queue = queue
        self._time_s: Future[float] | None = None

    def record(self) -> None:
        self._time_s = self._queue.submit(time.perf_counter)

    def elapsed_time(self, end: Any, /) -> float:
        """Milliseconds from this event to another."""
        return (end._time_s.result() - self._time_s.result()) * 1e3


def _us(samples_ms: Sequence[float]) -> tuple[float, ...]:
    return tuple(sample * 1e3 for sample in samples_ms)


def chosen_device(device: str, torch: Any, known: Sequence[str] = DEVICES) -> str:
    """The device asked for, or the best there is of those known; one that is not there is refused."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    there = {name: there.get(name, True) for name in known}
    if device == "auto":
        return next(name for name, available in there.items() if available)
    if not there.get(device, False):
        available = ", ".join(name for name, is_there in there.items() if is_there)
        raise ValueError(say("gemm.device", got=repr(device), known=available))
    return device


# --- the capacity line -------------------------------------------------------------------------------


@dataclass(frozen=True)
class SeedExample:
    """The seed's capacity example: what goes in, and what the seed's script printed."""

    total_gib: float = 20.0
    weights_gib: float = 14.0
    runtime_gib: float = 1.5
    layers: int = 32
    kv_heads: int = 8
    head_dim: int = 128
    element_bytes: int = 2
    utilization: float = 0.90
    printed_usable_gib: float = 18.0
    printed_fixed_gib: float = 15.5
    printed_kv_bytes_per_token: int = 131_072
    printed_token_capacity: int = 20_480
    source: str = SEED_SOURCE


SEED = SeedExample()


def capacity_line(usable_gib: float, fixed_gib: float, kv_bytes_per_token: int, token_capacity: int) -> str:
    """The seed's line about capacity, with figures that somebody else worked out."""
    return (
        f"capacity usable_GiB={usable_gib:.3f} fixed_GiB={fixed_gib:.3f} "
        f"KV_bytes_per_token={kv_bytes_per_token} token_capacity={token_capacity}"
    )


# --- the command -------------------------------------------------------------------------------------


def lines(report: GemmReport) -> list[str]:
    """The report as the seed's script prints it, one line a shape."""
    setting = report.setting
    printed = [
        f"python={setting.python} torch={setting.torch}",
        f"device={setting.device} name={setting.device_name} dtype={setting.dtype}",
    ]
    for record in report.records:
        printed.append(
            f"{record.shape} correctness_max_abs_diff={record.max_abs_difference:.3e} timing_median_us "
            f"submit_without_sync={_figure(record.submit_us)} "
            f"synchronized_wall={_figure(record.synchronized_us)} device_event={_figure(record.event_us)}"
        )
    if report.memory is not None:
        figures = {name: value for name, value in report.memory if name != "temporary_bytes"}
        shown = (f"{name.removesuffix('_bytes')}={_figure(_mib(value))}" for name, value in figures.items())
        printed.append(" ".join(("memory_MiB", *shown)))
    return printed


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run or continue the experiment and print it; with --capacity only the seed's capacity line."""
    parser = argparse.ArgumentParser(prog="python -m helpers.gemm", description=say("gemm.about"))
    parser.add_argument("--label", default="default", help=say("gemm.help.label"))
    parser.add_argument("--results", default="results", help=say("gemm.help.results"))
    parser.add_argument("--device", default="auto", choices=("auto", *DEVICES))
    parser.add_argument("--rounds", type=int, default=30, help=say("gemm.help.rounds"))
    parser.add_argument("--warmup", type=int, default=10, help=say("gemm.help.warmup"))
    parser.add_argument("--capacity", action="store_true", help=say("gemm.help.capacity"))
    parser.add_argument("--language", choices=LANGUAGES)
    options = parser.parse_args(arguments)
    if options.language:
        speak(options.language)
    try:
        if not options.capacity:
            report = run(
                options.results, options.label, options.device, rounds=options.rounds, warmup=options.warmup
            )
            print(*lines(report), sep="\n")
    except ValueError as problem:
        print(problem)
        return 2
    print(
        capacity_line(
            SEED.printed_usable_gib,
            SEED.printed_fixed_gib,
            SEED.printed_kv_bytes_per_token,
            SEED.printed_token_capacity,
        )
    )
    print(say("gemm.seed", source=SEED.source))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
