"""Diagnosis and follow-through, in the small lesson: what is named, what it costs, what a student reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import small

from course.authoring import release
from course.grading.diagnosis.behaviour import Behaviour
from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.examiner import Examined, examine
from course.grading.questions import Answerer
from course.lesson.assignment import Assignment
from course.lesson.folder import CourseFolder
from course.lesson.inputs import FunctionInputs
from course.reporting import feedback, marks
from course.reporting.reasons import own_line
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox, unavailable
from course.sandbox.unsandboxed import Unsandboxed
from course.submission.rebuilding import rebuild
from course.text import sentence

MUTANTS = """
[[mutant]]
idea = "left_in_seconds"
exercise = "double"
[[mutant.edit]]
old = '"double_ms": twice_the_number'
new = '"double_ms": twice_the_number / 1000'

[[mutant]]
idea = "one_added"
exercise = "double"
home = "double-zero"
[[mutant.edit]]
old = "number + number"
new = "number + number + 1"
"""
INPUTS = """
[double.good]
number = [0, 1, 2, 40, 500]
"""
IDEA = {"zh": "多加了一", "en": "one too many is added"}
PUBLIC = {
    **small.FILE,
    "words": {**small.FILE["words"], "idea": {**small.FILE["words"]["idea"], "one_added": IDEA}},
}
ONE = small.ZERO.replace("double-zero", "double-one").replace(
    "double(0), double_ms=0", "double(1), double_ms=2"
)
IN_SECONDS = 'def double(number):\n    in_s = 2 * number / 1e3\n    return {"double_ms": in_s}'
ONE_ADDED = "def double(number):\n    return dict(double_ms=1 + number * 2, note='mine')"
BOTH = 'def double(number):\n    return {"double_ms": (number + number + 1) * 0.001}'
SQUARED = 'def double(number):\n    return {"double_ms": number ** 2}'
RIGHT = 'def double(number):\n    return {"double_ms": sum([number, number])}'


def master():
    """The small lesson with three graded concepts; seconds fail two of them, one too many all three."""
    made = small.master()
    made.cells.insert(-1, small.check("double-one", ONE))
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    made = small.course(tmp_path_factory.mktemp("diagnosis"), master(), PUBLIC, mutants=MUTANTS)
    (made.secret_half(small.LESSON) / "inputs.toml").write_text(INPUTS, encoding="utf-8")
    release.release(made, [small.LESSON])
    return made


@pytest.fixture(scope="module")
def assignment(made: CourseFolder) -> Assignment:
    return made.assignment(small.LESSON)


@pytest.fixture(scope="module")
def room() -> Iterator[Sandbox | Unsandboxed]:
    limits = ResourceLimits(call_seconds=1.0)
    with Unsandboxed(limits) if unavailable() else Sandbox(limits) as room:
        yield room


@pytest.fixture
def examined(made, assignment, room):
    """What the examiner makes of an answer."""

    def of(answer: str, language: str = "en", **how: bool) -> Examined:
        blank = json.loads(made.released(small.LESSON, language).read_text(encoding="utf-8"))
        next(cell for cell in blank["cells"] if cell["id"] == "double")["source"] = answer
        return examine(rebuild(blank, assignment), room, **how)

    return of


def diagnosis(found: Examined) -> Diagnosis:
    return Diagnosis.from_dict(
        found.notebook["metadata"]["iteration_budget"].get("diagnoses", {}).get("double")
    )


def points(found: Examined) -> list[float]:
    """The points of the three concepts: small numbers, zero, one."""
    return [verdict.score for verdict in found.verdicts]


def test_an_idea_costs_once_and_the_check_that_fails_for_the_same_reason_keeps_its_points(examined):
    found = examined(IN_SECONDS)
    assert points(found) == [0, 1, 1]
    assert diagnosis(found).ideas == ("left_in_seconds",)
    assert dict(diagnosis(found).charged) == {"left_in_seconds": "double-units"}
    assert dict(diagnosis(found).kept) == {"double-one": "left_in_seconds"}


def test_an_idea_is_charged_where_the_lesson_says(examined):
    found = examined(ONE_ADDED)
    assert (points(found), diagnosis(found).ideas) == ([1, 0, 1], ("one_added",))


def test_two_ideas_cost_two_concepts(examined):
    found = examined(BOTH)
    assert set(diagnosis(found).ideas) == {"left_in_seconds", "one_added"}
    assert points(found) == [0, 0, 1]


def test_what_no_idea_explains_costs_every_check_that_fails(examined):
    found = examined(SQUARED)
    assert (points(found), diagnosis(found).ideas, diagnosis(found).kept) == ([0, 1, 0], (), {})


@pytest.mark.parametrize("answer", [IN_SECONDS, ONE_ADDED, BOTH, SQUARED])
def test_without_follow_through_the_same_is_named_and_every_failed_check_costs(answer, examined):
    followed, strict = examined(answer), examined(answer, follow_through=False)
    failed = [verdict.facts is not None for verdict in followed.verdicts]
    assert points(strict) == [0 if one else 1 for one in failed]
    assert diagnosis(strict).ideas == diagnosis(followed).ideas
    assert not diagnosis(strict).kept


def test_a_right_answer_is_asked_nothing_more(examined):
    found = examined(RIGHT)
    assert points(found) == [1, 1, 1]
    assert "diagnoses" not in found.notebook["metadata"]["iteration_budget"]


def test_an_empty_answer_is_not_diagnosed(examined, made):
    released = json.loads(made.released(small.LESSON, "en").read_text(encoding="utf-8"))
    blank = next(cell for cell in released["cells"] if cell["id"] == "double")
    found = examined("".join(blank["source"]))
    assert points(found) == [0, 0, 0]
    assert "diagnoses" not in found.notebook["metadata"]["iteration_budget"]


def test_the_value_that_a_check_saw_blames_nobody_whose_answer_does_something_else(examined):
    """42 / 1000 is what the check's own table calls forgotten milliseconds; here it is a made-up constant."""
    found = examined('def double(number):\n    return {"double_ms": 0.042}')
    assert {verdict.facts.idea for verdict in found.verdicts if verdict.facts} == {None}


