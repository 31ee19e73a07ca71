"""Mutants: wrong ideas as edits of the reference; the hidden checks must catch and name each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from course.lesson import cells, notebooks, regions
from course.reporting import marks
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
        cells.name(cell): regions.without(cell.source, "marker")
        for cell in master.cells
        if cells.is_solution(cell)
    }


def judge(master: NotebookNode, exercise: str, answer: str, language: Language) -> dict[str, str]:
    """What the hidden checks say of an answer: the concepts that fail, each with its sentence."""
    before = spoken()
    speak(language)
    try:
        names = setup(master)
        exec(compile(answer, exercise, "exec"), names)
        exercises = notebooks.exercise_of(master)
        checks = [cell for cell in master.cells if exercises.get(cells.name(cell)) == exercise]
        found = {cells.name(cell): said(cell.source, names) for cell in checks}
    finally:
        speak(before)
    return {concept: sentence for concept, sentence in found.items() if sentence is not None}


def caught(mutant: Mutant, master: NotebookNode, language: Language) -> Mapping[str, str]:
    """The concepts whose check fails for this mutant and names its idea, with what it says."""
    answer = mutant.applied(references(master)[mutant.exercise])
    verdicts = judge(master, mutant.exercise, answer, language)
    return {concept: said for concept, said in verdicts.items() if mutant.idea in marks.ideas_in(said)}


def setup(master: NotebookNode) -> dict[str, object]:
    """The names that the lesson's set-up cells give: what they import, but not the language they set."""
    names: dict[str, object] = {}
    for cell in master.cells:
        if cells.is_setup(cell) and not cells.sets_language(cell):
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


def said(check: str, names: dict[str, object]) -> str | None:
    """What a check says of these names; None when it passes."""
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

UNCLEAR = 'boundary = "unclear"'
SYNCHRONIZATION = 'if synchronized_over_larger >= 2:\n        boundary = "synchronization"\n'
LAUNCH = 'if submit_over_event > 0.9:\n        boundary = "launch"\n'
BOUNDARY = {
    "ratio_upside_down": (
        ('"submit_over_event": submit_over_event', '"submit_over_event": event_us / submit_us'),
    ),
    "synchronized_over_event": (
        (
            '"synchronized_over_larger": synchronized_over_larger',
            '"synchronized_over_larger": synchronized_us / event_us',
        ),
    ),
    "rules_out_of_order": ((f"{SYNCHRONIZATION}    el{LAUNCH}", f"{LAUNCH}    el{SYNCHRONIZATION}"),),
    "unclear_decided": ((UNCLEAR, 'boundary = "launch"'),),
    "unclear_called_device": ((UNCLEAR, 'boundary = "device"'),),
    "bad_timing_accepted": (("event_us) <= 0:", "event_us) < 0:"),),
}

MIDDLE = "steady[(count - 1) // 2] + steady[count // 2]"
BY_RANK = "steady[-(-percent * count // 100) - 1]"
STATS = {
    "cold_in_median": (
        (MIDDLE, "sum(sorted(samples_ms)[(len(samples_ms) - 1) // 2 : len(samples_ms) // 2 + 1])"),
        ('"median_ms": middle / 2', '"median_ms": middle / (2 - len(samples_ms) % 2)'),
    ),
    "mean_for_median": (('"median_ms": middle / 2', '"median_ms": sum(steady) / count'),),
    "upper_middle": ((MIDDLE, "2 * steady[count // 2]"),),
    "rank_off_by_one": ((BY_RANK, "steady[-(-percent * count // 100)]"),),
    "interpolated": ((BY_RANK, 'float(__import__("numpy").percentile(steady, percent))'),),
    "percentile_guessed": ((f"{BY_RANK} if enough else None", BY_RANK),),
    "bad_samples_accepted": (('raise ValueError("samples_ms must be finite and > 0")', "pass"),),
}

