"""Checks accept what is right in any honest form, and say in both languages what is wrong."""

import math

import pytest

from helpers import checks, text

pytestmark = pytest.mark.usefixtures("copying_words")


@pytest.fixture(autouse=True)
def _english():
    text.speak("en")
    yield
    text.speak("zh")


def failing(function, *arguments, **named):
    with pytest.raises(checks.CheckFailed) as caught:
        function(*arguments, **named)
    return str(caught.value)


def test_a_mismatch_names_the_entry_both_values_and_the_unit():
    message = failing(checks.close, {"memory_ms": 9.5}, memory_ms=10.0)
    assert message == "memory_ms: expected 10 ms, got 9.5 ms."


def test_the_message_follows_the_language():
    text.speak("zh")
    assert failing(checks.equal, {"kv_read_bytes": 1}, kv_read_bytes=2000) == (
        "kv_read_bytes：应为 2,000 B，得到 1 B。"
    )


def test_a_value_that_a_wrong_idea_gives_is_named():
    ideas = {"gibi_for_giga": {"memory_ms": 8.0}, "left_in_seconds": {"memory_ms": 0.01}}
    assert "seconds are not turned into milliseconds" in failing(
        checks.close, {"memory_ms": 0.01}, memory_ms=10.0, ideas=ideas
    )
    assert "GB is taken" not in failing(checks.close, {"memory_ms": 3.0}, memory_ms=10.0, ideas=ideas)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "10.0", None, [10.0], 10 + 0j])
def test_what_is_no_finite_number_is_never_close(value):
    assert not checks.is_close(value, 10.0)
    assert not checks.is_close(value, 1.0)


def test_numpy_scalars_are_numbers():
    numpy = pytest.importorskip("numpy")
    assert checks.is_close(numpy.float64(10.0), 10.0)
    assert checks.is_equal(numpy.int64(8), 8)
    assert not checks.is_equal(numpy.bool_(True), 1)


@pytest.mark.parametrize("names", [["kv", "slot"], ("slot", "kv"), {"kv", "slot"}, frozenset({"slot", "kv"})])
def test_a_set_expected_takes_any_order_and_container(names):
    assert checks.is_equal(names, {"slot", "kv"})


@pytest.mark.parametrize("names", [["kv"], ["kv", "slot", "kv"], "kv", None, ["kv", "slot", "slo"]])
def test_a_set_expected_refuses_other_names_and_repeats(names):
    assert not checks.is_equal(names, {"slot", "kv"})


def test_whole_and_floating_numbers_are_equal_but_truth_is_not_one():
    assert checks.is_equal(8.0, 8)
    assert not checks.is_equal(True, 1)
    assert not checks.is_equal(1, True)
    assert not checks.is_equal("8", 8)


def test_mappings_are_compared_entry_by_entry():
    assert checks.is_equal({"slot": 4, "kv": 2.0}, {"kv": 2, "slot": 4})
    assert not checks.is_equal({"slot": 4}, {"kv": 2, "slot": 4})


def test_a_result_that_is_no_dictionary_is_said():
    assert failing(checks.equal, None, final_limit=3) == "The function must return a dictionary, got None."


def test_a_missing_key_is_named_with_those_there():
    message = failing(checks.equal, {"limit": 3, "also": 1}, final_limit=3)
    assert message == "The returned dictionary has no key 'final_limit'; it has: also, limit."


def positive(amount, rate=1.0):
    if amount <= 0 or rate <= 0:
        raise ValueError("must be > 0")
    return {"amount": amount}


def test_raises_passes_when_good_input_returns_and_each_change_raises():
    checks.raises(ValueError, positive, {"amount": 1}, {"amount": 0}, {"rate": -1.0})


def test_a_function_that_refuses_everything_fails_the_check_for_bad_input():
    def useless(**_):
        raise ValueError("no")

    assert failing(checks.raises, ValueError, useless, {"amount": 1}, {"amount": 0}) == (
        "Valid input was refused too: ValueError: no."
    )


def test_bad_input_that_passes_through_is_named_with_its_value():
    message = failing(checks.raises, ValueError, lambda amount: amount, {"amount": 1}, {"amount": -3})
    assert message == "amount = -3 must raise ValueError, but returned -3."


def test_another_exception_than_asked_for_is_said():
    def divides(amount):
        return 1 / amount

    message = failing(checks.raises, ValueError, divides, {"amount": 1}, {"amount": 0})
    assert message == "amount = 0 must raise ValueError, but raised ZeroDivisionError: division by zero."


def test_a_concept_reports_any_failure_under_its_name_without_a_cause():
    with pytest.raises(checks.CheckFailed) as caught, checks.concept("walls-together"):
        _ = {}["secret"]
    assert str(caught.value) == "[several at once] Your code raised KeyError: 'secret'."
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_an_empty_todo_is_said():
    with pytest.raises(checks.CheckFailed, match="still empty"), checks.concept("walls-together"):
        raise NotImplementedError("TODO")


def test_a_changed_argument_is_noticed():
    def sorts(records):
        records.sort()
        return records

    assert failing(checks.leaves_unchanged, sorts, records=[3, 1]).startswith("The function changed the data")


def test_call_names_the_idea_behind_an_exception():
    def divides(amount):
        return 1 / amount

    message = failing(checks.call, divides, ideas={ZeroDivisionError: "nothing_divided_by"}, amount=0)
    assert "an empty total is divided by" in message


def test_a_call_cannot_change_the_data_of_the_check():
    data = [3, 1, 2]
    checks.call(lambda records: records.clear(), records=data)
    assert data == [3, 1, 2]
