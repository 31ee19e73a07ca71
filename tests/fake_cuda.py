"""A stand-in for `torch.cuda`: real tensors on the CPU, with a device's clock, streams, allocator and graphs.

    fake = fake_cuda.Torch(memory_bytes=10**9)
    with fake.cuda:
        runtime = DeviceRuntime("cuda", fake, timing.clock_for("cuda", fake))

What it keeps of the real thing, because the harness leans on it or can be hurt by it:
- work is queued: a call returns at once, the device is busy until its stream's clock says so; an event that
  is read before the device came that far raises; `synchronize` waits;
- the allocator counts the storages that somebody still holds, one workspace a stream from its first matrix
  product on, and raises `OutOfMemoryError` above its limit; what was reserved stays so until `empty_cache`;
- a capture records the kernels of its stream, refuses to read back or to wait, and ends with a second error
  after the first; it then leaves its stream the current one and the allocator unable to empty its cache;
- a replay computes all of them again, into the tensors of the capture.
It computes on the CPU: figures taken on it are no measurement of anything.
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

READS_BACK = ("aten::item", "aten::_local_scalar_dense", "aten::equal", "aten::is_nonzero", "aten::nonzero")
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::linear", "aten::matmul")
CAPTURING = "CUDA error: operation not permitted when stream is capturing"


def tensors(tree: Any) -> list[torch.Tensor]:
    """The real tensors in a nested value."""
    leaves = (leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor))
    return [leaf for leaf in leaves if not isinstance(leaf, FakeTensor) and leaf.device.type == "cpu"]


class Allocator:
    """Counts the bytes of the storages that are alive, and of the workspaces, which stay."""

    def __init__(self, limit_bytes: int, workspace_bytes: int) -> None:
        self.limit_bytes, self.workspace_bytes = limit_bytes, workspace_bytes
        self.storages: dict[int, tuple[StorageWeakRef, int]] = {}
        self.workspaces: set[int] = set()
        self.peak = self.reserved = 0
        self.poisoned = False

    @property
    def allocated(self) -> int:
        self.storages = {key: kept for key, kept in self.storages.items() if not kept[0].expired()}
        held = sum(size for _, size in self.storages.values())
        return held + len(self.workspaces) * self.workspace_bytes

    def take(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        if storage._cdata not in self.storages:
            self.storages[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())

    def account(self) -> None:
        """Move peak and reserve; raise where the device is full."""
        now = self.allocated
        if now > self.limit_bytes:
            raise torch.OutOfMemoryError(f"CUDA out of memory. {now} bytes of {self.limit_bytes}")
        self.peak, self.reserved = max(self.peak, now), max(self.reserved, now)


class Stream:
    """A queue of work: `free_at` is when it will have run everything."""

    def __init__(self, number: int = 0) -> None:
        self.number, self.free_at = number, 0.0

    def wait_stream(self, other: Stream) -> None:
        self.free_at = max(self.free_at, other.free_at)

    def queue(self, seconds: float) -> None:
        self.free_at = max(self.free_at, time.perf_counter()) + seconds


class WithinStream:
    """`torch.cuda.stream(…)`; left only by `__exit__`, so whoever forgets to call it stays inside."""

    def __init__(self, cuda: Cuda, stream: Stream) -> None:
        self.cuda, self.inside = cuda, stream

    def __enter__(self) -> None:
        self.before = self.cuda.current_stream()
        self.cuda.set_stream(self.inside)

    def __exit__(self, *_: object) -> None:
        self.cuda.set_stream(self.before)


class Event:
    """A mark in the current stream's queue."""

    def __init__(self, cuda: Cuda, timed: bool) -> None:
        self.cuda, self.timed, self.at = cuda, timed, None

    def record(self) -> None:
        self.at = max(self.cuda.current_stream().free_at, time.perf_counter())

    def elapsed_time(self, end: Event) -> float:
        if not (self.timed and end.timed):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self.at is None or end.at is None or time.perf_counter() < end.at:
            raise RuntimeError("CUDA error: device not ready")
        self.cuda.elapsed += 1
        return self.cuda.bad_readings.get(self.cuda.elapsed, (end.at - self.at) * 1e3)


class CUDAGraph:
    """Kernels recorded in a capture, and computed again by every replay."""

    def __init__(self, cuda: Cuda) -> None:
        self.cuda = cuda
        self.kernels: list[tuple[Any, Any, Any, Any]] = []
        self.broken = False

    def capture_begin(self, *_: Any, **__: Any) -> None:
        if self.cuda.current_stream() is self.cuda.default:
            raise RuntimeError("CUDA graphs must be captured on a non-default stream.")
        self.cuda.capturing = self

    def capture_end(self) -> None:
        self.cuda.capturing = None
        if self.broken:
            self.cuda.allocator.poisoned = True
            raise RuntimeError("CUDA error: operation failed due to a previous error during capture")

    def replay(self) -> None:
        self.cuda.replays += 1
        self.cuda.queue(len(self.kernels))
        self.cuda.replaying = True
        try:
            for func, args, kwargs, outputs in self.kernels:
                self._again(func, args, kwargs, outputs)
        finally:
            self.cuda.replaying = False

    @staticmethod
    def _again(func: Any, args: Any, kwargs: Any, outputs: Any) -> None:
        for old, new in zip(tensors(outputs), tensors(func(*args, **kwargs)), strict=True):
            if old.untyped_storage()._cdata != new.untyped_storage()._cdata:
                old.copy_(new)


