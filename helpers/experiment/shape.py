"""One shape: prefill, gates, decode at a fixed context, and each phase's peak memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from helpers import timing
from helpers.experiment import attention
from helpers.experiment.cache import cache_length, hold, kv_bytes
from helpers.experiment.device import DeviceRuntime
from helpers.experiment.failure import GateError
from helpers.experiment.graph import Graphs
from helpers.experiment.model import Loaded
from helpers.experiment.visit import Visit
from helpers.results import Gates
from helpers.schedule import Turn
from helpers.workload import Shape, Workload

ROOM_FOR_A_COPY = 1.1
TOLERANCE = {"float32": 1e-3, "float16": 2e-2, "bfloat16": 5e-2}


def token_ids(shape: Shape, seed: int, vocabulary: int, torch: Any) -> tuple[Any, Any]:
    """Synthetic ids of a shape and the next ones, the same whatever ran before; no special ids."""
    source = torch.Generator().manual_seed(seed * 1_000_003 + shape.context_tokens * 1009 + shape.batch)
    low, high = min(1000, vocabulary // 10), vocabulary * 9 // 10
    size = (shape.batch, shape.context_tokens + 1)
    ids = torch.randint(low, high, size, generator=source)
    return ids[:, :-1].contiguous(), ids[:, -1:].contiguous()


class ShapeRun:
    """One visit to a shape: prefill, gates, decode at a fixed context, and each phase's peak memory.

    On the first visit the very first prefill and the very first decode step are timed as the cold ones, so
    what checks them comes after.
    """

    def __init__(
        self,
        loaded: Loaded,
        shape: Shape,
        protocol: Workload,
        runtime: DeviceRuntime,
        graphs: Graphs | None = None,
    ) -> None:
        self.loaded, self.shape, self.runtime = loaded, shape, runtime
        self.graphs = graphs or Graphs(runtime)
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

    def measure(self, turn: Turn, prefill: timing.Repetition, decode: timing.Repetition) -> Visit:
        """What this visit gives."""
        if self.shape.series == "cuda_graph":
            self.graphs.check(())
        first = turn.is_first
        timed, wanted = self._prefill(prefill, first)
        output = timed.last if timed else self.static_prefill()
        peak = self.runtime.peak_bytes() if first and timed else None
        fields = _phase("prefill", replace(timed, last=None)) if timed else {}
        dropped = timed.dropped if timed else 0
        del timed
        fields |= self._timed_decode(turn, output, wanted, decode)
        fields["samples_dropped"] += dropped
        return Visit(
            batch=self.shape.batch,
            context_tokens=self.shape.context_tokens,
            series=self.shape.series,
            round=turn.round,
            position=turn.position,
            prefill_peak_memory_bytes=peak,
            decode_peak_memory_bytes=self._decode_peak(output) if first else None,
            **fields,
        )

    def _prefill(self, repetition: timing.Repetition, first: bool) -> tuple[timing.Timed | None, Any]:
        """The timed prefill of a dynamic series, and on the first visit the logits that decode must reach."""
        dynamic, clock = self.shape.series == "dynamic", self.runtime.clock
        step: Callable[[], Any] = lambda: self.forward(self.ids)  # noqa: E731
        cold_ms = timing.cold_ms(step, clock, inspect=self.check_logits) if dynamic and first else None
        wanted = self._one_token_longer() if first else None
        self.runtime.reset_peak()
        if not dynamic:
            return None, wanted
        warmup = max(repetition.warmup - 1, 0) if first else repetition.warmup
        timed = timing.measure(step, clock, replace(repetition, warmup=warmup), cold=False)
        self.timed_s += timed.timed_s + (cold_ms or 0.0) / 1e3
        return replace(timed, cold_ms=cold_ms), wanted

    def _one_token_longer(self) -> Any:
        """The last logits of a prefill of C + 1 tokens, which a decode step after C tokens must equal."""
        whole = self.runtime.torch.cat([self.ids, self.following], dim=1)
        return self.forward(whole).logits[:, -1].float()

    def static_prefill(self) -> Any:
        """A prefill into a cache of fixed size, untimed: a static series is about the decode step."""
        from transformers import StaticCache

        cache = StaticCache(config=self.loaded.model.config, max_cache_len=self.shape.context_tokens + 1)
        output = self.forward(self.ids, cache)
        self.check_logits(output)
        return output

    def _timed_decode(
        self, turn: Turn, output: Any, wanted: Any, repetition: timing.Repetition
    ) -> dict[str, Any]:
        """The decode step's part of a visit; what holds the old cache is gone when this returns."""
        cache, context = self.cache_of(output), self.shape.context_tokens
        counted = kv_bytes(cache, context)
        held = self._held(counted)
        restore = hold(cache, context, keep=held == "kept")
        timed, gates, step = self._decode(output, wanted, repetition, restore, counted)
        clock_mhz = self.runtime.under_load(step, restore).sm_clock_mhz
        return {
            **_phase("decode", timed),
            "boundary": timed.boundary,
            "kv_cache_bytes": counted,
            "attention": self._kernel(cache, restore) if turn.is_first else None,
            "sm_clock_mhz": clock_mhz,
            "cache_held": held,
            "gates": gates,
            "warmups_done": timed.warmups_done,
            "samples_dropped": timed.dropped,
        }

    def _held(self, kv_cache_bytes: int) -> Any:
        """Whether the old cache fits beside the new one; where not, the border of memory is the server's."""
        if self.shape.series != "dynamic":
            return "kept"
        free = self.runtime.free_bytes()
        return "cut" if free is not None and kv_cache_bytes * ROOM_FOR_A_COPY > free else "kept"

    def _decode(
        self,
        output: Any,
        wanted: Any,
        repetition: timing.Repetition,
        restore: Callable[[], None],
        counted: int,
    ) -> tuple[timing.Timed, Gates, Callable[[], Any]]:
        """The timed decode step at a fixed context, with the gates around it."""
        cache, context, clock = self.cache_of(output), self.shape.context_tokens, self.runtime.clock
        seen: list[Any] = []
        eager: Callable[[], Any] = lambda: self.forward(self.following, cache)  # noqa: E731
        cold_ms = timing.cold_ms(eager, clock, inspect=lambda out: seen.append(out.logits[:, -1].float()))
        restore()
        difference = None if wanted is None else _relative(seen[0], wanted)
        self._refuse("prefill_agrees", difference or 0.0)
        step = self._captured(eager, restore) if self.shape.series == "cuda_graph" else eager
        timed = timing.measure(step, clock, repetition, reset=restore, cold=False)
        self.timed_s += timed.timed_s + cold_ms / 1e3
        last = timed.last.logits[:, -1].float()
        self._refuse("repeats_identical", _relative(last, seen[0]))
        restore()
        gates = self._gates(output, seen[0], last, difference, counted, cache_length(cache) == context)
        cold = cold_ms if wanted is not None else None
        return replace(timed, last=None, cold_ms=cold), gates, step

    def _captured(self, step: Callable[[], Any], restore: Callable[[], None]) -> Callable[[], Any]:
        """The step as a CUDA graph, if it reads nothing back from the device."""
        operators = attention.operators_of(step)
        restore()
        self.graphs.check(operators)
        return self.graphs.capture(step, restore)

    def _gates(
        self, output: Any, first: Any, last: Any, difference: float | None, counted: int, unchanged: bool
    ) -> Gates:
        """What was checked; a gate that does not hold ends the visit, unless only bits differ."""
        expected = self.loaded.kv_bytes_expected(self.shape.context_tokens) * self.shape.batch
        gates = Gates(
            logits_shape=tuple(output.logits.shape),
            logits_finite=bool(self.runtime.torch.isfinite(last).all()),
            length_unchanged=unchanged,
            repeats_identical=bool(self.runtime.torch.equal(first, last)),
            kv_bytes_counted=counted,
            kv_bytes_expected=expected,
            prefill_difference=difference,
            prefill_tolerance=None if difference is None else self.tolerance,
        )
        for gate in gates.failed:
            if gate != "repeats_identical":
                raise GateError(gate, str(gates))
        return gates

    def _refuse(self, gate: str, difference: float) -> None:
        if not difference <= self.tolerance:
            raise GateError(gate, f"{difference:.2e} > {self.tolerance:.0e}")

    def _kernel(self, cache: Any, restore: Callable[[], None]) -> str:
        """Which attention a decode step runs."""
        names = attention.operators_of(lambda: self.forward(self.following, cache))
        restore()
        return attention.kernel(self.loaded.attention, names)

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


def _relative(got: Any, wanted: Any) -> float:
    """Largest difference of two rows of logits, relative to the largest of the second."""
    return float((got - wanted).abs().max() / wanted.abs().max())


def _phase(name: str, timed: timing.Timed) -> dict[str, Any]:
    """The fields of a visit that one phase fills."""
    return {
        f"{name}_samples_ms": timed.samples_ms,
        f"{name}_submit_samples_ms": timed.submit_samples_ms,
        f"{name}_wall_samples_ms": timed.wall_samples_ms,
        f"{name}_cold_ms": timed.cold_ms,
    }