def test_the_smallest_case_is_small_and_speaks_the_readers_language(examined):
    facts = diagnosis(examined(SQUARED)).example
    assert dict(facts.values) == {
        "call": "double(number=1)", "what": "double_ms", "got": 1, "expected": 2, "unit": "ms",
    } or dict(facts.values)["call"] in ("double(number=40)", "double(number=500)")  # fmt: skip
    right = Diagnosis(example=facts).example
    assert sentence(right, "en").startswith("double(number=")
    assert "应为" in sentence(right, "zh")


def test_a_case_never_is_a_call_of_a_hidden_test(examined):
    """21, 0 and 1 are asked by the tests; of what is drawn, 2 is the simplest of the others."""
    calls = {diagnosis(examined(answer)).example.values["call"] for answer in (IN_SECONDS, ONE_ADDED)}
    assert calls == {"double(number=2)"}


def test_a_function_that_hangs_on_other_calls_costs_its_failed_tests_and_nothing_else(examined):
    answer = (
        "import time\n\n\ndef double(number):\n    if number not in (0, 1, 21):\n        time.sleep(60)\n"
        '    return {"double_ms": number / 500}'
    )
    found = examined(answer)
    assert points(found)[1] == 1
    assert diagnosis(found).example is None


def test_what_a_function_returns_to_a_drawn_call_is_told_as_little_as_of_a_hidden_test(examined):
    answer = 'def double(number):\n    return {"double_ms": "the hidden tests ask for 21, 0 and 1"}'
    assert diagnosis(examined(answer)).example.values["got"] == {"repr": "str"}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_both_ways_of_grading_keep_the_same_points_and_a_regrade_changes_nothing(made, tmp_path, language):
    course = small.again(made, tmp_path / "course")
    for student, answer in {"ada": IN_SECONDS, "bob": BOTH, "eve": RIGHT}.items():
        released = json.loads(made.released(small.LESSON, language).read_text(encoding="utf-8"))
        next(cell for cell in released["cells"] if cell["id"] == "double")["source"] = answer
        small.hand_in(course, student, released)
    trust = ["--trust-submissions"] if unavailable() else []
    small.run(course, "grade", small.LESSON, *trust)
    expected = {"ada": 2.0, "bob": 1.0, "eve": 3.0}
    assert small.points(course.gradebook) == expected
    _mark_by_hand(course, "ada", "double-one", 0.5)
    small.run(course, "grade", small.LESSON, "--regrade", *trust)
    assert small.points(course.gradebook) == expected
    assert small.scores(course.gradebook, "manual_score")["ada"]["double-one"] == 0.5
    _autograde(course)
    assert small.points(course.gradebook) == expected
    _page_tells_each_reason_once(course, language)
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("follow_through = True", "follow_through = False"))
    small.run(course, "grade", small.LESSON, *trust)
    strict = {"ada": 1.0, "bob": 0.0, "eve": 3.0}
    assert small.points(course.gradebook) == strict
    _autograde(course)
    assert small.points(course.gradebook) == strict


def _mark_by_hand(course: CourseFolder, student: str, concept: str, score: float) -> None:
    with small.gradebook(course) as book:
        grade = book.find_grade(concept, small.LESSON, small.LESSON, student)
        grade.manual_score = score
        book.db.commit()


def _autograde(course: CourseFolder) -> None:
    """What formgrader's button does."""
    from nbgrader.converters import Autograde

    directory = course.directory(small.LESSON, "zh")
    config = directory.config
    config.Examine.trust_submissions = unavailable() is not None
    config.Autograde.force = True
    Autograde(coursedir=directory, config=config).start()


