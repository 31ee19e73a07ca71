"""What an invented result forgets, told from results of other machines."""

from __future__ import annotations

import random

import pytest

from helpers import results, workload
from helpers.results import Hardware, ModelInfo, Report, Sentinel, ShapeRecord, WorkloadInfo
from helpers.schedule import schedule

PROTOCOL = workload.registered(workload.with_random_weights())
T4 = {"device": "cuda", "name": "Tesla T4", "gpu": "Tesla T4", "compute_capability": "7.5"}


def machine(seed):
    """A run of the tiny model on a machine drawn from a seed: its speed, its jitter, its software."""
    draw = random.Random(seed)
    slow, jitter = 10 ** draw.uniform(-0.3, 1.2), draw.uniform(0.005, 0.2)

    def samples(ms, n):
        return tuple(ms * slow * draw.lognormvariate(0, jitter) for _ in range(n))

    turns = schedule(PROTOCOL)
    records = []
    for shape in PROTOCOL.shapes:
        decode, prefill = samples(4 + shape.batch / 4, 20), samples(shape.tokens / 20, 20)
        records.append(
            ShapeRecord(
                batch=shape.batch,
                context_tokens=shape.context_tokens,
                status="ok",
                prefill_samples_ms=prefill,
                decode_samples_ms=decode,
                prefill_submit_samples_ms=tuple(0.9 * ms for ms in prefill[:4]),
                decode_submit_samples_ms=tuple(0.9 * ms for ms in decode[:4]),
                prefill_wall_samples_ms=prefill[:4],
                decode_wall_samples_ms=decode[:4],
                prefill_cold_ms=prefill[0] * draw.uniform(0.8, 9),
                decode_cold_ms=decode[0] * draw.uniform(0.8, 9),
                boundary="wall",
                prefill_rounds=(5, 5, 5, 5),
                decode_rounds=(5, 5, 5, 5),
                positions=tuple(turn.position for turn in turns if turn.shape == shape),
            )
        )
    versions = {"torch": draw.choice(("2.9.1", "2.13.0")), "transformers": draw.choice(("4.57.6", "5.24.0"))}
    return Report(
        profile_id=workload.PROFILES["cpu"],
        run_label="mine",
        status="completed",
        model=ModelInfo(id=PROTOCOL.model_id, dtype="float32", weights="random"),
        hardware=Hardware(device="cpu", name="Some CPU", cpu_threads=draw.choice((1, 2, 64)), **versions),
        workload=WorkloadInfo.of(PROTOCOL),
        records=tuple(records),
        sentinels=tuple(
            Sentinel(position=p, batch=1, context_tokens=127, decode_median_ms=4 * slow)
            for p in range(0, 49, 4)
        ),
        evidence_level="local_mechanism_benchmark_cpu",
    )


def of_each(report, change):
    return report.model_copy(
        update={"records": tuple(r.model_copy(update=change(r)) for r in report.records)}
    )


def errors(report):
    return {finding.code for finding in results.audit(report) if finding.level == "error"}


FORGERIES = {
    "drawn_order": lambda r: of_each(r, lambda x: {"positions": tuple(p + 1 for p in x.positions)}),
    "sentinels": lambda r: r.model_copy(update={"sentinels": ()}),
    "boundary": lambda r: of_each(r, lambda x: {"boundary": "event"}),
    "cold": lambda r: of_each(r, lambda x: {"decode_cold_ms": 0.3 * min(x.decode_samples_ms)}),
    "rounded": lambda r: of_each(
        r, lambda x: {"decode_samples_ms": tuple(round(ms, 2) for ms in x.decode_samples_ms)}
    ),
    "host_clock": lambda r: of_each(
        r, lambda x: {"decode_submit_samples_ms": tuple(2 * ms for ms in x.decode_wall_samples_ms)}
    ),
    "protocol": lambda r: r.model_copy(update={"workload": r.workload.model_copy(update={"repeats": 3})}),
}


@pytest.mark.parametrize("code", FORGERIES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_a_forger_changed_is_named(code, seed):
    assert code in errors(FORGERIES[code](machine(seed)))


@pytest.mark.parametrize("seed", range(30))
def test_no_machine_is_refused_for_being_another(seed):
    assert errors(machine(seed)) == set()


def test_a_prefill_cannot_multiply_faster_than_the_peak():
    """8 x 1024 tokens of Qwen3-0.6B: 2 x 0.44 billion FLOP a token are over 40 ms at a T4's 65 TFLOPS."""
    gpu = machine(1).model_copy(
        update={
            "hardware": Hardware(**T4),
            "model": ModelInfo(id="Qwen/Qwen3-0.6B", dtype="float16"),
        }
    )
    fast = of_each(gpu, lambda x: {"prefill_samples_ms": tuple(1 + ms / 1e3 for ms in x.prefill_samples_ms)})
    slow = of_each(gpu, lambda x: {"prefill_samples_ms": tuple(500 + ms for ms in x.prefill_samples_ms)})
    assert "compute" in errors(fast)
    assert "compute" not in errors(slow)


def test_samples_times_a_number_are_a_copy_and_another_machine_is_none():
    mine, other = machine(1).records[0].decode_samples_ms, machine(2).records[0].decode_samples_ms
    assert results.is_scaled_copy(mine, [1.37 * ms for ms in mine])
    assert results.is_scaled_copy(mine, mine)
    assert not results.is_scaled_copy(mine, other)
    assert not results.is_scaled_copy(mine[:5], mine[:5])
    assert not results.is_scaled_copy([3.0] * 20, [4.0] * 20)