STANDARD_KV = "return 2 * layers * kv_heads * head_dim * element_bytes"
LATENT_KV = "return layers * (latent_dim + rope_dim) * element_bytes"
KV = {
    "keys_only": (
        (STANDARD_KV, STANDARD_KV.replace("2 * ", "")),
        ("return 2 * kv_heads * head_dim", "return kv_heads * head_dim"),
    ),
    "window_ignored": (("* min(context_tokens, window)", "* context_tokens"),),
    "latent_doubled": ((LATENT_KV, LATENT_KV.replace("return ", "return 2 * ")),),
    "rope_forgotten": ((LATENT_KV, "return layers * latent_dim * element_bytes"),),
    "scales_forgotten": ((" + groups * scale_bytes", ""),),
    "bad_shape_accepted": (
        (
            "if min(layers, kv_heads, head_dim, element_bytes) <= 0:",
            "if min(layers, kv_heads, head_dim, element_bytes) < 0:",
        ),
    ),
}

USABLE = "int(total_gib * utilization * 2**30)"
FIXED = "int((weights_gib + runtime_gib) * 2**30)"
LEFT = "(usable_bytes - fixed_bytes) // kv_bytes_per_token"
CAPACITY = {
    "gb_for_gib": ((USABLE, USABLE.replace("2**30", "10**9")), (FIXED, FIXED.replace("2**30", "10**9"))),
    "runtime_forgotten": ((FIXED, "int(weights_gib * 2**30)"),),
    "utilization_ignored": ((USABLE, "int(total_gib * 2**30)"),),
    "utilization_after_subtraction": (
        (LEFT, "int((total_gib * 2**30 - fixed_bytes) * utilization) // kv_bytes_per_token"),
    ),
    "negative_tokens": ((f"max(0, {LEFT})", LEFT),),
    "partial_block_shared": (("tokens // block_size // blocks_per_request", "tokens // needed"),),
    "output_not_reserved": (("needed = context + reserved_output", "needed = context"),),
    "bad_memory_accepted": (
        ("if weights_gib < 0 or runtime_gib < 0:", "if weights_gib < 0 and runtime_gib < 0:"),
    ),
}

PER_STEP = "decode_ms / steps <= tpot_slo_ms"
GOODPUT = {
    "survivors_only": (
        ('"arrived": len(requests)', '"arrived": len(completed)'),
        ("good / len(requests)", "good / len(completed)"),
    ),
    "tpot_over_all_tokens": ((PER_STEP, 'decode_ms / request["output_tokens"] <= tpot_slo_ms'),),
    "e2e_seconds_taken_as_ms": (('request["e2e_s"] * 1e3', 'request["e2e_s"]'),),
    "single_token_refused": ((f"steps < 1 or {PER_STEP}", f"steps >= 1 and {PER_STEP}"),),
    "unfinished_counted_good": (
        (
            "sum(map(in_time, completed))",
            'sum(request["ttft_ms"] is not None and in_time(request) for request in requests)',
        ),
    ),
    "lost_tokens_counted": (
        (
            'sum(request["output_tokens"] for request in completed)',
            'sum(request["output_tokens"] for request in requests)',
        ),
    ),
    "bad_trace_accepted": (('raise ValueError("status must be completed, cancelled or failed")', "pass"),),
}

INFINITE = 'if upper == float("inf"):\n                return '
QUANTILE = {
    "bucket_bound_returned": (
        ("return lower + (upper - lower) * (target - below) / (upto - below)", "return upper"),
    ),
    "infinite_answer": ((f"{INFINITE}lower", f"{INFINITE}upper"),),
    "empty_histogram_divided": (("if upto >= target and upto > 0:", "if upto >= target:"),),
    "bad_histogram_accepted": (("if not 0 <= q <= 1 or not buckets or", "if not buckets or"),),
}

MUTANTS = (
    *_mutants("iteration-budget", "cost", COST),
    *_mutants("iteration-budget", "bounds", BOUNDS),
    *_mutants("iteration-budget", "knee", KNEE),
    *_mutants("benchmark-capacity", "boundary", BOUNDARY),
    *_mutants("benchmark-capacity", "stats", STATS),
    *_mutants("benchmark-capacity", "kv", KV),
    *_mutants("benchmark-capacity", "capacity", CAPACITY),
    *_mutants("benchmark-capacity", "goodput", GOODPUT),
    *_mutants("benchmark-capacity", "quantile", QUANTILE),
)
