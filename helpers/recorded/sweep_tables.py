"""Recorded tables by batch or concurrency."""

from __future__ import annotations

from dataclasses import dataclass

from helpers.recorded.files import Kind, known_name, read_rows


@dataclass(frozen=True)
class Sweep:
    """One recorded table by batch or concurrency.

    Each row is a record as `select_operating_knee` takes it: batch, throughput (tokens per second, all
    requests together), iteration_ms (milliseconds between two tokens of one request), and what else the
    source gives.
    """

    name: str
    title: str
    model: str
    device: str
    device_count: int
    kind: Kind
    source: str
    licence: str
    rows: tuple[dict[str, float], ...]


def sweeps() -> tuple[str, ...]:
    """The names that `sweep` knows."""
    return tuple(_SWEEPS)


def sweep(name: str) -> Sweep:
    """The recorded table of that name; an unknown name raises ValueError."""
    return _SWEEPS[known_name(name, sweeps())](name)


def _nim_sweep(name: str) -> Sweep:
    """batch is the concurrency: requests sent and not finished, running and waiting together."""
    return Sweep(
        name=name,
        title="NVIDIA NIM 1.8.0, Llama-3.3-70B fp8, 2 × H100",
        model="Llama-3.3-70B",
        device="H100",
        device_count=2,
        kind="measured end to end",
        source="NVIDIA NIM for LLMs benchmarking guide 1.0.0, page Performance",
        licence="figures quoted with their source",
        rows=tuple(
            {
                "batch": int(row["concurrency"]),
                "throughput": float(row["output_tokens_per_s"]),
                "iteration_ms": float(row["itl_ms"]),
                "ttft_ms": float(row["ttft_ms"]),
                "input_tokens": int(row["input_tokens"]),
                "output_tokens": int(row["output_tokens"]),
            }
            for row in read_rows("nim_llama33_70b_2xh100_fp8_concurrency.csv")
        ),
    )


def _optimum_sweep(name: str) -> Sweep:
    """A step is the decode's time through its 511 steps; a step gives one token to each request."""
    return Sweep(
        name=name,
        title="transformers eager, Llama-2-7B float16, A100-80GB",
        model="Llama-2-7B",
        device="A100",
        device_count=1,
        kind="measured end to end",
        source="github.com/huggingface/optimum-benchmark @c8bbe4e",
        licence="Apache-2.0",
        rows=tuple(_optimum_row(row) for row in read_rows("optimum_llama2_7b_a100_hf_eager.csv")),
    )


def _optimum_row(row: dict[str, str]) -> dict[str, float]:
    batch, decoded = int(row["batch"]), int(row["new_tokens"]) - 1
    step_s = float(row["decode_s"]) / decoded
    return {
        "batch": batch,
        "throughput": batch / step_s,
        "iteration_ms": step_s * 1e3,
        "prefill_ms": float(row["prefill_s"]) * 1e3,
        "input_tokens": int(row["prompt_tokens"]),
        "output_tokens": int(row["new_tokens"]),
    }


_SWEEPS = {
    "llama-3.3-70b-2xh100-fp8": _nim_sweep,
    "llama-2-7b-a100-eager": _optimum_sweep,
}
