"""Three boundaries, the cold call apart, and statistics that know how few samples they have."""

from __future__ import annotations

import gc
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import text, timing

SAMPLES = st.lists(st.floats(min_value=1e-3, max_value=1e6), min_size=1, max_size=400)


@pytest.fixture(autouse=True)
def english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


class Device:
    """A device whose events report scripted times and that remembers the order of everything."""

    def __init__(self, elapsed_ms):
        self.elapsed_ms = iter(elapsed_ms)
        self.log = []

    def synchronize(self):
        self.log.append("sync")

    def event(self):
        device = self

        class Event:
            def record(self):
                device.log.append("event")

            def elapsed_time(self, end):
                return next(device.elapsed_ms)

        return Event()

    @property
    def clock(self):
        return timing.Clock("cuda", self.synchronize, self.event)


# --- statistics --------------------------------------------------------------------------------------


def test_the_p95_of_twenty_samples_is_the_nineteenth():
    summary = timing.summarize(list(range(20, 0, -1)))
    assert (summary.median_ms, summary.p95_ms, summary.n) == (10.5, 19, 20)


def test_the_p95_of_twenty_samples_lies_below_the_true_one_with_probability_0_736():
    assert timing.chance_below_true(20, 95) == pytest.approx(0.7358, abs=1e-4)
    assert timing.chance_below_true(1, 95) == pytest.approx(0.95)


@given(SAMPLES, st.integers(min_value=1, max_value=100))
def test_a_percentile_is_the_smallest_sample_that_enough_samples_do_not_exceed(samples, q):
    found = timing.percentile(samples, q)
    share = Fraction(sum(sample <= found for sample in samples), len(samples))
    below = Fraction(sum(sample < found for sample in samples), len(samples))
    assert found in samples
    assert below < Fraction(q, 100) <= share


@given(SAMPLES)
def test_a_summary_is_ordered_and_agrees_with_numpy(samples):
    summary = timing.summarize(samples)
    assert summary.median_ms == pytest.approx(float(numpy.median(samples)))
    assert summary.min_ms <= summary.p95_ms <= summary.p99_ms <= summary.max_ms
    assert summary.iqr_ms >= 0
    if summary.median_low_ms is not None:
        assert summary.median_low_ms <= summary.median_ms <= summary.median_high_ms


def test_the_interval_of_the_median_takes_the_ranks_of_the_textbook():
    assert timing.median_interval(range(1, 6)) is None
    assert timing.median_interval(range(1, 7)) == (1, 6)
    assert timing.median_interval(range(1, 11)) == (2, 9)
    assert timing.median_interval(range(1, 21)) == (6, 15)
    assert timing.median_interval(range(1, 101)) == (40, 61)


def test_no_sample_at_all_is_refused():
    with pytest.raises(ValueError, match="samples_ms must hold at least one sample"):
        timing.summarize([])


def test_a_percentile_is_supported_only_from_enough_samples_on():
    assert not timing.summarize([1.0] * 59).p95_is_supported
    assert timing.summarize([1.0] * 60).p95_is_supported


# --- measuring ---------------------------------------------------------------------------------------


def test_the_cold_call_and_the_warm_ups_are_no_samples():
    calls = []
    timed = timing.measure(
        lambda: calls.append("step"), timing.Clock(), timing.Repetition(warmup=3, repeats=7)
    )
    assert (timed.warmups_done, len(timed.samples_ms), len(calls)) == (3, 7, 1 + 3 + 7)
    assert timed.cold_ms > 0
    assert timed.boundary == "wall"


def test_every_call_starts_from_the_reset_state():
    state = [0]

    def step():
        state[0] += 1
        return state[0]

    timed = timing.measure(
        step, timing.Clock(), timing.Repetition(2, 5), reset=lambda: state.__setitem__(0, 100)
    )
    assert timed.last == 101


def test_the_result_of_the_call_before_is_dropped_before_the_next():
    alive = []

    class Thing:
        def __del__(self):
            alive.remove(self.number)

        def __init__(self, number):
            self.number = number
            alive.append(number)

    most = []

    def step():
        most.append(len(alive))
        return Thing(len(most))

    timed = timing.measure(step, timing.Clock(), timing.Repetition(1, 4))
    assert set(most) == {0}
    assert timed.last.number == 6


def test_inspection_sees_the_cold_call_and_may_refuse_it():
    calls = []

    def refuse(result):
        assert result == "cold"
        raise RuntimeError("wrong result")

    with pytest.raises(RuntimeError, match="wrong result"):
        timing.measure(lambda: calls.append(1) or "cold", timing.Clock(), inspect=refuse)
    assert calls == [1]
    assert gc.isenabled()


def test_event_times_are_the_samples_and_the_hosts_clock_has_a_pass_of_its_own():
    device = Device([5.0, 6.0, 7.0])
    timed = timing.measure(lambda: device.log.append("step"), device.clock, timing.Repetition(0, 3))
    assert timed.samples_ms == (5.0, 6.0, 7.0)
    assert timed.boundary == "event"
    assert (len(timed.submit_samples_ms), len(timed.wall_samples_ms)) == (3, 3)
    cold, event = ["sync", "step", "sync"], ["sync", "event", "step", "event", "sync"]
    assert device.log == cold + event * 3 + cold * 3


def test_submission_never_takes_longer_than_the_wall_clock_of_the_same_call():
    device = Device([5.0] * 9)
    timed = timing.measure(lambda: None, device.clock, timing.Repetition(0, 9, host_passes=4))
    assert (len(timed.submit_samples_ms), len(timed.wall_samples_ms)) == (4, 4)
    assert all(s <= w for s, w in zip(timed.submit_samples_ms, timed.wall_samples_ms, strict=True))


