"""What a student reads of a failed hidden test: numbers and the lesson's words, and nothing that the student
could have filled with the calls that the test made."""

from __future__ import annotations

import json

import pytest
import small

from course.authoring import release
from course.grading.assessment import assess
from course.grading.disclosure import Disclosure
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox, unavailable
from helpers import checks
from helpers.checks import CheckFailed
from helpers.facts import CheckFacts, sentence

WORDS = frozenset({"not", "memory", "compute", "memory_ms", "kv", "batch", "must", "be", "larger"})


def told(check, *arguments: object, **expected: object) -> CheckFacts:
    with pytest.raises(CheckFailed) as failed:
        check(*arguments, **expected)
    return Disclosure(WORDS).of(failed.value.facts)


def raising(problem: Exception):
    def function(**_: object) -> None:
        raise problem

    return function


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (9.5, "9.5"),
        (8, "8"),
        (True, "True"),
        (None, "None"),
        ("batch", "'batch'"),
        (["kv", "batch"], "['kv', 'batch']"),
        (float("nan"), "nan"),
        ("call(21, 0)", "str"),
        ("!#$%&!#$%&", "str"),
        ("memory " * 20, "str"),
        (["kv", "21"], "['kv', '21']"),
        (["kv", "x21"], "list"),
        ({"x21": 1}, "dict"),
        (list(range(40)), "list"),
        (10**25 + 7, "1e+25"),
        (10**40 + 7, "int"),
    ],
)
def test_of_a_value_that_is_no_number_and_no_word_of_the_lesson_the_type_is_told(got, said):
    found = told(checks.equal, {"memory": got}, memory="compute")
    assert sentence(found, "en").endswith(f"got {said}.")


def test_a_missing_key_is_named_and_the_students_keys_are_not():
    found = told(checks.equal, {"double(21)": 1, "memory": 2}, memory_ms=3)
    assert found == CheckFacts("check.lacks_key", {"key": "memory_ms"})
    assert sentence(found, "en") == "The returned dictionary has no key 'memory_ms'."
    assert sentence(found, "zh") == "返回的字典里没有键 'memory_ms'。"


def test_of_an_exception_the_class_is_told():
    found = told(checks.call, raising(ValueError("batch 21")), batch=1)
    assert found.values == {"got": {"repr": "ValueError"}}
    found = told(checks.raises, KeyError, lambda **_: 1, {"batch": 1}, {"batch": 0})
    assert found.values == {"case": "batch = 0", "error": "KeyError", "got": 1}


def test_a_tests_own_words_stay_and_a_students_among_them_do_not():
    found = Disclosure(WORDS).of(CheckFailed("batch must be larger: 8 < 9, not aGVsbG8").facts)
    assert found.values["message"] == "batch must be larger: 8 < 9, not …"


def test_what_is_found_of_a_lost_process_is_ours():
    lost = CheckFacts("examiner.call_late", {"seconds": 5.0})
    assert Disclosure(WORDS).of(lost) == lost


LOG = """import json
heard = []
def double(*a, **k):
    heard.append(a or k)
    return RESULT
"""
LEAKS = {
    "keys": "{f'heard_{number}_secret': 0 for number in map(lambda call: call[0], heard)}",
    "a string": "{'double_ms': f'heard {heard} secret'}",
    "a list": "{'double_ms': [f'heard {call} secret' for call in heard]}",
    "no dictionary": "f'heard {heard} secret'",
    "an exception": "(_ for _ in ()).throw(ValueError(f'heard {heard} secret'))",
    "the class of an object": "{'double_ms': type(f'heard_{heard}_secret', (), {})()}",
    "an object": "type(f'heard_{heard}_secret', (), {})()",
    "a key that cannot be": "{('heard', 'secret', heard[0][0]): 1}",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> CourseFolder:
    made = small.course(tmp_path_factory.mktemp("leaks") / "course")
    release.release(made, [small.LESSON])
    return made


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(ResourceLimits(total_seconds=60.0)) as opened:
        yield opened


@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
@pytest.mark.parametrize("leak", LEAKS)
def test_a_function_that_returns_what_it_heard_tells_its_author_nothing(folder, sandbox, leak):
    source = LOG.replace("RESULT", LEAKS[leak])
    notebook = small.answered(notebooks.load(folder.released(small.LESSON, "zh")), source)
    assessment = assess(json.dumps(notebook).encode(), folder.assignment(small.LESSON), sandbox)
    assert assessment.points == 0
    graded = json.loads(assessment.notebook)
    kept = json.dumps([graded["metadata"], [by(graded, name) for name in small.CONCEPTS]])
    assert "heard" not in kept
    assert "secret" not in kept


def by(notebook: dict, name: str) -> list[dict]:
    return next(cell["outputs"] for cell in notebook["cells"] if cell["id"] == name)
