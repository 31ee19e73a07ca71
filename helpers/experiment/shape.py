"""One shape: prefill, gates, decode at a fixed context, and each phase's peak memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from helpers import timing
from helpers.experiment.cache import cache_length, hold, kv_bytes
from helpers.experiment.device import DeviceRuntime
from helpers.experiment.failure import GateError, NotHere
from helpers.experiment.model import Loaded
from helpers.results import Gates, ShapeRecord
from helpers.text import say
from helpers.workload import Shape, Workload

TOLERANCE = {"float32": 1e-3, "float16": 2e-2, "bfloat16": 5e-2}


def token_ids(shape: Shape, seed: int, vocabulary: int, torch: Any) -> tuple[Any, Any]:
    """Synthetic ids of a shape and the next ones, the same whatever ran before; no special ids."""
    source = torch.Generator().manual_seed(seed * 1_000_003 + shape.context_tokens * 1009 + shape.batch)
    low, high = min(1000, vocabulary // 10), vocabulary * 9 // 10
    size = (shape.batch, shape.context_tokens + 1)
    ids = torch.randint(low, high, size, generator=source)
    return ids[:, :-1].contiguous(), ids[:, -1:].contiguous()


class ShapeRun:
    """Measures one shape: prefill, gates, decode at a fixed context, and each phase's peak memory."""

    def __init__(self, loaded: Loaded, shape: Shape, protocol: Workload, runtime: DeviceRuntime) -> None:
        self.loaded, self.shape, self.runtime = loaded, shape, runtime
        ids, following = token_ids(shape, protocol.seed, loaded.config.vocab_size, runtime.torch)
        device = loaded.model.device
        self.ids, self.following = ids.to(device), following.to(device)
        self.tolerance = TOLERANCE[loaded.info.dtype]
        self.timed_s = 0.0

    def forward(self, ids: Any, cache: Any = None) -> Any:
        """One forward pass: no mask (all prompts are equally long), logits of the last position only."""
        options = {} if cache is None else {self.loaded.keyword: cache}
        return self.loaded.model(input_ids=ids, use_cache=True, logits_to_keep=1, **options)

    def cache_of(self, output: Any) -> Any:
        return getattr(output, self.loaded.keyword)

    def check_logits(self, output: Any) -> None:
        """Shape and finiteness of the cold call's logits: seen before anything is timed."""
        expected = (self.shape.batch, 1, self.loaded.config.vocab_size)
        if tuple(output.logits.shape) != expected:
            raise GateError("logits_shape", f"{tuple(output.logits.shape)} != {expected}")
        if not bool(self.runtime.torch.isfinite(output.logits).all()):
            raise GateError("logits_finite", "NaN/inf")

    def prefill(self, repetition: timing.Repetition) -> timing.Timed:
        """Time the prefill; the last call's output stays in `last`."""
        timed = timing.measure(
            lambda: self.forward(self.ids), self.runtime.clock, repetition, inspect=self.check_logits
        )
        self.timed_s += timed.timed_s
        return timed

    def static_prefill(self) -> Any:
        """A prefill into a cache of fixed size, untimed: a static series is about the decode step."""
        from transformers import StaticCache

        cache = StaticCache(config=self.loaded.model.config, max_cache_len=self.shape.context_tokens + 1)
        output = self.forward(self.ids, cache)
        self.check_logits(output)
        return output

    def difference(self, decoded: Any) -> float:
        """Largest difference of a decode step's logits from those of a prefill one token longer, relative."""
        whole = self.runtime.torch.cat([self.ids, self.following], dim=1)
        wanted = self.forward(whole).logits[:, -1].float()
        return float((decoded - wanted).abs().max() / wanted.abs().max())

    def decode(self, output: Any, repetition: timing.Repetition) -> tuple[timing.Timed, Gates, int]:
        """Time the decode step at a fixed context, with the gates around it."""
        cache = self.cache_of(output)
        context = self.shape.context_tokens
        counted = kv_bytes(cache, context)
        restore = hold(cache, context)
        first = self.forward(self.following, cache).logits[:, -1].float()
        restore()
        difference = self.difference(first)
        self._refuse("prefill_agrees", difference, self.tolerance)
        step = self._step(cache, restore)
        timed = timing.measure(step, self.runtime.clock, repetition, reset=restore)
        self.timed_s += timed.timed_s
        last = timed.last.logits[:, -1].float()
        moved = float((last - first).abs().max() / first.abs().max())
        self._refuse("repeats_identical", moved, self.tolerance)
        restore()
        gates = Gates(
            logits_shape=tuple(output.logits.shape),
            logits_finite=bool(self.runtime.torch.isfinite(last).all()),
            length_unchanged=cache_length(cache) == context,
            repeats_identical=bool(self.runtime.torch.equal(first, last)),
            kv_bytes_counted=counted,
            kv_bytes_expected=self.loaded.kv_bytes_expected(context) * self.shape.batch,
            prefill_difference=difference,
            prefill_tolerance=self.tolerance,
        )
        for gate in gates.failed:
            if gate != "repeats_identical":
                raise GateError(gate, str(gates))
        return timed, gates, counted

    @staticmethod
    def _refuse(gate: str, difference: float, tolerance: float) -> None:
        if not difference <= tolerance:
            raise GateError(gate, f"{difference:.2e} > {tolerance:.0e}")

    def _step(self, cache: Any, restore: Callable[[], None]) -> Callable[[], Any]:
        """The step to time: a forward pass, or its replay as a CUDA graph."""

        def step() -> Any:
            return self.forward(self.following, cache)

        return _captured(step, restore, self.runtime) if self.shape.series == "cuda_graph" else step

    def attention_kernel(self, output: Any) -> str:
        """Which attention a decode step runs: the fused kernel's name, else `math`."""
        cache = self.cache_of(output)
        restore = hold(cache, self.shape.context_tokens)
        names = _operators(lambda: self.forward(self.following, cache))
        restore()
        fused = sorted(n.partition("_scaled_dot_product_")[2] for n in names if "_scaled_dot_product_" in n)
        kernel = fused[0] if fused else "math"
        return f"sdpa/{kernel}" if self.loaded.attention == "sdpa" else self.loaded.attention

    def measure(self, prefill: timing.Repetition, decode: timing.Repetition) -> ShapeRecord:
        """The record of this shape."""
        if self.shape.series == "cuda_graph" and self.runtime.kind != "cuda":
            raise NotHere(say("experiment.no_graphs", device=self.runtime.kind))
        dynamic = self.shape.series == "dynamic"
        before = self.runtime.sm_clock_mhz()
        self.runtime.reset_peak()
        timed = self.prefill(prefill) if dynamic else None
        output = timed.last if timed else self.static_prefill()
        prefill_peak = self.runtime.peak_bytes() if dynamic else None
        if timed:
            timed = replace(timed, last=None)
        kernel = self.attention_kernel(output)
        step, gates, counted = self.decode(output, decode)
        step = replace(step, last=None)
        clocks = tuple(c for c in (before, self.runtime.sm_clock_mhz()) if c is not None)
        return ShapeRecord(
            batch=self.shape.batch,
            context_tokens=self.shape.context_tokens,
            series=self.shape.series,
            status="ok",
            **(_phase("prefill", timed) if timed else {}),
            **_phase("decode", step),
            boundary=step.boundary,
            kv_cache_bytes=counted,
            prefill_peak_memory_bytes=prefill_peak,
            decode_peak_memory_bytes=self._decode_peak(output),
            attention=kernel,
            sm_clock_mhz=clocks,
            gates=gates,
            warmups_done=step.warmups_done,
        )

    def _decode_peak(self, output: Any) -> int | None:
        """Peak of one decode step that is free to drop the old cache, layer by layer, as in service."""
        if self.runtime.kind != "cuda":
            return None
        cache = self.cache_of(output)
        output.logits = None
        self.runtime.release()
        self.runtime.reset_peak()
        self.forward(self.following, cache)
        return self.runtime.peak_bytes()


