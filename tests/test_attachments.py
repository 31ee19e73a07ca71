"""Results that are handed in beside a notebook, and submissions that hold up nobody."""

from __future__ import annotations

import json
from pathlib import PurePosixPath as P

import pytest
from copying import ASSIGNMENT, FULL, honest

from course.grading.pool import GradingSettings, Outcome, Pool, WorkerFailure
from course.sandbox.limits import ResourceLimits
from course.submission import attachments


def test_only_small_results_of_an_experiment_are_attached():
    good = json.dumps({"schema_version": "inference-mechanism-gpu/v3"}).encode()
    files = [
        (P("a/mine.json"), good),
        (P("a/other.json"), b'{"schema_version": "something/v1"}'),
        (P("a/deep.json"), b"[" * 100_000 + b"inference-mechanism-gpu/"),
        (P("a/big.json"), good + b" " * 2_000_000),
        (P("a/notes.txt"), good),
        (P("a/..json"), good),
        (P("a/broken.json"), good[:-1]),
    ]
    assert list(attachments.results_in(files)) == ["mine.json"]


@pytest.mark.parametrize(
    "metadata",
    [None, [], {"iteration_budget": 3}, {"iteration_budget": {"results": ["x"]}},
     {"iteration_budget": {"results": {"../../x.json": "{}", "a.json": 3, "b.json": "{}"}}}],
)  # fmt: skip
def test_metadata_of_any_shape_are_survived(metadata):
    assert attachments.attached({"metadata": metadata, "cells": []}) == {}


def outcomes_of(settings: GradingSettings, *names: str) -> list[Outcome]:
    data = json.dumps(honest("en")).encode()
    with Pool(settings, 1) as pool:
        outcomes = dict(pool.run((name, data) for name in names))
    assert set(outcomes) == set(names)
    return list(outcomes.values())


def test_no_submission_holds_up_the_class():
    """Whatever keeps a worker busy: it is ended, its submission is refused, and the next one has its turn."""
    patient, short = ResourceLimits(), ResourceLimits(total_seconds=0.01)
    outcomes = outcomes_of(GradingSettings(ASSIGNMENT, short), "first", "second")
    assert {type(outcome) for outcome in outcomes} == {WorkerFailure}
    (outcome,) = outcomes_of(GradingSettings(ASSIGNMENT, patient), "first")
    assert outcome.points == FULL
