"""A run on a machine that changed is no evidence; what the harness had to do differently is said by name."""

from __future__ import annotations

import pytest

from helpers import recorded, results, text


@pytest.fixture(autouse=True)
def english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def report(sentinels=(), records=None, device="cpu"):
    """The shipped CPU report with other sentinels and changes to its first record."""
    data = results.to_dict(results.load(recorded.own("smollm2-135m-cpu")))
    base = {"batch": 1, "context_tokens": 127}
    data["sentinels"] = [{**base, "position": at, **one} for at, one in enumerate(sentinels)]
    data["records"][0] |= records or {}
    data["hardware"]["device"] = device
    return results.from_dict(data, check_digest=False)


def evidence(made):
    return next(row for row in results.judge(made) if row.aspect == "evidence")


def steps(*times):
    return [{"decode_median_ms": ms} for ms in times]


def test_sentinels_within_a_fifth_leave_the_evidence_as_it_is():
    assert evidence(report(steps(40.0, 44.0, 47.9))).state == "held"


def test_a_run_under_load_is_pending_by_name():
    row = evidence(report(steps(39.0, 507.0, 60.0)))
    assert row.state == "pending"
    assert "3 readings differ by 1200% (limit 20%)" in row.text


def test_the_devices_own_sentinel_counts_too():
    heat = [
        {"decode_median_ms": 4.0, "prefill_median_ms": ms, "prefill_tokens": 4095} for ms in (100.0, 130.0)
    ]
    row = evidence(report(heat))
    assert (row.state, "30%" in row.text) == ("pending", True)


def test_one_sentinel_shows_no_drift():
    assert results.drift_of(report(steps(39.0))) is None


@pytest.mark.parametrize(
    ("change", "device", "said"),
    [
        ({"attention": "sdpa/math"}, "cuda", "1 × 128: attention ran on the math kernel"),
        ({"cache_held": "cut"}, "cuda", "1 × 128: there was no room for the old KV"),
        ({"samples_dropped": 2}, "cpu", "1 × 128: 2 readings of the device's clock"),
    ],
)
def test_what_the_harness_did_differently_is_remarked_by_shape(change, device, said):
    assert any(line.startswith(said) for line in results.remarks(report((), change, device)))


def test_the_math_kernel_is_nothing_to_warn_of_on_a_cpu():
    assert not any("math kernel" in line for line in results.remarks(report((), {"attention": "sdpa/math"})))


def test_a_submission_longer_than_its_own_call_is_no_measurement():
    fields = {"decode_submit_samples_ms": [2.0], "decode_wall_samples_ms": [1.0]}
    data = results.to_dict(report((), fields))
    data["records"][0]["decode_rounds"] = [len(data["records"][0]["decode_samples_ms"])]
    made = results.from_dict(data, check_digest=False)
    assert "host_clock" in {finding.code for finding in results.audit(made)}
    assert "host_clock" not in {finding.code for finding in results.audit(report())}
