"""The tiny model that is traced: one request of it, in named ranges."""

from __future__ import annotations

import contextlib
import inspect
import os
import platform
import time
from collections.abc import Iterator
from typing import Any

from helpers import timing
from helpers.gemm import chosen_device
from helpers.profiler.profile import RangeName, TracedWorkload

MODEL = "random/qwen3-tiny-4-layers"


class TracedModel:
    """A tiny model on a device, and the request that is looked at."""

    def __init__(self, device: str, workload: TracedWorkload) -> None:
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