def _page_tells_each_reason_once(course: CourseFolder, language: str) -> None:
    page = feedback.page(course, small.LESSON, "ada")
    idea = small.FILE["words"]["idea"]["left_in_seconds"][language]
    assert page.count(idea) == 1
    assert {"zh": "另有 1 项检查", "en": "One further check"}[language] in page
    assert {"zh": "重读：小课", "en": "Read again: A small lesson"}[language] in page
    assert page.index("✓") < page.index("✗")
    found = next(marks.of_students(course, small.LESSON, ["ada"]))
    assert [mark.concept for mark in found.concepts if mark.kept] == ["double-one"]
    assert [mark.points for mark in found.concepts] == [0.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("ours", "other", "same"),
    [
        ({"n": 2}, {"n": 2.0, "more": 1}, True),
        ({"n": 2}, {"n": 2.000001}, False),
        ({"x_ms": 2.0}, {"x_ms": 2.0000001}, True),
        ({"names": ["a", "b"]}, {"names": ("b", "a")}, True),
        ({"row": {"a": 1}}, {"row": {"a": 1, "b": 2}}, False),
        ({"n": 1}, {"n": True}, False),
        ([1, 2], [2, 1], False),
        (None, 0, False),
    ],
)
def test_results_are_the_same_as_far_as_a_check_could_ask(ours, other, same):
    assert Behaviour(ours).is_shown_by(Behaviour(other)) is same


def test_an_exception_is_the_same_when_a_check_for_it_would_take_it():
    refused = Behaviour(raised=("ValueError", "Exception", "BaseException", "object"))
    assert refused.is_shown_by(Behaviour(raised=("UnicodeError", "ValueError", "Exception")))
    assert not refused.is_shown_by(Behaviour(raised=("KeyError", "LookupError")))
    assert not refused.is_shown_by(Behaviour(0))


def test_what_is_simpler_stays_within_what_may_be_drawn():
    rows = {"list": {"record": {"n": [1, 2], "ms": [5.0, 6.0]}}, "least": 1, "most": 2, "distinct": "n"}
    inputs = FunctionInputs({"rows": rows, "extra": {"optional": [0, 9]}}, {"extra": [-1]})
    one = {"rows": [{"n": 1, "ms": 6.0}, {"n": 2, "ms": 5.0}], "extra": 9}
    assert list(inputs.simpler(one)) == [
        {"rows": [{"n": 2, "ms": 5.0}], "extra": 9},
        {"rows": [{"n": 1, "ms": 6.0}], "extra": 9},
        {"rows": [{"n": 1, "ms": 5.0}, {"n": 2, "ms": 5.0}], "extra": 9},
        {"rows": one["rows"]},
        {"rows": one["rows"], "extra": 0},
    ]


@pytest.mark.parametrize(
    ("source", "name", "line"),
    [
        ("def f(x):\n    x_ms = x * 2\n    return {'x_ms': x_ms}", "x_ms", 2),
        ("def f(x):\n    return {\n        'x_ms': x * 2,\n    }", "x_ms", 3),
        ("def f(x):\n    found['kv'] = x // 2\n    return found", "limits.kv", 2),
        ("def f(x):\n    x_ms = 1 + x\n    x_ms = x_ms * 2\n    return {'x_ms': x_ms}", "x_ms", None),
        ("def f(x_ms=3 * 2):\n    return {'x_ms': x_ms}", "x_ms", None),
        ("# x_ms = 1 + 1\nx_ms = {}", "x_ms", None),
    ],
)
def test_the_line_shown_is_the_only_one_that_computes_the_value(source, name, line):
    found = own_line(source, name)
    assert (found and found.number) == line


def test_a_mutant_that_no_longer_fits_holds_up_nobody(made, tmp_path, room):
    course = small.again(made, tmp_path / "course")
    path = course.secret_half(small.LESSON) / "mutants.toml"
    path.write_text(MUTANTS.replace('number + number"', 'no such text"', 1), encoding="utf-8")
    blank = json.loads(course.released(small.LESSON, "en").read_text(encoding="utf-8"))
    next(cell for cell in blank["cells"] if cell["id"] == "double")["source"] = IN_SECONDS
    found = examine(rebuild(blank, course.assignment(small.LESSON)), room)
    assert diagnosis(found).ideas == ("left_in_seconds",)


def test_a_lesson_without_secrets_is_graded_as_before(tmp_path: Path, room):
    masters = {"zh": small.master()}
    plain = Assignment.of(small.LESSON, masters, {})
    found = examine(rebuild(json.loads(json.dumps(masters["zh"])), plain), room)
    assert [verdict.score for verdict in found.verdicts] == [1, 1]


@pytest.mark.parametrize(
    "problem", [BlockingIOError(11, "no more processes"), KeyError("double"), RuntimeError()]
)
def test_a_process_that_answers_with_an_exception_is_not_asked_for_reasons(problem):
    class Answering(Answerer):
        def names(self, names):
            raise problem

    assert not Answering(examination=None).knows(("double",))
