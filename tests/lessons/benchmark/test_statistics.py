"""Statistics of the reference against numpy, and the chances that the lesson quotes."""

from fractions import Fraction
from random import Random

import numpy
import pytest
from master_cells import defined


@pytest.fixture(scope="module")
def summary():
    return defined("benchmark", "summary")["sample_summary"]


def test_a_thousand_random_lists_say_what_numpy_says(summary):
    lot = Random(1000)
    for _ in range(1000):
        samples = [lot.lognormvariate(3, lot.random()) for _ in range(lot.randint(1, 400))]
        if lot.random() < 0.3:
            samples = [float(round(sample)) + 1.0 for sample in samples]
        percent = lot.randint(1, 99)
        found = summary(samples, 0, percent)
        low, high = numpy.quantile(samples, [0.25, 0.75], method="inverted_cdf")
        assert found["median_us"] == pytest.approx(numpy.median(samples), rel=1e-12)
        assert found["spread"] == pytest.approx((high - low) / numpy.median(samples), rel=1e-9, abs=1e-12)
        if found["percentile_us"] is not None:
            exact = sorted(samples)[-(-percent * len(samples) // 100) - 1]
            assert found["percentile_us"] == exact
            by_numpy = numpy.quantile(samples, percent / 100, method="inverted_cdf")
            # numpy multiplies in floating point, and may land one sample off where n·p is whole
            if percent * len(samples) % 100:
                assert found["percentile_us"] == by_numpy


@pytest.mark.parametrize("percent", range(1, 100))
def test_needed_is_the_first_n_whose_largest_sample_can_be_trusted(percent, summary):
    needed, share = summary([1.0], 0, percent)["needed"], Fraction(percent, 100)
    assert share**needed < Fraction(1, 20)
    assert needed == 1 or share ** (needed - 1) >= Fraction(1, 20)


def test_the_chances_that_the_text_quotes():
    share = Fraction(19, 20)
    assert round(float(20 * share**19 * (1 - share) + share**20), 3) == 0.736
    assert [round(float(share**n), 4) for n in (58, 59)] == [0.051, 0.0485]
    assert Fraction(9, 10) ** 29 < Fraction(1, 20) < Fraction(9, 10) ** 28
    assert Fraction(99, 100) ** 299 < Fraction(1, 20) < Fraction(99, 100) ** 298


def test_the_recording_holds_the_numbers_of_the_text():
    timed = defined("benchmark", "ways", "reading", "sweep", "own")["TIMED"]
    small, large = timed["[64,256] @ [256,256]"], timed["[1024,1024] @ [1024,1024]"]
    middle = {way: numpy.median(small[way]) for way in ("submit_us", "synchronized_us", "event_us")}
    assert [round(value) for value in middle.values()] == [10, 105, 71]
    assert round(small["cold_us"]) == 678
    assert (round(max(large["event_us"])), round(numpy.median(large["event_us"]))) == (57_957, 7354)
    wide = [
        name
        for name, one in timed.items()
        if numpy.subtract(*numpy.quantile(one["event_us"], [0.75, 0.25], method="inverted_cdf"))
        > 0.1 * numpy.median(one["event_us"])
    ]
    assert wide == ["[128,128] @ [128,128]", "[256,256] @ [256,256]"]


def test_the_operators_of_the_recorded_trace_are_9_3_of_17_6_ms():
    from helpers import profiler, recorded

    profile = profiler.load(recorded.own("profile"))
    spans = sum(span.duration_ms for span in profile.operator_spans)
    own = sum(operator.self_cpu_ms for operator in profile.operators)
    assert (round(spans, 1), round(own, 1)) == (9.3, 9.3)
    assert round(profile.ranges_named("request")[0].duration_ms, 1) == 17.6
