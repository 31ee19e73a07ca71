"""Mutants: wrong ideas as edits of the reference; the hidden checks must catch and name each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from course import marks, notebooks
from helpers.text import Language, speak, spoken

Edit = tuple[str, str]


@dataclass(frozen=True)
class Mutant:
    """A wrong idea: its lesson and solution cell, and edits whose old text occurs exactly once."""

    idea: str
    lesson: str
    exercise: str
    edits: tuple[Edit, ...]

    def applied(self, source: str) -> str:
        """The reference with this wrong idea in it; an edit that does not fit raises ValueError."""
        for old, new in self.edits:
            if source.count(old) != 1:
                raise ValueError(
                    f"{self.idea}: {old!r} must occur once in {self.exercise}, got {source.count(old)}"
                )
            source = source.replace(old, new)
        return source


def references(master: NotebookNode) -> dict[str, str]:
    """The reference solution of each exercise."""
    return {
        notebooks.name(cell): notebooks.without(cell.source, "marker")
        for cell in master.cells
        if notebooks.is_solution(cell)
    }


def judge(master: NotebookNode, exercise: str, answer: str, language: Language) -> dict[str, str]:
    """What the hidden checks say of an answer: the concepts that fail, each with its sentence."""
    before = spoken()
    speak(language)
    try:
        names = _setup(master)
        exec(compile(answer, exercise, "exec"), names)
        exercises = notebooks.exercise_of(master)
        checks = [cell for cell in master.cells if exercises.get(notebooks.name(cell)) == exercise]
        said = {notebooks.name(cell): _said(cell.source, names) for cell in checks}
    finally:
        speak(before)
    return {concept: sentence for concept, sentence in said.items() if sentence is not None}


def caught(mutant: Mutant, master: NotebookNode, language: Language) -> Mapping[str, str]:
    """The concepts whose check fails for this mutant and names its idea, with what it says."""
    answer = mutant.applied(references(master)[mutant.exercise])
    verdicts = judge(master, mutant.exercise, answer, language)
    return {concept: said for concept, said in verdicts.items() if mutant.idea in marks.ideas_in(said)}


def _setup(master: NotebookNode) -> dict[str, object]:
    """The names that the lesson's set-up cells give: what they import, but not the language they set."""
    names: dict[str, object] = {}
    for cell in master.cells:
        if notebooks.is_setup(cell) and not notebooks.sets_language(cell):
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


def _said(check: str, names: dict[str, object]) -> str | None:
    try:
        exec(compile(check, "check", "exec"), dict(names))
    except AssertionError as problem:
        return str(problem)
    return None


def _mutants(lesson: str, exercise: str, ideas: Mapping[str, tuple[Edit, ...]]) -> tuple[Mutant, ...]:
    return tuple(Mutant(idea, lesson, exercise, edits) for idea, edits in ideas.items())


MEMORY_RATE = "memory_bytes / (effective_bandwidth_gbps * 1e9) * 1e3"
COMPUTE_RATE = "total_flops / (effective_compute_tflops * 1e12) * 1e3"
ITERATION = "max(memory_ms, compute_ms) + exposed_overhead_ms"
KV_READ = "kv_bytes_per_token * sum(active_context_tokens)"
DOMINANT = '"memory" if memory_ms >= compute_ms else "compute"'
COST = {
    "binary_units": ((MEMORY_RATE, "memory_bytes / (effective_bandwidth_gbps * 2**30) * 1e3"),),
    "ms_forgotten": (
        (MEMORY_RATE, "memory_bytes / (effective_bandwidth_gbps * 1e9)"),
        (COMPUTE_RATE, "total_flops / (effective_compute_tflops * 1e12)"),
    ),
    "giga_flops": ((COMPUTE_RATE, "total_flops / (effective_compute_tflops * 1e9) * 1e3"),),
    "sides_added": ((ITERATION, "memory_ms + compute_ms + exposed_overhead_ms"),),
    "overhead_inside_max": ((ITERATION, "max(memory_ms, compute_ms, exposed_overhead_ms)"),),
    "weights_per_request": (
        (
            "= weight_bytes + kv_read_bytes",
            "= weight_bytes * max(1, len(active_context_tokens)) + kv_read_bytes",
        ),
    ),
    "longest_context_only": ((KV_READ, "kv_bytes_per_token * max(active_context_tokens, default=0)"),),
    "kv_read_times_batch": ((KV_READ, f"{KV_READ} * len(active_context_tokens)"),),
    "kv_written_for_decode_only": (
        ("= kv_bytes_per_token * scheduled_tokens", "= kv_bytes_per_token * scheduled_decode_tokens"),
    ),
    "flops_of_decode_only": (
        ("= flops_per_token * scheduled_tokens", "= flops_per_token * scheduled_decode_tokens"),
    ),
    "tie_called_compute": ((DOMINANT, '"memory" if memory_ms > compute_ms else "compute"'),),
    "dominant_with_overhead": (
        (DOMINANT, '"memory" if memory_ms >= compute_ms + exposed_overhead_ms else "compute"'),
    ),
    "empty_batch_refused": (
        (
            "    kv_read_bytes =",
            '    if scheduled_tokens == 0:\n        raise ValueError("nothing to do")\n    kv_read_bytes =',
        ),
    ),
    "bad_cost_accepted": (("if min(amounts) < 0:", "if weight_bytes < 0:"),),
}

