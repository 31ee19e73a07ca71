"""A queue on a false clock behaves as a GPU's does, and the lesson's own function times it exactly."""

import pytest
from master_cells import defined

from helpers import queues, text


def test_a_step_returns_before_the_device_is_done():
    device = queues.SimulatedQueue(kernels=3, launch_us=5.0, run_us=20.0, sync_us=8.0)
    device.step()
    assert device.now_us() == 15.0
    device.synchronize()
    assert device.now_us() == 5.0 + 60.0 + 8.0


def test_work_queues_up_behind_what_is_not_done():
    device = queues.SimulatedQueue(launch_us=5.0, run_us=100.0)
    device.step()
    device.step()
    assert device.now_us() == 10.0
    device.synchronize()
    assert device.now_us() == 205.0


def test_the_time_between_events_holds_the_gaps_in_which_the_device_waits():
    device = queues.SimulatedQueue(kernels=20, launch_us=5.0, run_us=0.5)
    begin = device.event()
    device.step()
    end = device.event()
    device.synchronize()
    assert device.between_us(begin, end) == 100.5
    assert device.between_us(begin, end) > 20 * 0.5


def test_events_have_no_time_before_the_host_knows_that_the_device_came_there():
    text.speak("en")
    device = queues.SimulatedQueue(run_us=100.0)
    begin = device.event()
    device.step()
    end = device.event()
    with pytest.raises(RuntimeError, match="synchronize before you read"):
        device.between_us(begin, end)


def test_cold_calls_and_heat_make_steps_slower():
    device = queues.SimulatedQueue(launch_us=1.0, run_us=10.0, cold_us=90.0, cold_calls=2, heating=0.5)
    took = []
    for _ in range(3):
        began = device.now_us()
        device.step()
        device.synchronize()
        took.append(device.now_us() - began)
    assert took == [101.0, 106.0, 21.0]


def test_reading_waits_and_gives_the_reference_plus_the_errors():
    device = queues.SimulatedQueue(run_us=50.0, errors=(0.0, -0.5))
    output = device.step()
    got = device.read(output)
    assert device.now_us() == 55.0
    assert [a - b for a, b in zip(got, device.reference, strict=True)] == [0.0, -0.5, 0.0, 0.0]


@pytest.mark.parametrize("machine", [{"kernel": 3}, 7, None, ["kernels"]])
def test_a_machine_that_is_none_is_refused_with_the_knobs(machine):
    text.speak("en")
    with pytest.raises(ValueError, match="kernels, launch_us, run_us"):
        queues.opened(machine)


def test_the_reference_times_the_worked_example_as_by_hand():
    measure = defined("benchmark", "ways")["measure_three_ways"]
    machine = {
        "kernels": 3,
        "launch_us": 5.0,
        "run_us": 20.0,
        "sync_us": 8.0,
        "cold_us": 600.0,
        "cold_calls": 2,
    }
    timed = measure(machine, 0.01, 1, 2)
    assert timed["cold_us"] == 600 + 5 + 3 * 20 + 8
    assert (timed["submit_us"], timed["event_us"]) == ([15.0] * 2, [65.0] * 2)


def test_the_same_function_times_this_machine():
    pytest.importorskip("torch")
    timed = defined("benchmark", "ways")["measure_three_ways"]("queue", 1e-3, 2, 3)
    assert 0 < timed["max_difference"] < 1e-3
    assert min(len(timed[way]) for way in ("submit_us", "synchronized_us", "event_us")) == 3
    assert all(wall > 0 for wall in timed["synchronized_us"])
