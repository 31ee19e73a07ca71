"""Measurements that look copied: whole, in part, from the course's own recording; and honest ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from measured import slower

from course.lesson.folder import CourseFolder
from course.reporting import fingerprints, report, similarity
from course.reporting.similarity import SharedMeasurement
from course.submission.attachments import attach
from helpers import results
from helpers.text import LANGUAGES, speak

LESSON = "tiny"
EMPTY = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.fixture
def folder(tmp_path: Path) -> CourseFolder:
    return CourseFolder(tmp_path)


def hand_in(folder: CourseFolder, student: str, data: dict | None) -> None:
    path = folder.submitted(student, LESSON)
    path.parent.mkdir(parents=True)
    path.write_bytes(EMPTY if data is None else attach(EMPTY, {"mine.json": json.dumps(data)}))


def mixed(mine: dict, copied: dict) -> dict:
    """A result whose first three shapes of ten are another's."""
    data = copy.deepcopy(mine)
    data["records"][:3] = copied["records"][:3]
    return results.to_dict(results.from_dict(data, check_digest=False))


def test_copies_are_shown_and_honest_runs_are_not(folder):
    own, other = slower(1.7), slower(0.9)
    handed_in = {"ada": own, "bao": own, "cai": slower(1.1), "dan": slower(1.0), "eve": None, "fay": other}
    handed_in["gil"] = mixed(slower(1.3), other)
    for student, data in handed_in.items():
        hand_in(folder, student, data)
    found = similarity.measurements(folder, LESSON, [*handed_in, "absent"])
    assert found[:2] == (
        SharedMeasurement((similarity.COURSE, "dan"), 1.0),
        SharedMeasurement(("ada", "bao"), 1.0),
    )
    (part,) = found[2:]
    assert part.students == ("fay", "gil")
    assert 0.2 < part.share < 0.4


def test_a_damaged_result_is_nobodys_copy(folder):
    for student in ("ada", "bao"):
        hand_in(folder, student, {"schema_version": "inference-mechanism-gpu/v3", "records": "none"})
    assert similarity.measurements(folder, LESSON, ["ada", "bao"]) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kind_has_its_sentence(language):
    speak(language)
    shared = report._shared(SharedMeasurement(("ada", "bao"), 1.0))
    ours = report._shared(SharedMeasurement((similarity.COURSE, "dan"), 0.5))
    assert "ada, bao" in shared
    assert "100%" in shared
    assert "dan" in ours
    assert similarity.COURSE not in ours


@pytest.mark.parametrize("depth", [400, 1_500, 3_000, 100_000])
@pytest.mark.parametrize(
    "nest",
    [
        lambda n: "x = " + "+".join(["1"] * n),
        lambda n: "x = " + "(" * n + ")" * n,
        lambda n: "x = " + "not " * n + "1",
        lambda n: "x = a" + ".b" * n,
        lambda n: "if a:\n pass\n" + "elif a:\n pass\n" * n,
        lambda n: "\n".join(" " * i + "if a:" for i in range(min(n, 3_000))),
    ],
    ids=["sum", "parentheses", "not", "attributes", "elif", "blocks"],
)
def test_code_of_any_depth_has_fingerprints(nest, depth):
    found = [one.value for one in fingerprints.of_code(nest(depth))]
    assert found
    assert found == [one.value for one in fingerprints.of_code(nest(depth) + "  # comment")]
