"""The fit of a decode step against devices whose truth is known, and against whole batches held out."""

from __future__ import annotations

from itertools import product
from random import Random
from statistics import median

import pytest

from helpers import models, recorded
from helpers.results import Step, fit_steps

QWEN = models.get("Qwen3-0.6B")
SHAPES = tuple(product((1, 2, 4, 8, 16, 32), (128, 512, 1024, 2048)))


def moved(batch: int, context: int) -> float:
    return QWEN.weight_bytes + QWEN.kv_bytes_per_token * batch * (context + 1)


def device(kind: str, batch: int, context: int) -> float:
    """The true time (ms): a slow host, 280 GB/s, or computing for each request."""
    return {
        "constant": 30.0,
        "memory": 0.5 + moved(batch, context) / 280e6,
        "batch": 2.0 + 1.5 * batch,
    }[kind]


@pytest.mark.parametrize("kind", ["constant", "memory", "batch"])
def test_the_diagnosis_is_right_in_a_thousand_draws(kind):
    random = Random(7)
    for _ in range(1000):
        steps = [
            Step(b, moved(b, c), device(kind, b, c) * random.uniform(0.98, 1.02)) for b, c in SHAPES[::2]
        ]
        fit = fit_steps(steps, 320.0)
        assert fit.side == kind
        assert "above_peak" not in fit.remarks
        assert ("no_bandwidth" in fit.remarks) == (kind != "memory")
        if kind == "constant":
            assert fit.bandwidth_gbps is None
            assert 29.4 <= fit.predicted_ms(4, 1e9) <= 30.6


def test_a_bandwidth_above_the_peak_one_shape_and_another_kernel_are_each_said():
    fast = [Step(b, moved(b, c), device("memory", b, c)) for b, c in SHAPES]
    assert "above_peak" in fit_steps(fast, 100.0).remarks
    alone = fit_steps(fast[:1], 320.0)
    assert alone.remarks == ("few_shapes", "no_bandwidth", "no_bound")
    assert alone.predicted_ms(1, 1.0) == fast[0].ms
    falling = fit_steps([Step(1, 1e9, 40.0), Step(2, 2e9, 30.0), Step(4, 4e9, 20.0)])
    assert (falling.ms_per_byte, falling.ms_per_request, falling.fixed_ms) == (0.0, 0.0, 30.0)
    assert "other_kernel" in falling.remarks
    assert all("fit." not in line for line in falling.said().splitlines())


@pytest.mark.parametrize("steps", [[], [Step(1, 1.0, 0.0)]])
def test_no_step_and_a_step_of_no_time_are_refused(steps):
    with pytest.raises(ValueError, match="ms"):
        fit_steps(steps)


def held_out(name: str) -> float:
    """The median relative error over batches that the fit has not seen, each held out in turn."""
    report = recorded.report(name)
    # Qwen2.5-Coder-7B: 8 bit, 28 layers, 4 KV heads of 128 in 16 bit.
    gb10 = (8.1e9, 2 * 28 * 4 * 128 * 2)
    weights, kv = gb10 if "gb10" in name else (QWEN.weight_bytes, QWEN.kv_bytes_per_token)
    steps = [
        Step(r.batch, weights + kv * r.batch * r.context_tokens, r.decode_median_ms)
        for r in report.ok
        if r.decode_median_ms
    ]
    errors = []
    for batch in sorted({step.batch for step in steps}):
        fit = fit_steps([step for step in steps if step.batch != batch])
        out = [step for step in steps if step.batch == batch]
        errors += [abs(fit.predicted_ms(step.batch, step.moved_bytes) / step.ms - 1) for step in out]
    return median(errors)


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        ("qwen2.5-coder-7b-gb10", 0.09),
        ("qwen3-0.6b-h200-composed", 0.04),
        ("qwen3-0.6b-a100-composed", 0.07),
        ("qwen3-0.6b-h100-composed", 0.03),
    ],
)
def test_whole_batches_held_out_are_predicted(name, reached):
    error = held_out(name)
    print(f"{name}: {error:.1%}")
    assert error <= reached
