"""The experiments of this lesson: the seed's protocol, and the two beside it."""

from __future__ import annotations

from helpers import workload
from helpers.workload import Shape


def test_the_seeds_matrix_is_registered_with_its_protocol():
    protocol = workload.registered("inf-iteration-budget")
    assert (protocol.batch_sizes, protocol.context_lengths) == ((1, 2, 4, 8), (128, 512, 1024))
    assert (protocol.warmup, protocol.repeats, protocol.seed) == (5, 20, 2026)
    assert protocol.model_id == "Qwen/Qwen3-0.6B"
    assert len(protocol.shapes) == 12


def test_the_cpu_workload_leaves_out_shapes_above_its_token_limit():
    shapes = workload.registered("inf-iteration-budget-cpu").shapes
    assert {Shape(128, 32), Shape(512, 8)} <= set(shapes)
    assert Shape(512, 16) not in shapes
    assert len(shapes) == 10


def test_the_extended_workload_reaches_batch_256_and_context_4096():
    shapes = workload.registered("inf-iteration-budget-extended").shapes
    assert max(shape.batch for shape in shapes) == 256
    assert max(shape.context_tokens for shape in shapes) == 4096
    assert {shape.series for shape in shapes} == {"dynamic", "static", "cuda_graph"}
