"""Wrong answers that were written without a look at the hidden tests: how many stay green, how many survive.

Each is one edit of the reference solution, and the thought that a student may have had.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
import small
from diagnosed import OwnWitness, fails, named, scope_of

from course.grading.diagnosis.counterexample import smallest
from course.grading.diagnosis.hypotheses import Hypotheses, reference_source
from course.lesson.folder import CourseFolder

MASTER = CourseFolder(small.ROOT).assignment("iteration-budget").masters["zh"]
ANSWERS = json.loads(Path(__file__).with_name("foreign_answers.json").read_text(encoding="utf-8"))


def written(answer: dict) -> str:
    source = reference_source(MASTER, answer["exercise"])
    assert source.count(answer["old"]) == 1, answer["thought"]
    return source.replace(answer["old"], answer["new"])


def is_green(answer: dict) -> bool:
    """Whether the visible check prints its ✓."""
    from helpers import checks

    scope = {**scope_of(MASTER, answer["exercise"], written(answer)), "checks": checks}
    check = MASTER.cells[MASTER.by_name[f"{answer['exercise']}-check"]].source
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(check, "check", "exec"), scope)
        except Exception:
            return False
    return True


def judged(answer: dict) -> dict:
    exercise, source = answer["exercise"], written(answer)
    hypotheses = Hypotheses.of(MASTER, exercise)
    failed = fails(MASTER, exercise, source)
    witness = OwnWitness(scope_of(MASTER, exercise, source))
    return {
        "thought": answer["thought"],
        "green": is_green(answer),
        "survives": not failed,
        "named": named(MASTER, exercise, source) if failed else [],
        "case": bool(failed) and smallest(hypotheses, witness, Random(1)) is not None,
    }


@pytest.fixture(scope="module")
def verdicts() -> list[dict]:
    return [judged(answer) for answer in ANSWERS]


def test_few_wrong_answers_look_right(verdicts):
    tally = Counter(key for one in verdicts for key in ("green", "survives", "named", "case") if one[key])
    print(dict(tally), "of", len(verdicts))
    for one in verdicts:
        if one["green"] or one["survives"] or one["named"] or not one["case"]:
            print(one)
    assert len(verdicts) >= 60
    assert tally["green"] <= 0.10 * len(verdicts)
    assert tally["survives"] <= 0.05 * len(verdicts)
    # Four differ on no drawn input: a tolerance, a gain rounded, a throughput below 1, another default.
    assert tally["case"] >= len(verdicts) - tally["survives"] - 4


def test_no_wrong_answer_is_named_for_an_idea_that_it_does_not_have(verdicts):
    """Read by hand: each of these four is the idea that it is called."""
    assert {one["thought"]: one["named"] for one in verdicts if one["named"]} == {
        "weights once a chat": [{"weights_per_request"}],
        "decode alone writes KV": [{"kv_written_for_decode_only"}],
        "negative refused, zero let through": [{"bad_capacity_accepted"}],
        "the threshold is not looked at": [{"bad_sweep_accepted"}],
    }
