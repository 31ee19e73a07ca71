"""Slips that no idea names fail the hidden checks all the same."""

from __future__ import annotations

import pytest

from course.authoring import mutants
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.lesson.wrong_ideas import Mutant

SLIPS = {
    "rank rounded up in a histogram": (
        Mutant(
            "", "benchmark-capacity", "quantile", (("q * buckets[-1][1]", "-(-q * buckets[-1][1] // 1)"),)
        ),
        {"quantile-interpolates"},
    ),
    "a group that crosses heads": (
        Mutant(
            "",
            "benchmark-capacity",
            "kv",
            (
                ("-(-head_dim // group_size)", "-(-kv_heads * head_dim // group_size)"),
                ("kv_heads * (head_dim * element_bits", "(kv_heads * head_dim * element_bits"),
            ),
        ),
        {"kv-quantized"},
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_that_nobody_named_fails_too(slip, course: CourseFolder):
    mutant, failing = SLIPS[slip]
    notebook = notebooks.load(course.master(mutant.lesson, "en"))
    reference = mutants.references(notebook)[mutant.exercise]
    assert mutants.judge(notebook, mutant.exercise, reference) == {}
    assert set(mutants.judge(notebook, mutant.exercise, mutant.applied(reference))) == failing
