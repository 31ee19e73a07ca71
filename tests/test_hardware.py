"""The device table against literals of the curriculum and the recorded runs."""

import dataclasses

import pytest

from helpers import hardware, recorded, text


@pytest.mark.parametrize(
    ("name", "memory_bytes", "bandwidth_gbps", "compute_tflops"),
    [
        ("T4", 16_000_000_000, 320, 65),
        ("RTX 4090", 24_000_000_000, 1008, 165.2),
        ("A100", 80_000_000_000, 2039, 312),
        ("H100", 80_000_000_000, 3350, 989),
        ("H200", 141_000_000_000, 4800, 989),
    ],
)
def test_the_devices_of_the_lessons_have_their_published_rates(
    name, memory_bytes, bandwidth_gbps, compute_tflops
):
    device = hardware.get(name)
    assert (device.memory_bytes, device.bandwidth_gbps, device.compute_tflops) == (
        memory_bytes,
        bandwidth_gbps,
        compute_tflops,
    )


def test_a_t4_reads_the_weights_of_the_small_model_in_3_725_milliseconds():
    assert 2 * 596_049_920 / (hardware.get("T4").bandwidth_gbps * 1e9) * 1e3 == pytest.approx(
        3.7253, abs=1e-4
    )


def test_the_ridge_of_a_t4_is_at_203_flop_per_byte():
    assert hardware.get("T4").ridge_flops_per_byte == pytest.approx(203.125)


@pytest.mark.parametrize(
    ("reported", "short"),
    [
        ("Tesla T4", "T4"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA A100-SXM4-40GB", "A100 40GB"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("rtx4090", "RTX 4090"),
    ],
)
def test_a_device_is_found_by_the_name_its_driver_reports(reported, short):
    assert hardware.get(reported) is hardware.DEVICES[short]


def test_no_name_belongs_to_two_devices():
    known = [
        hardware._plain(name)
        for short, device in hardware.DEVICES.items()
        for name in {hardware._plain(name) for name in (short, device.name, *device.also_called)}
    ]
    assert len(known) == len(set(known))


@pytest.mark.parametrize("sibling", ["H100 PCIe", "NVIDIA A10G", "RTX 3080 Ti", "L40"])
def test_a_sibling_with_other_rates_is_not_taken_for_the_device(sibling):
    with pytest.raises(ValueError, match="known: P100, T4"):
        hardware.get(sibling)


@pytest.fixture(autouse=True)
def _english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def test_an_unknown_device_is_refused_in_the_language_spoken():
    text.speak("zh")
    with pytest.raises(ValueError, match="没有设备 'TPU'"):
        hardware.get("TPU")


def test_a_name_that_is_no_text_is_refused_too():
    with pytest.raises(ValueError, match="None"):
        hardware.get(None)


def test_every_device_names_its_source_and_has_plausible_rates():
    for device in hardware.DEVICES.values():
        assert "nvidia" in device.source.casefold()
        assert 10e9 <= device.memory_bytes <= 200e9
        assert 20 < device.ridge_flops_per_byte < 450


def test_only_the_two_oldest_come_before_bfloat16():
    old = [name for name, device in hardware.DEVICES.items() if device.compute_capability < 8.0]
    assert old == ["P100", "T4"]


def test_a_row_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        hardware.get("T4").bandwidth_gbps = 1


def test_the_recorded_servers_run_on_devices_of_the_table():
    for name in recorded.servers():
        assert hardware.get(recorded.server(name).device)
