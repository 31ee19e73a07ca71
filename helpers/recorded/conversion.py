"""The shipped measurements in the report schema of `helpers.results`; read through `recorded.report`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from helpers import hardware, models
from helpers.recorded.files import read_rows
from helpers.recorded.sweep_tables import sweep
from helpers.results import Hardware, ModelInfo, Provenance, Report, ShapeRecord, WorkloadInfo

_KERNEL_SYSTEMS = {
    "qwen3-0.6b-a100-composed": ("a100_sxm", "A100"),
    "qwen3-0.6b-h100-composed": ("h100_sxm", "H100"),
    "qwen3-0.6b-h200-composed": ("h200_sxm", "H200"),
    "qwen3-0.6b-b200-composed": ("b200_sxm", "B200"),
    "qwen3-0.6b-l40s-composed": ("l40s", "L40S"),
    "qwen3-0.6b-rtxpro6000-composed": ("rtx_pro_6000_server", "RTX PRO 6000"),
}
_EAGER = "llama-2-7b-a100-eager"

_GB10 = "qwen2.5-coder-7b-gb10"

NAMES = (*_KERNEL_SYSTEMS, _EAGER, _GB10)


def report(name: str) -> Report:
    """The report of that name, one of NAMES."""
    elsewhere = {_EAGER: _eager, _GB10: _gb10}
    return elsewhere[name]() if name in elsewhere else _composed(name)


def _composed(name: str) -> Report:
    """Step times added up from kernels: nothing that lies between kernels is in them."""
    system, device = _KERNEL_SYSTEMS[name]
    shapes: dict[tuple[int, int], dict[str, float]] = defaultdict(dict)
    for row in read_rows("aic_qwen3_0p6b_kernel_sums.csv"):
        if row["system"] == system:
            shape = int(row["batch"]), int(row["context"])
            shapes[shape][f"{row['phase']}_median_ms"] = float(row["kernel_sum_ms"])
    return Report(
        run_label=name,
        model=_model("Qwen3-0.6B", dtype="bfloat16"),
        hardware=_hardware(device),
        workload=_workload("aiconfigurator-kernel-sums", "095f58a", shapes, context_held=True),
        provenance=Provenance(
            kind="composed_from_kernels",
            source="github.com/ai-dynamo/aiconfigurator @095f58a, systems/data (kernels measured under vLLM)",
            licence="Apache-2.0",
            note="Sums of GEMM and attention kernels of 28 layers and of the output layer, measured one by "
            "one. No launch gaps, norms, sampling or scheduler. Never measured end to end.",
        ),
        **_records(shapes),
    )


def _eager() -> Report:
    """Prefill at the prompt's 256 tokens; decode at 512, its average context (257 to 767 in 511 steps)."""
    table = sweep(_EAGER)
    shapes: dict[tuple[int, int], dict[str, float]] = {}
    for row in table.rows:
        prompt, decoded = row["input_tokens"], row["output_tokens"] - 1
        shapes[row["batch"], prompt] = {"prefill_median_ms": row["prefill_ms"]}
        shapes[row["batch"], prompt + (decoded + 1) // 2] = {"decode_median_ms": row["iteration_ms"]}
    return Report(
        run_label=_EAGER,
        model=_model("Llama-2-7B", dtype="float16"),
        hardware=_hardware("A100"),
        workload=_workload("optimum-benchmark-llama-2-7b", "c8bbe4e", shapes, context_held=False),
        provenance=Provenance(
            kind="recorded_elsewhere",
            source=table.source,
            licence=table.licence,
            note="Measured end to end with eager transformers. Averages, not medians: the decode of 511 "
            "steps divided by 511, while the context grows from 257 to 767 tokens.",
        ),
        **_records(shapes),
    )


def _gb10() -> Report:
    """Prefill at the prompt's length; decode at its average context (p + 1 to p + 32 in 32 steps)."""
    shapes: dict[tuple[int, int], dict[str, float]] = {}
    for row in read_rows("llamacpp_gb10_batched.csv"):
        if row["model"] != "Qwen2.5-Coder-7B-Q8_0":
            continue
        batch, prompt = int(row["batch"]), int(row["prompt_tokens_per_request"])
        steps = int(row["generated_tokens_per_request"])
        shapes[batch, prompt] = {"prefill_median_ms": float(row["prefill_s"]) * 1e3}
        shapes[batch, prompt + steps // 2] = {"decode_median_ms": float(row["decode_s"]) / steps * 1e3}
    return Report(
        run_label=_GB10,
        model=ModelInfo(id="Qwen/Qwen2.5-Coder-7B", dtype="q8_0"),
        hardware=Hardware(device="cuda", name="NVIDIA GB10"),
        workload=_workload("llama.cpp-batched-bench", "4c7e989", shapes, context_held=False),
        provenance=Provenance(
            kind="recorded_elsewhere",
            source="github.com/ggml-org/llama.cpp @4c7e989, benches/dgx-spark.md",
            licence="MIT",
            note="Measured end to end with llama.cpp on a DGX Spark. Averages, not medians: the decode of 32 "
            "steps divided by 32, while the context grows by 32 tokens. Weights in 8 bits.",
        ),
        **_records(shapes),
    )


def _model(name: str, dtype: str) -> ModelInfo:
    model = models.get(name)
    return ModelInfo(
        id=model.hub_id,
        dtype=dtype,
        parameters=model.parameters,
        weight_bytes=model.weight_bytes,
        kv_bytes_per_token=model.kv_bytes_per_token,
        layers=model.layers,
    )


def _hardware(name: str) -> Hardware:
    device = hardware.get(name)
    return Hardware(
        device="cuda",
        name=device.name,
        compute_capability=f"{device.compute_capability:.1f}",
        memory_bytes=device.memory_bytes,
        peak_bandwidth_gbps=device.bandwidth_gbps,
    )


def _workload(
    workload_id: str, version: str, shapes: dict[tuple[int, int], Any], context_held: bool
) -> WorkloadInfo:
    return WorkloadInfo(
        id=workload_id,
        version=version,
        batch_sizes=tuple(sorted({batch for batch, _ in shapes})),
        context_lengths=tuple(sorted({context for _, context in shapes})),
        context_held=context_held,
    )


def _records(shapes: dict[tuple[int, int], dict[str, float]]) -> dict[str, Any]:
    """The records and the status: partial where the table leaves out cells of its own matrix."""
    records = tuple(
        ShapeRecord(batch=batch, context_tokens=context, status="ok", **figures)
        for (batch, context), figures in sorted(shapes.items(), key=lambda item: item[0][::-1])
    )
    cells = len({batch for batch, _ in shapes}) * len({context for _, context in shapes})
    return {
        "records": records,
        "status": "completed" if len(records) == cells else "partial",
        "evidence_level": "published_figures",
        "decision": "reference",
    }
