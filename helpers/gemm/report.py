"""What a run says: its setting, a record a shape, the allocator's bytes; medians are taken when read."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from helpers.gemm.device import DeviceName
from helpers.gemm.shape import Gemm
from helpers.tables import Table, table
from helpers.text import say

SCHEMA_VERSION = "inference-benchmark-gemm/v1"

Count = Annotated[int, Field(strict=True, ge=1)]
Bytes = Annotated[int, Field(strict=True, ge=0)]
Micros = Annotated[float, Field(gt=0, allow_inf_nan=False)]


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
                    "allocated_mib": mib(getattr(self, f"{moment}_allocated_bytes")),
                    "reserved_mib": mib(getattr(self, f"{moment}_reserved_bytes")),
                }
                for moment in ("baseline", "peak", "after")
            ]
        )


def mib(count: int | None) -> float | None:
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