KV_BOUND = "available_kv_bytes // kv_bytes_per_request"
TOKEN_BOUND = "max_num_batched_tokens // scheduled_tokens_per_request"
BOUNDS = {
    "first_binding_only": (
        ("[name for name, limit in limits.items() if limit == final_limit]", "[min(limits, key=limits.get)]"),
    ),
    "reserved_output_forgotten": (
        ("* (context_tokens_per_request + reserved_output_tokens)", "* context_tokens_per_request"),
    ),
    "rounded_up": (
        (KV_BOUND, "-(-available_kv_bytes // kv_bytes_per_request)"),
        (TOKEN_BOUND, "-(-max_num_batched_tokens // scheduled_tokens_per_request)"),
    ),
    "rounded_to_nearest": (
        (KV_BOUND, "round(available_kv_bytes / kv_bytes_per_request)"),
        (TOKEN_BOUND, "round(max_num_batched_tokens / scheduled_tokens_per_request)"),
    ),
    "token_by_context": ((TOKEN_BOUND, "max_num_batched_tokens // context_tokens_per_request"),),
    "zero_raised_to_one": ((KV_BOUND, f"max(1, {KV_BOUND})"), (TOKEN_BOUND, f"max(1, {TOKEN_BOUND})")),
    "bad_capacity_accepted": (("if min(inputs) <= 0:", "if min(inputs) < 0:"),),
}

PREVIOUS = 'max(selected["throughput"], 1e-12)'
SATURATED = 'stop_reason = "throughput_saturation"'
OVER_SLO = 'stop_reason = "slo_violation"\n            break'
BY_BATCH = 'sorted(records, key=lambda item: item["batch"])'
KNEE = {
    "threshold_included": (
        ("relative_gain < min_relative_throughput_gain", "relative_gain <= min_relative_throughput_gain"),
    ),
    "gain_relative_to_current": ((PREVIOUS, 'max(record["throughput"], 1e-12)'),),
    "gain_relative_to_first": ((PREVIOUS, f'max({BY_BATCH}[0]["throughput"], 1e-12)'),),
    "gain_absolute": ((f"gain / {PREVIOUS}", "gain"),),
    "input_order_trusted": ((BY_BATCH, "records"),),
    "saturated_record_returned": ((SATURATED, f"{SATURATED}\n                selected = record"),),
    "slo_record_skipped": ((OVER_SLO, OVER_SLO.replace("break", "continue")),),
    "division_by_zero": ((PREVIOUS, 'selected["throughput"]'),),
    "bad_sweep_accepted": (
        (
            "if not records or max_iteration_ms <= 0 or min_relative_throughput_gain < 0:",
            "if max_iteration_ms < 0:",
        ),
    ),
}

MUTANTS = (
    *_mutants("iteration-budget", "cost", COST),
    *_mutants("iteration-budget", "bounds", BOUNDS),
    *_mutants("iteration-budget", "knee", KNEE),
)