def _phase(name: str, timed: timing.Timed) -> dict[str, Any]:
    """The fields of a record that one phase fills."""
    return {
        f"{name}_samples_ms": timed.samples_ms,
        f"{name}_submit_samples_ms": timed.submit_samples_ms,
        f"{name}_wall_samples_ms": timed.wall_samples_ms,
        f"{name}_cold_ms": timed.cold_ms,
    }


def _captured(
    step: Callable[[], Any], restore: Callable[[], None], runtime: DeviceRuntime
) -> Callable[[], Any]:
    """The step recorded as a CUDA graph; calling it replays every kernel with one launch."""
    cuda = runtime.torch.cuda
    side = cuda.Stream()
    side.wait_stream(cuda.current_stream())
    with cuda.stream(side):
        for _ in range(3):
            restore()
            step()
    cuda.current_stream().wait_stream(side)
    restore()
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        output = step()

    def replay() -> Any:
        graph.replay()
        return output

    return replay


def _operators(step: Callable[[], Any]) -> set[str]:
    """Names of the operators that a step dispatches."""
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: set[str] = set()

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = func._schema.name
            seen.add(name)
            if name == "aten::scaled_dot_product_attention":
                with self:
                    return func.decompose(*args, **(kwargs or {}))
            return func(*args, **(kwargs or {}))

    with Watch():
        step()
    return seen