class Cuda(TorchDispatchMode):
    """What `torch.cuda` offers to the harness; entering it makes the stand-in see every operation.

    kernel_s: seconds that the device takes for one kernel; bad_readings: event readings that come out wrong,
    by their number.
    """

    def __init__(self, memory_bytes: int, workspace_bytes: int, kernel_s: float, **facts: Any) -> None:
        super().__init__()
        self.allocator = Allocator(memory_bytes, workspace_bytes)
        self.default = self._current = Stream()
        self.streams: list[Stream] = [self.default]
        self.kernel_s, self.bad_readings = kernel_s, {}
        self.elapsed = self.replays = self.launches = self.emptied = 0
        self.capturing: CUDAGraph | None = None
        self.replaying = False
        self.facts = {"name": "Tesla T4", "capability": (7, 5), "uuid": "GPU-0000", **facts}
        self.graph = self._graph_type()

    # --- every operation -----------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.replaying:
            return func(*args, **kwargs)
        name = func._schema.name
        if self.capturing is not None and name in READS_BACK:
            self.capturing.broken = True
            raise RuntimeError(CAPTURING)
        output = func(*args, **kwargs)
        mine = tensors(output)
        if mine or name in READS_BACK:
            self._ran(func, name, args, kwargs, output, mine)
        return output

    def _ran(self, func: Any, name: str, args: Any, kwargs: Any, output: Any, mine: list[Any]) -> None:
        self.queue(1)
        for tensor in mine:
            self.allocator.take(tensor)
        if name in PRODUCTS:
            self.allocator.workspaces.add(self.current_stream().number)
        if self.capturing is not None:
            self.capturing.kernels.append((func, args, kwargs, output))
        if name in READS_BACK:
            self.synchronize()
        del mine
        self.allocator.account()

    def queue(self, kernels: int) -> None:
        self.launches += 1
        self.current_stream().queue(kernels * self.kernel_s)

    def adopt(self, model: torch.nn.Module) -> torch.nn.Module:
        """Weights that were there before the stand-in counted: they are on the device too."""
        for tensor in (*model.parameters(), *model.buffers()):
            self.allocator.take(tensor)
        self.allocator.account()
        return model

    # --- streams, events, waiting ---------------------------------------------------------------------

    def synchronize(self, *_: Any) -> None:
        if self.capturing is not None:
            self.capturing.broken = True
            raise RuntimeError(CAPTURING)
        time.sleep(max(0.0, max(stream.free_at for stream in self.streams) - time.perf_counter()))

    def Event(self, enable_timing: bool = False) -> Event:
        return Event(self, enable_timing)

    def Stream(self) -> Stream:
        self.streams.append(Stream(len(self.streams)))
        return self.streams[-1]

    def current_stream(self) -> Stream:
        return self._current

    def set_stream(self, stream: Stream) -> None:
        self._current = stream

    def stream(self, stream: Stream) -> WithinStream:
        return WithinStream(self, stream)

    # --- graphs ---------------------------------------------------------------------------------------

    def CUDAGraph(self) -> CUDAGraph:
        return CUDAGraph(self)

    def _graph_type(self) -> type:
        """`torch.cuda.graph`, line for line: an error in `capture_end` leaves the stream as it is."""
        cuda = self

        class graph:
            own: Stream | None = None

            def __init__(self, cuda_graph: CUDAGraph, pool: Any = None, stream: Stream | None = None):
                if stream is None and type(self).own is None:
                    type(self).own = cuda.Stream()
                self.cuda_graph, self.within = cuda_graph, cuda.stream(stream or type(self).own)

            def __enter__(self) -> None:
                cuda.synchronize()
                cuda.empty_cache()
                self.within.__enter__()
                self.cuda_graph.capture_begin()

            def __exit__(self, *error: object) -> None:
                self.cuda_graph.capture_end()
                self.within.__exit__(*error)

        return graph

    # --- memory ---------------------------------------------------------------------------------------

    def memory_allocated(self, *_: Any) -> int:
        return self.allocator.allocated

    def memory_reserved(self, *_: Any) -> int:
        return max(self.allocator.reserved, self.allocator.allocated)

    def max_memory_allocated(self, *_: Any) -> int:
        return self.allocator.peak

    def reset_peak_memory_stats(self, *_: Any) -> None:
        self.allocator.peak = self.allocator.allocated

    def mem_get_info(self, *_: Any) -> tuple[int, int]:
        return self.allocator.limit_bytes - self.memory_reserved(), self.allocator.limit_bytes

    def empty_cache(self) -> None:
        self.emptied += 1
        if self.allocator.poisoned:
            raise RuntimeError("captures_underway.empty() INTERNAL ASSERT FAILED")
        self.allocator.reserved = self.allocator.allocated

    # --- what it is -----------------------------------------------------------------------------------

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return self.launches > 0

    def current_device(self) -> int:
        return 0

    def get_device_name(self, *_: Any) -> str:
        return self.facts["name"]

    def get_device_capability(self, *_: Any) -> tuple[int, int]:
        return self.facts["capability"]

    def get_arch_list(self) -> list[str]:
        return ["sm_{}{}".format(*self.facts["capability"])]

    def get_device_properties(self, *_: Any) -> SimpleNamespace:
        return SimpleNamespace(uuid=self.facts["uuid"], total_memory=self.allocator.limit_bytes)


class Torch:
    """torch with the stand-in as its `cuda`; whatever is made "on cuda" is made on the CPU."""

    def __init__(
        self,
        memory_bytes: int = 10**9,
        workspace_bytes: int = 8_519_680,
        kernel_s: float = 1e-6,
        **facts: Any,
    ) -> None:
        self.cuda = Cuda(memory_bytes, workspace_bytes, kernel_s, **facts)
        self.version = SimpleNamespace(cuda="12.8")

    def ones(self, *size: Any, device: Any = None, **options: Any) -> torch.Tensor:
        return torch.ones(*size, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)
