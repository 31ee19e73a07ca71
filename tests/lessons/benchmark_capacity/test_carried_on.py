"""A verdict computed with a wrong function of the student's own: the function costs, not the verdict."""

from __future__ import annotations

import json

import pytest
import small

from course.grading.assessment import Assessment, assess
from course.grading.diagnosis.hypotheses import reference_source
from course.lesson.folder import CourseFolder
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox, unavailable
from course.sandbox.unsandboxed import Unsandboxed

LESSON = "benchmark-capacity"
COURSE = CourseFolder(small.ROOT)
ASSIGNMENT = COURSE.assignment(LESSON)
MASTER = ASSIGNMENT.masters["zh"]


@pytest.fixture(scope="module")
def graded():
    """What a submission with the GiB taken as 10^9 bytes comes to, given its verdict on report B."""
    with Unsandboxed(ResourceLimits()) if unavailable() else Sandbox() as room:

        def of(repaired: str, **how: bool) -> Assessment:
            notebook = json.loads(COURSE.released(LESSON, "en").read_text(encoding="utf-8"))
            for cell in notebook["cells"]:
                if (
                    cell["id"] in MASTER.by_name
                    and MASTER.cells[MASTER.by_name[cell["id"]]].owner == "solution"
                ):
                    source = reference_source(MASTER, cell["id"]).replace('card["tokens"]', repaired)
                    cell["source"] = source.replace("* 2**30)", "* 10**9)")
            return assess(json.dumps(notebook).encode(), ASSIGNMENT, room, **how)

        yield of


def lost(assessed: Assessment) -> set[str]:
    return {verdict.cell for verdict in assessed.verdicts if verdict.score != verdict.max_score}


def test_what_follows_from_an_idea_that_is_paid_for_keeps_its_points(graded):
    assert lost(graded('card["tokens"]')) == {"capacity-tokens"}


def test_without_follow_through_it_costs(graded):
    assert lost(graded('card["tokens"]', follow_through=False)) == {
        "capacity-tokens",
        "capacity-none",
        "lie-b",
    }


def test_another_wrong_value_costs(graded):
    assert lost(graded("12_345")) == {"capacity-tokens", "lie-b"}
