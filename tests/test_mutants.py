"""Every wrong idea fails a hidden check that names it, in both languages; the reference passes."""

from __future__ import annotations

import functools
import re

import pytest

from course.authoring import mutants
from course.authoring.mutants import Mutant
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from helpers.text import CATALOG, LANGUAGES

# About what is data and no function: decisions and verdicts; or named by a visible check only.
WITHOUT_MUTANT = {
    "iteration-budget": {"knee_taken_for_service"},
    "benchmark-capacity": {"lie_believed", "honest_accused", "query_heads_counted"},
}
LESSONS = tuple(WITHOUT_MUTANT)

in_both_languages = pytest.mark.parametrize("language", LANGUAGES)
of_every_mutant = pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda mutant: mutant.idea)


@pytest.fixture(scope="session")
def master(course: CourseFolder):
    """The master of a lesson in a language, read once."""
    return functools.cache(lambda lesson, language: notebooks.load(course.master(lesson, language)))


@in_both_languages
@of_every_mutant
def test_a_wrong_idea_fails_a_hidden_check_that_names_it(mutant: Mutant, language, master):
    assert mutants.caught(mutant, master(mutant.lesson, language))


@in_both_languages
@pytest.mark.parametrize(
    ("lesson", "exercise"), dict.fromkeys((mutant.lesson, mutant.exercise) for mutant in mutants.MUTANTS)
)
def test_the_reference_passes_every_hidden_check(lesson, exercise, language, master):
    reference = mutants.references(master(lesson, language))[exercise]
    assert mutants.judge(master(lesson, language), exercise, reference) == {}


@in_both_languages
@of_every_mutant
def test_no_check_blames_a_wrong_idea_that_the_answer_does_not_have(mutant: Mutant, language, master):
    notebook = master(mutant.lesson, language)
    answer = mutant.applied(mutants.references(notebook)[mutant.exercise])
    verdicts = mutants.judge(notebook, mutant.exercise, answer)
    assert {facts.idea for facts in verdicts.values()} - {None} == {mutant.idea}


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_idea_that_a_check_can_name_has_a_mutant(lesson, master):
    source = "\n".join(cell.source for cell in master(lesson, "zh").cells)
    named = {idea for idea in re.findall(r"\"(\w+)\"", source) if f"idea.{idea}" in CATALOG}
    known = {mutant.idea for mutant in mutants.MUTANTS if mutant.lesson == lesson}
    assert named - WITHOUT_MUTANT[lesson] == known


def test_an_edit_that_no_longer_fits_the_reference_is_refused():
    mutant = Mutant("binary_units", LESSONS[0], "cost", (("no such text", ""),))
    with pytest.raises(ValueError, match="binary_units: 'no such text' must occur once in cost, got 0"):
        mutant.applied("memory_ms = 1")


MEMORY_MS = (
    mutants.MEMORY_RATE,
    "memory_bytes * 1e-6 / effective_bandwidth_gbps",
    "1e3 * memory_bytes / (effective_bandwidth_gbps * 10**9)",
    "memory_bytes / effective_bandwidth_gbps / 1e6",
    "1000 * (memory_bytes / 1e9 / effective_bandwidth_gbps)",
)
COMPUTE_MS = (
    mutants.COMPUTE_RATE,
    "total_flops * 1e-9 / effective_compute_tflops",
    "1e3 * total_flops / (effective_compute_tflops * 10**12)",
    "total_flops / effective_compute_tflops / 1e9",
    "1000 * (total_flops / 1e12 / effective_compute_tflops)",
)


@pytest.mark.parametrize("memory", MEMORY_MS)
@pytest.mark.parametrize("compute", COMPUTE_MS)
def test_a_right_formula_in_any_spelling_passes(memory, compute, master):
    """Floating point rounds each of them in its own way; a tie has to stay a tie."""
    notebook = master("iteration-budget", "en")
    answer = mutants.references(notebook)["cost"]
    answer = answer.replace(mutants.MEMORY_RATE, memory).replace(mutants.COMPUTE_RATE, compute)
    assert mutants.judge(notebook, "cost", answer) == {}


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
def test_a_slip_that_nobody_named_fails_too(slip, master):
    mutant, failing = SLIPS[slip]
    notebook = master(mutant.lesson, "en")
    reference = mutants.references(notebook)[mutant.exercise]
    assert mutants.judge(notebook, mutant.exercise, reference) == {}
    assert set(mutants.judge(notebook, mutant.exercise, mutant.applied(reference))) == failing
