"""A student's own measurement is what the decision is graded on, once it is handed in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import small
from handout import Handout, find
from measured import slower

from course.collecting.collect import collect
from course.grading.assessment import assess
from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import Sandbox
from course.text import sentence
from helpers import results

LESSON = "iteration-budget"
HANDOUT = Handout.of(CourseFolder(small.ROOT), LESSON)
ASSIGNMENT, answer, honest = HANDOUT.assignment, HANDOUT.answer, HANDOUT.honest
NAME = "iteration_budget_cpu_mine.json"
SETTINGS = """RUN_MODE = "real_cpu"
RUN_LABEL = "mine"
WORKLOAD_ID = "inf-iteration-budget-cpu"
GPU_RESULT_DIR = None
"""


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as made:
        yield made


def stopped(report, context_tokens, slo=4, least=0.1):
    """Where the rule stops, and why."""
    rows = sorted((r for r in report.ok if r.context_tokens == context_tokens), key=lambda r: r.batch)
    chosen = rows[0]
    for row in rows[1:]:
        if row.decode_median_ms > slo * rows[0].decode_median_ms:
            return chosen, "slo_violation"
        if row.decode_tokens_per_s / chosen.decode_tokens_per_s - 1 < least:
            return chosen, "throughput_saturation"
        chosen = row
    return chosen, "largest_valid_batch"


def decided(report: dict) -> dict:
    """An honest notebook with the experiment set to real, and the decision as literals of this report."""
    found = results.from_dict(report)
    contexts = {record.context_tokens for record in found.ok}
    chosen, reason = stopped(found, min(contexts))
    others = {
        "slo": stopped(found, min(contexts), slo=2),
        "gain": stopped(found, min(contexts), least=0.2),
        "context": stopped(found, max(contexts)),
    }
    changing = [name for name, (row, _) in others.items() if row.batch != chosen.batch]
    decision = {
        "batch": chosen.batch,
        "stop_reason": reason,
        "throughput": chosen.decode_tokens_per_s,
        "iteration_ms": chosen.decode_median_ms,
        "would_change": changing or ["none"],
    }
    notebook = honest("en", **{"measured-decision": f"measured_decision = {decision!r}"})
    find(notebook, "experiment-settings")["source"] = SETTINGS
    return notebook


def handed_in(folder: Path, notebook: dict, report: dict | None) -> bytes:
    """The bytes that collecting put into `submitted/`."""
    box = folder / "in" / "ada"
    box.mkdir(parents=True)
    (box / f"{LESSON}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    if report is not None:
        (box / NAME).write_text(json.dumps(report), encoding="utf-8")
    (receipt,) = collect(folder / "in", folder / "submitted", ASSIGNMENT)
    assert receipt.taken
    assert ("intake.results" in {note.key for note in receipt.notes}) == (report is not None)
    return (folder / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb").read_bytes()


def measured_points(data: bytes, sandbox: Sandbox) -> dict[str, float]:
    verdicts = assess(data, ASSIGNMENT, sandbox).verdicts
    return {v.cell: v.score for v in verdicts if v.cell.startswith("measured-")}


def test_the_decision_is_graded_on_the_result_that_was_handed_in(tmp_path, sandbox):
    report = slower(3.0)
    data = handed_in(tmp_path, decided(report), report)
    assert measured_points(data, sandbox) == {"measured-choice": 1.0, "measured-evidence": 1.0}


def test_a_result_that_was_not_handed_in_is_said_to_be_missing(tmp_path, sandbox):
    """Not that 191.252 was expected, which nobody measured."""
    data = handed_in(tmp_path, decided(slower(3.0)), None)
    failed = {v.cell: v.facts for v in assess(data, ASSIGNMENT, sandbox).verdicts if v.facts}
    assert {cell: facts.key for cell, facts in failed.items()} == dict.fromkeys(
        ("measured-choice", "measured-evidence"), "examiner.no_results"
    )
    assert "No result file came with this notebook" in sentence(failed["measured-choice"], "en")


def test_a_wrong_decision_on_a_result_that_was_handed_in_is_told_as_such(tmp_path, sandbox):
    report = slower(3.0)
    wrong = decided(report)
    find(wrong, "measured-decision")["source"] += "\nmeasured_decision['throughput'] *= 2"
    data = handed_in(tmp_path, wrong, report)
    keys = {v.cell: v.facts.key for v in assess(data, ASSIGNMENT, sandbox).verdicts if v.facts}
    assert keys["measured-choice"].startswith("check.")


def test_a_result_that_contradicts_itself_is_no_evidence(tmp_path, sandbox):
    report = slower(3.0)
    notebook = decided(report)
    for record in report["records"]:
        record["kv_cache_bytes"] += 4096
    report = results.to_dict(results.from_dict(report, check_digest=False))
    points = measured_points(handed_in(tmp_path, notebook, report), sandbox)
    assert points["measured-evidence"] == 0.0


@pytest.mark.parametrize("decision", ["{}", '{"batch": 3}', '{"batch": [1]}', "None", "7"])
def test_a_decision_on_no_row_of_the_measurement_is_none(sandbox, decision):
    notebook = honest("en", **{"measured-decision": f"measured_decision = {decision}"})
    points = measured_points(json.dumps(notebook).encode(), sandbox)
    assert points == {"measured-choice": 0.0, "measured-evidence": 0.0}


@pytest.mark.parametrize("path", ["/etc/passwd", "/dev/zero", "nowhere.json"])
def test_a_path_in_the_place_of_a_result_opens_nothing(sandbox, path):
    """Hidden tests run with the grader's rights: what a student names there is data, never a file."""
    notebook = honest(
        "en", **{"measured-decision": f"MEASURED_JSON = {path!r}\n" + answer("measured-decision")}
    )
    examined = assess(json.dumps(notebook).encode(), ASSIGNMENT, sandbox)
    said = {v.cell: sentence(v.facts) for v in examined.verdicts if v.cell.startswith("measured-")}
    assert set(said) == {"measured-choice", "measured-evidence"}
    assert all("AttributeError" in message for message in said.values())


