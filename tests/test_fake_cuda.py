"""The stand-in for torch.cuda behaves as the real one is known to: queue, allocator, capture, replay."""

from __future__ import annotations

import time

import fake_cuda
import pytest
import torch


@pytest.fixture
def fake():
    made = fake_cuda.Torch(memory_bytes=1_000_000, workspace_bytes=1000, kernel_s=0.0)
    with made.cuda, torch.inference_mode():
        yield made


def test_a_call_returns_before_the_device_has_run_it(fake):
    torch.zeros(10)
    fake.cuda.kernel_s = 0.05
    start, end = (fake.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch.zeros(10)
    end.record()
    with pytest.raises(RuntimeError, match="not ready"):
        start.elapsed_time(end)
    fake.cuda.synchronize()
    assert start.elapsed_time(end) >= 50


def test_events_without_timing_give_no_time(fake):
    start, end = fake.cuda.Event(), fake.cuda.Event()
    start.record()
    end.record()
    with pytest.raises(RuntimeError, match="enable_timing"):
        start.elapsed_time(end)


def test_only_what_somebody_holds_is_allocated_and_the_peak_stays(fake):
    kept = torch.zeros(1000)
    assert fake.cuda.memory_allocated() == 4000
    view = kept[:10]
    assert fake.cuda.memory_allocated() == 4000
    torch.zeros(500)
    assert (fake.cuda.memory_allocated(), fake.cuda.max_memory_allocated()) == (4000, 6000)
    del kept, view
    assert fake.cuda.memory_allocated() == 0
    assert fake.cuda.memory_reserved() == 6000
    fake.cuda.empty_cache()
    assert (fake.cuda.memory_reserved(), fake.cuda.mem_get_info()) == (0, (1_000_000, 1_000_000))


def test_each_stream_keeps_a_workspace_from_its_first_product_on(fake):
    a = torch.zeros(10, 10)
    before = fake.cuda.memory_allocated()
    a @ a
    a @ a
    assert fake.cuda.memory_allocated() == before + 1000
    with fake.cuda.stream(fake.cuda.Stream()):
        a @ a
    assert fake.cuda.memory_allocated() == before + 2000


def test_above_the_limit_it_runs_out_of_memory_and_what_the_error_holds_stays(fake):
    def too_much():
        held = torch.zeros(200_000)
        return held, torch.zeros(200_000)

    try:
        too_much()
    except torch.OutOfMemoryError:
        assert fake.cuda.memory_allocated() >= 800_000
    assert fake.cuda.memory_allocated() == 0


def test_a_replay_computes_the_captured_kernels_again(fake):
    given = torch.ones(3)
    graph = fake.cuda.CUDAGraph()
    with fake.cuda.graph(graph, stream=fake.cuda.Stream()):
        result = given * 2 + 1
    given.fill_(10)
    graph.replay()
    assert result.tolist() == [21, 21, 21]
    assert fake.cuda.current_stream() is fake.cuda.default


def test_a_capture_that_reads_back_fails_and_leaves_a_mess(fake):
    stream = fake.cuda.Stream()
    capture = fake.cuda.graph(fake.cuda.CUDAGraph(), stream=stream)
    with pytest.raises(RuntimeError, match="previous error during capture"), capture:
        torch.ones(3).sum().item()
    assert fake.cuda.current_stream() is stream
    with pytest.raises(RuntimeError, match="captures_underway"):
        fake.cuda.empty_cache()


def test_the_default_stream_cannot_be_captured(fake):
    capture = fake.cuda.graph(fake.cuda.CUDAGraph(), stream=fake.cuda.default)
    with pytest.raises(RuntimeError, match="non-default"), capture:
        pass


def test_synchronize_waits(fake):
    fake.cuda.kernel_s = 0.02
    began = time.perf_counter()
    torch.zeros(3)
    fake.cuda.synchronize()
    assert time.perf_counter() - began >= 0.02
