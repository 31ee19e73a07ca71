"""CUDA graphs of one run: all on one stream, and none any more after a capture has failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from helpers.experiment.device import DeviceRuntime
from helpers.experiment.failure import NotHere, failure_of
from helpers.text import say

WARM_UPS = 3
READS_BACK = frozenset(
    f"aten::{name}" for name in ("item", "_local_scalar_dense", "is_nonzero", "equal", "nonzero")
)


class Graphs:
    """Records steps as CUDA graphs. One stream: each stream that multiplies keeps a workspace for good."""

    def __init__(self, runtime: DeviceRuntime) -> None:
        self.runtime = runtime
        self.stream: Any = None
        self.failed: str | None = None

    def check(self, operators: Iterable[str]) -> None:
        """Refuse before anything is captured: no CUDA, a capture that failed, a step that reads back."""
        if self.runtime.kind != "cuda":
            raise NotHere(say("experiment.no_graphs", device=self.runtime.kind))
        if self.failed is not None:
            raise NotHere(say("experiment.capture_failed_before", why=self.failed))
        if READS_BACK & set(operators):
            raise NotHere(say("experiment.reads_back"))

    def capture(self, step: Callable[[], Any], restore: Callable[[], None]) -> Callable[[], Any]:
        """The step recorded as a CUDA graph; calling it replays every kernel with one launch."""
        cuda = self.runtime.torch.cuda
        before = cuda.current_stream()
        self.stream = self.stream or cuda.Stream()
        graph = cuda.CUDAGraph()
        try:
            self._warm_up(step, restore)
            restore()
            with cuda.graph(graph, stream=self.stream):
                output = step()
        except Exception as error:
            self.failed = failure_of(error).message
            raise
        finally:
            cuda.set_stream(before)  # an error inside `torch.cuda.graph` leaves its stream the current one

        def replay() -> Any:
            graph.replay()
            return output

        return replay

    def _warm_up(self, step: Callable[[], Any], restore: Callable[[], None]) -> None:
        cuda = self.runtime.torch.cuda
        self.stream.wait_stream(cuda.current_stream())
        with cuda.stream(self.stream):
            for _ in range(WARM_UPS):
                restore()
                step()
        cuda.current_stream().wait_stream(self.stream)