@pytest.mark.parametrize(
    "would_change",
    [
        "[k * (2**61 - 1) for k in range(2, 20_000)]",
        "list('abcde')",
        "7",
        "[[1]]",
        "[]",
        '["none"]',
        '["slo", "gain", "context"]',
    ],
)
def test_a_list_of_changes_is_short_and_known(sandbox, would_change):
    more = answer("measured-decision") + f"\nmeasured_decision['would_change'] = {would_change}"
    examined = assess(json.dumps(honest("en", **{"measured-decision": more})).encode(), ASSIGNMENT, sandbox)
    assert examined.seconds < 30
    assert {v.cell for v in examined.verdicts if not v.score} == {"measured-choice"}


def test_a_sweep_and_a_limit_of_ones_own_earn_nothing(sandbox):
    """Tests look at the result file, not at what a student made of it."""
    forged = """row = {"batch": 1, "throughput": 7.0, "iteration_ms": 1.0}
measured_sweep, MEASURED_SLO_MS = [row], 1e9
measured_decision = {**row, "stop_reason": "largest_valid_batch", "would_change": ["slo"]}"""
    points = measured_points(json.dumps(honest("en", **{"measured-decision": forged})).encode(), sandbox)
    assert points["measured-choice"] == 0.0


def test_nothing_that_a_student_sets_is_acted_on_by_the_trusted_side() -> None:
    """What follows from a form in an open cell (a run mode, a folder) is the student's to tell, as data."""
    tests = ASSIGNMENT.masters["zh"].tests
    forms = {"RUN_MODE", "RUN_LABEL", "GPU_RESULT_DIR", "WORKLOAD_ID"}
    assert not any(forms & set(test.students_names) for test in tests.values())
    assert "MEASURED_JSON" in tests["measured-evidence"].students_names


def test_nbgraders_own_command_uses_the_result_too(tmp_path):
    """`nbgrader autograde` is what formgrader's button runs: 25 points without the result, else 26."""
    course, report = small.copied(LESSON, tmp_path / "course"), slower(3.0)
    small.run(course, "release", LESSON)
    handed_in(tmp_path, decided(report), report)
    shutil.copytree(tmp_path / "submitted", course.root / "submitted")
    autograde = [sys.executable, "-m", "nbgrader", "autograde", LESSON]
    done = subprocess.run(autograde, cwd=course.root, env=small.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    by_nbgrader = small.scores(course.gradebook)
    small.run(course, "grade", LESSON)
    assert by_nbgrader == small.scores(course.gradebook)
    assert small.points(course.gradebook) == {"ada": HANDOUT.full}
