"""A right formula passes the hidden checks however it is spelled."""

from __future__ import annotations

import pytest

from course.authoring import mutants
from course.lesson import notebooks
from course.lesson.folder import CourseFolder

MEMORY_MS = (
    "memory_bytes / (effective_bandwidth_gbps * 1e9) * 1e3",
    "memory_bytes * 1e-6 / effective_bandwidth_gbps",
    "1e3 * memory_bytes / (effective_bandwidth_gbps * 10**9)",
    "memory_bytes / effective_bandwidth_gbps / 1e6",
    "1000 * (memory_bytes / 1e9 / effective_bandwidth_gbps)",
)
COMPUTE_MS = (
    "total_flops / (effective_compute_tflops * 1e12) * 1e3",
    "total_flops * 1e-9 / effective_compute_tflops",
    "1e3 * total_flops / (effective_compute_tflops * 10**12)",
    "total_flops / effective_compute_tflops / 1e9",
    "1000 * (total_flops / 1e12 / effective_compute_tflops)",
)


@pytest.mark.parametrize("memory", MEMORY_MS)
@pytest.mark.parametrize("compute", COMPUTE_MS)
def test_a_right_formula_in_any_spelling_passes(memory, compute, course: CourseFolder):
    """Floating point rounds each of them in its own way; a tie has to stay a tie."""
    notebook = notebooks.load(course.master("iteration-budget", "en"))
    answer = mutants.references(notebook)["cost"]
    assert MEMORY_MS[0] in answer
    assert COMPUTE_MS[0] in answer
    answer = answer.replace(MEMORY_MS[0], memory).replace(COMPUTE_MS[0], compute)
    assert mutants.judge(notebook, "cost", answer) == {}