def test_a_reading_that_no_clock_gives_is_dropped_and_counted():
    device = Device([5.0, 0.0, 6.0, -1.0, float("nan"), 7.0])
    timed = timing.measure(lambda: None, device.clock, timing.Repetition(0, 3))
    assert (timed.samples_ms, timed.dropped) == ((5.0, 6.0, 7.0), 3)


def test_a_clock_that_never_reads_right_is_named():
    device = Device([0.0] * 9)
    with pytest.raises(RuntimeError, match="the device's clock"):
        timing.measure(lambda: None, device.clock, timing.Repetition(0, 3))


def test_a_step_that_was_called_before_has_no_cold_call():
    calls = []
    timed = timing.measure(lambda: calls.append(1), timing.Clock(), timing.Repetition(1, 2), cold=False)
    assert (timed.cold_ms, len(calls)) == (None, 3)
    assert timing.cold_ms(lambda: calls.append(1), timing.Clock()) > 0


def test_the_interval_of_rounds_is_students_of_their_medians():
    samples = [9.0, 10.0, 11.0, 12.0, 12.0, 12.0, 11.0, 14.0, 8.0]
    low, high = timing.rounds_interval(samples, (3, 3, 3))  # medians 10, 12, 11: mean 11, deviation 1
    assert (low, high) == (pytest.approx(11 - 4.303 / 3**0.5), pytest.approx(11 + 4.303 / 3**0.5))
    assert timing.round_medians(samples, (3, 3, 3)) == (10, 12, 11)
    assert timing.rounds_interval(samples, (5, 4)) is None
    summary = timing.summarize(samples, (3, 3, 3))
    assert (summary.median_low_ms, summary.median_high_ms) == (low, high)


def test_steady_bursts_that_differ_have_the_wide_interval_of_the_rounds():
    bursts = [10.0] * 5 + [11.0] * 5 + [10.2] * 5 + [10.9] * 5
    apart = timing.summarize(bursts, (5, 5, 5, 5))
    assert apart.relative_interval > 0.05 > timing.summarize(bursts[:5] * 4).relative_interval


def test_a_spent_budget_leaves_the_least_number_of_samples():
    repetition = timing.Repetition(warmup=5, repeats=50, min_repeats=4, budget_s=1e-9)
    timed = timing.measure(lambda: None, timing.Clock(), repetition)
    assert (timed.warmups_done, len(timed.samples_ms)) == (0, 4)


def test_a_narrow_interval_ends_the_samples_early():
    device = Device([5.0] * 50)
    timed = timing.measure(lambda: None, device.clock, timing.Repetition(0, 50, stop_below=0.02))
    assert len(timed.samples_ms) == timing.MIN_SAMPLES_TO_STOP_EARLY


def test_a_wide_interval_takes_all_repeats():
    device = Device([5.0, 10.0] * 15)
    timed = timing.measure(lambda: None, device.clock, timing.Repetition(0, 30, stop_below=0.02))
    assert len(timed.samples_ms) == 30


def test_the_collector_stays_off_only_while_measuring():
    seen = []
    timing.measure(lambda: seen.append(gc.isenabled()), timing.Clock(), timing.Repetition(1, 1))
    assert set(seen) == {False}
    assert gc.isenabled()


def test_each_device_has_its_clock():
    events = lambda enable_timing: ("event", enable_timing)  # noqa: E731
    part = SimpleNamespace(synchronize="sync", Event=events)
    torch = SimpleNamespace(cuda=part, mps=part)
    assert timing.clock_for("cpu", torch).boundary == "wall"
    for device in ("cuda", "mps"):
        clock = timing.clock_for(device, torch)
        assert (clock.synchronize, clock.event(), clock.boundary) == ("sync", ("event", True), "event")
    with pytest.raises(ValueError, match="device must be cuda, mps or cpu, got 'tpu'"):
        timing.clock_for("tpu", torch)


# --- remarks -----------------------------------------------------------------------------------------


def keys(samples, submit=()):
    return [remark.key for remark in timing.remarks(samples, submit)]


def test_steady_and_many_samples_need_no_remark():
    assert keys([10.0, 10.1] * 30) == []


def test_few_samples_come_with_the_chance_that_their_p95_is_too_low():
    (remark,) = timing.remarks([10.0] * 20)
    assert "the 19th in order" in remark.text
    assert "73.6%" in remark.text


@pytest.mark.parametrize(
    ("samples", "submit", "key"),
    [
        ([10.0, 12.0] * 30, (), "timing.wide"),
        ([10.0] * 30 + [10.8] * 30, (), "timing.drift"),
        ([10.0] * 60, (9.5,), "timing.launch"),
    ],
)
def test_what_a_reader_must_know_is_remarked_in_both_languages(samples, submit, key):
    assert key in keys(samples, submit)
    remark = next(r for r in timing.remarks(samples, submit) if r.key == key)
    english = remark.text
    text.speak("zh")
    assert remark.text != english


def test_quick_submission_is_no_launch_bound_step():
    assert keys([10.0] * 60, (1.0,)) == []


@pytest.mark.parametrize("module", ["timing", "preflight", "platforms", "workload", "results", "experiment"])
def test_importing_a_module_imports_neither_torch_nor_matplotlib(module):
    code = (
        f"import sys, helpers.{module}; print({{'torch', 'transformers', 'matplotlib'}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
