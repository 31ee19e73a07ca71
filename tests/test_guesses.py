"""Who knows nothing and refuses earns nothing; a checking cell that automatic tests leave out is refused."""

from __future__ import annotations

import pytest
import small

from course.authoring import guesses, proof
from helpers import text

HALF = """def double(number):
    \"\"\"两倍 · twice the number\"\"\"
    ### BEGIN SOLUTION
    if number < 0:
        raise ValueError("number must be >= 0")
    twice_the_number = number + number
    return {"double_ms": twice_the_number}
    ### END SOLUTION"""
HIDDEN = """### BEGIN HIDDEN TESTS
with checks.concept("double-zero") as drawn:
{body}
### END HIDDEN TESTS"""
BAD_ONLY = """    try:
        double(-1)
    except ValueError:
        pass
    else:
        raise checks.CheckFailed("accepted")"""
GOOD_ONCE = '    checks.raises(ValueError, double, {"number": 1}, {"number": -1}, {"number": -2})'
GOOD_TWICE = f"{GOOD_ONCE}\n    checks.equal(checks.call(double, number=drawn.randint(2, 9)))"


def master(body: str):
    made = small.master()
    small.cell(made, "double").source = HALF
    small.cell(made, "double-zero").source = HIDDEN.format(body=body)
    return made


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (BAD_ONLY, ["guess_refuses", "guess_only_first"]),
        (GOOD_ONCE, ["guess_only_first"]),
        (GOOD_TWICE, []),
    ],
)
def test_a_check_that_a_guess_passes_is_named(tmp_path, body, found):
    text.speak("en")
    made = small.course(tmp_path, master(body))
    findings = proof.findings(made, small.LESSON)
    assert [finding.kind for finding in findings] == found
    assert all(" · double-zero: an answer that " in str(finding) for finding in findings)


def test_a_decision_and_a_check_that_asks_nothing_have_no_guesses():
    made = master("    pass")
    assert list(guesses.earning(made, "double")) == []
    small.cell(made, "double").source = "### BEGIN SOLUTION\ndouble = 1\n### END SOLUTION"
    assert list(guesses.earning(made, "double")) == []


@pytest.mark.parametrize("tag", ["nbval-skip", "raises-exception", "skip-execution"])
@pytest.mark.parametrize("cell", ["double-check", "double-zero"])
def test_a_checking_cell_that_automatic_tests_leave_out_is_refused(tmp_path, tag, cell):
    text.speak("en")
    made = small.master()
    small.cell(made, cell).metadata["tags"] = [tag]
    small.cell(made, "look").metadata["tags"] = [tag]
    (finding,) = proof.findings(small.course(tmp_path, made), small.LESSON)
    assert f"{cell}: this cell checks an answer and bears the tag {tag}" in str(finding)
