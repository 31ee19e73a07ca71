"""What a check found is data from the check to the page; sentences are made last and never read back."""

from __future__ import annotations

import json

import pytest

from helpers import checks, facts, text
from helpers.facts import CheckFacts

pytestmark = pytest.mark.usefixtures("copying_words")

BLAME = {"zh": "这正是“向上取整”会得到的结果。", "en": "This is what you get when the bound is rounded up."}


def failing(function, *arguments, **named) -> CheckFacts:
    with pytest.raises(checks.CheckFailed) as caught:
        function(*arguments, **named)
    return caught.value.facts


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("memory_ms", "ms"),
        ("latency_us", "µs"),
        ("duration_s", "s"),
        ("memory_bytes", "B"),
        ("kv_bytes_per_token", "B/token"),
        ("throughput_tokens_per_s", "token/s"),
        ("flops_per_token", "FLOP/token"),
        ("requests_per_s", "1/s"),
        ("prefill_tokens", "token"),
        ("effective_compute_tflops", "TFLOP/s"),
        ("bandwidth_gbps", "GB/s"),
        ("goodput_rps", ""),
        ("programs", ""),
        ("tokens", ""),
        ("classes", ""),
    ],
)
def test_a_unit_is_named_by_whole_words(name, unit):
    assert facts.unit(name) == unit


def test_a_mismatch_carries_everything_as_data():
    ideas = {"always_rounded_up": {"final_limit": 4}}
    with pytest.raises(checks.CheckFailed) as caught, checks.concept("walls-each"):
        checks.equal({"final_limit": 4}, final_limit=3, ideas=ideas)
    found = caught.value.facts
    assert (found.concept, found.idea) == ("walls-each", "always_rounded_up")
    assert found.values == {"what": "final_limit", "expected": 3, "got": 4, "unit": ""}
    assert CheckFacts.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_sentence_of_an_idea_in_an_answer_is_no_idea(language):
    text.speak(language)
    found = failing(
        checks.equal,
        {"dominant": BLAME[language]},
        dominant="memory",
        ideas={"always_rounded_up": {"dominant": 1}},
    )
    assert found.idea is None
    assert BLAME[language] in facts.sentence(found)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        {3, "a"},
        [1, 2],
        {"a": 1},
        object,
        10**40,
        "\ud800",
        "x" * 10_000,
        2 + 3j,
        b"x",
    ],
)
def test_whatever_came_can_be_written_down_and_is_short(value):
    found = failing(checks.equal, {"final_limit": value}, final_limit=3)
    assert len(json.dumps(found.to_dict(), allow_nan=False).encode("utf-8")) < 500
    assert CheckFacts.from_dict(found.to_dict()) == found


def test_the_same_facts_speak_both_languages():
    found = failing(checks.close, {"memory_ms": 9.5}, memory_ms=10.0)
    assert facts.sentence(found, "en") == "memory_ms: expected 10 ms, got 9.5 ms."
    assert facts.sentence(found, "zh") == "memory_ms：应为 10 ms，得到 9.5 ms。"


def test_a_name_that_nobody_has_worded_is_shown_as_it_is():
    found = CheckFacts("check.todo", idea="no_such_idea", concept="no-such-concept")
    assert (
        facts.sentence(found, "en")
        == "[no-such-concept] The TODO is still empty. This is what you get when no_such_idea."
    )


@pytest.mark.parametrize("damaged", [None, "text", 7, {}, {"key": 3}, []])
def test_facts_of_another_kind_are_none(damaged):
    assert CheckFacts.from_dict(damaged) is None
