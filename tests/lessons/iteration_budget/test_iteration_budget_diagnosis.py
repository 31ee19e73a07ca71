"""The first lesson's wrong ideas, named by the examiner from what a submission does, in both languages."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import small
from diagnosed import fails, named
from restyled import restyled

from course.grading.assessment import assess
from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.diagnosis.hypotheses import reference_source
from course.lesson.folder import CourseFolder
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox, unavailable
from course.sandbox.unsandboxed import Unsandboxed
from course.text import sentence

LESSON = "iteration-budget"
COURSE = CourseFolder(small.ROOT)
ASSIGNMENT = COURSE.assignment(LESSON)
MASTER = ASSIGNMENT.masters["zh"]
IDEAS = MASTER.secrets.ideas
EXERCISES = ("cost", "bounds", "knee")
# Where one idea leaves nothing to see of the other, the one is named.
MASKED = {
    ("rounded_up", "rounded_to_nearest"): {"rounded_to_nearest"},
    ("rounded_up", "zero_raised_to_one"): {"zero_raised_to_one"},
}
APART = {
    "measured-choice"
}  # rests on a student's own measurement: what a function made of it is not known here
ALONE = [((it.idea,), it.exercise, it.applied(reference_source(MASTER, it.exercise))) for it in IDEAS.mutants]
PAIRS = [
    (ideas, exercise, source)
    for exercise in EXERCISES
    for ideas, source in list(IDEAS.pairs(exercise, reference_source(MASTER, exercise)))[::4]
]
MEMORY_MS = "memory_bytes / (effective_bandwidth_gbps * 1e9) * 1e3"


@pytest.fixture(scope="module")
def room() -> Iterator[Sandbox | Unsandboxed]:
    with Unsandboxed(ResourceLimits()) if unavailable() else Sandbox() as room:
        yield room


def submission(language: str, exercise: str, answer: str) -> bytes:
    """A submission with this answer; every other one is right."""
    notebook = json.loads(COURSE.released(LESSON, language).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] in MASTER.by_name and MASTER.cells[MASTER.by_name[cell["id"]]].owner == "solution":
            cell["source"] = reference_source(MASTER, cell["id"])
        cell["source"] = answer if cell["id"] == exercise else cell["source"]
    return json.dumps(notebook).encode()


def diagnosis(assessed, exercise: str) -> Diagnosis:
    about = json.loads(assessed.notebook)["metadata"]["iteration_budget"]
    return Diagnosis.from_dict(about.get("diagnoses", {}).get(exercise))


def test_there_are_thirty_pairs_to_try():
    assert len(PAIRS) >= 30


@pytest.mark.parametrize(
    ("place", "ideas", "exercise", "answer"),
    [pytest.param(place, *one, id="+".join(one[0])) for place, one in enumerate([*ALONE, *PAIRS])],
)
def test_an_idea_alone_and_a_pair_of_them_is_named_and_costs_once(place, ideas, exercise, answer, room):
    language = ("zh", "en")[place % 2]
    assessed = assess(submission(language, exercise, restyled(answer, place)), ASSIGNMENT, room)
    found, expected = diagnosis(assessed, exercise), MASKED.get(ideas, set(ideas))
    assert (set(found.ideas), found.either) == (expected, ())
    told = [verdict for verdict in assessed.verdicts if verdict.cell not in APART]
    assert {verdict.facts.idea for verdict in told if verdict.facts} <= expected
    lost = sum(verdict.max_score - (verdict.score or 0.0) for verdict in told)
    assert lost == len(set(found.charged.values())) <= len(expected)
    assert found.example is not None
    assert "{" not in sentence(found.example, language).partition("(")[0]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_foreign_slips_are_named_for_nothing_and_shown_a_small_case(exercise, room):
    for old, new in FOREIGN[exercise]:
        source = reference_source(MASTER, exercise)
        assert source.count(old) == 1, old
        answer = source.replace(old, new)
        assert named(MASTER, exercise, answer) == []
        assert fails(MASTER, exercise, answer), new
    assessed = assess(submission("en", exercise, answer), ASSIGNMENT, room)
    assert diagnosis(assessed, exercise).ideas == ()
    assert len(sentence(diagnosis(assessed, exercise).example, "en")) < 600


# Wrong in ways that the lesson has no name for: (what stands in the reference, what stands there instead).
FOREIGN = {
    "cost": [
        (MEMORY_MS, "memory_bytes / (effective_bandwidth_gbps * 1e9) * 1e6"),
        ("weight_bytes + kv_read_bytes + kv_write_bytes", "weight_bytes + kv_read_bytes"),
        ("= scheduled_prefill_tokens + scheduled_decode_tokens", "= scheduled_decode_tokens"),
        (
            "kv_bytes_per_token * sum(active_context_tokens)",
            "kv_bytes_per_token * len(active_context_tokens)",
        ),
        ("max(memory_ms, compute_ms)", "min(memory_ms, compute_ms)"),
    ],
    "bounds": [
        ("(context_tokens_per_request + reserved_output_tokens)", "reserved_output_tokens"),
        ("available_kv_bytes // kv_bytes_per_request", "available_kv_bytes // kv_bytes_per_token"),
        ("min(limits.values())", "max(limits.values())"),
        ("available_kv_bytes // kv_bytes_per_request", "available_kv_bytes / kv_bytes_per_request"),
    ],
    "knee": [
        ('record["iteration_ms"] > max_iteration_ms', 'record["iteration_ms"] >= max_iteration_ms'),
        ('key=lambda item: item["batch"]', 'key=lambda item: -item["batch"]'),
        ('key=lambda item: item["batch"]', 'key=lambda item: item["throughput"]'),
    ],
}
