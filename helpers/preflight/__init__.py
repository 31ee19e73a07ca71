"""The check before an experiment: status ok, or named reasons, each with a way out.

torch is handed in, so that importing this package stays cheap; facts are collected first and judged after, so
that every reason can be tested without the machine that has it.

Imports: platforms, text, workload.
`experiment` calls it.
"""

from helpers.preflight.device import DeviceFacts, facts
from helpers.preflight.driver import Asked, gpu_of, number, nvidia_smi
from helpers.preflight.host import available_bytes, cpu_name
from helpers.preflight.verdict import Need, Preflight, PreflightFinding, check, dtype_for, has_kernels
from helpers.preflight.weights import Supply, gguf_file, reachable, supply

__all__ = [
    "Asked",
    "DeviceFacts",
    "Need",
    "Preflight",
    "PreflightFinding",
    "Supply",
    "available_bytes",
    "check",
    "cpu_name",
    "dtype_for",
    "facts",
    "gguf_file",
    "gpu_of",
    "has_kernels",
    "number",
    "nvidia_smi",
    "reachable",
    "supply",
]
