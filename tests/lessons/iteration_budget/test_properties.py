"""What the three functions must do whatever they are given, on drawn inputs; each looked at without the
reference's own formula."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.authoring import mutants
from course.lesson import notebooks
from course.lesson.folder import CourseFolder

MASTER = notebooks.load(CourseFolder(Path(__file__).parents[3]).master("iteration-budget"))


def reference(exercise: str, name: str):
    names = mutants.setup(MASTER)
    exec(mutants.references(MASTER)[exercise], names)
    return names[name]


cost = reference("cost", "estimate_iteration_cost")
bounds = reference("bounds", "compute_batch_bounds")
knee = reference("knee", "select_operating_knee")

unhurried = settings(deadline=None)
few = st.integers(0, 10**6)
costs = st.fixed_dictionaries(
    {
        "weight_bytes": st.integers(0, 10**12),
        "kv_bytes_per_token": few,
        "active_context_tokens": st.lists(few, max_size=20),
        "scheduled_prefill_tokens": few,
        "scheduled_decode_tokens": few,
        "flops_per_token": st.integers(0, 10**12),
        "effective_bandwidth_gbps": st.integers(1, 10**4),
        "effective_compute_tflops": st.integers(1, 10**4),
        "exposed_overhead_ms": st.integers(0, 10**3),
    }
)


@unhurried
@given(costs, st.integers(2, 9))
def test_a_faster_side_takes_less_in_proportion_and_leaves_the_other_alone(inputs, times):
    ledger = cost(**inputs)
    faster = cost(**inputs | {"effective_bandwidth_gbps": times * inputs["effective_bandwidth_gbps"]})
    assert faster["memory_ms"] == pytest.approx(ledger["memory_ms"] / times)
    assert faster["compute_ms"] == ledger["compute_ms"]
    faster = cost(**inputs | {"effective_compute_tflops": times * inputs["effective_compute_tflops"]})
    assert faster["compute_ms"] == pytest.approx(ledger["compute_ms"] / times)
    assert faster["memory_ms"] == ledger["memory_ms"]


@unhurried
@given(costs, st.randoms())
def test_the_order_of_the_sessions_is_of_no_matter_and_each_counts(inputs, random):
    contexts = inputs["active_context_tokens"]
    shuffled = random.sample(contexts, len(contexts))
    assert cost(**inputs | {"active_context_tokens": tuple(shuffled)}) == cost(**inputs)
    one_more = cost(**inputs | {"active_context_tokens": [*contexts, 7]})
    read = 7 * inputs["kv_bytes_per_token"]
    assert one_more["memory_bytes"] - cost(**inputs)["memory_bytes"] == read


@unhurried
@given(costs)
def test_an_iteration_is_its_longer_side_and_what_is_exposed(inputs):
    ledger = cost(**inputs)
    sides = {"memory": ledger["memory_ms"], "compute": ledger["compute_ms"]}
    assert sides[ledger["dominant"]] == max(sides.values())
    bare = cost(**inputs | {"exposed_overhead_ms": 0})
    assert bare["iteration_ms"] == max(sides.values())
    assert ledger["iteration_ms"] == pytest.approx(bare["iteration_ms"] + inputs["exposed_overhead_ms"])
    assert ledger["dominant"] == bare["dominant"]


@unhurried
@given(costs, st.integers(1, 1000))
def test_a_prefill_token_and_a_decode_token_cost_the_same_in_the_ledger(inputs, moved):
    more = dict(inputs, scheduled_prefill_tokens=inputs["scheduled_prefill_tokens"] + moved)
    other = dict(inputs, scheduled_decode_tokens=inputs["scheduled_decode_tokens"] + moved)
    assert cost(**more) == cost(**other)


some = st.integers(1, 10**6)
limits = st.fixed_dictionaries(
    {
        "max_num_seqs": some,
        "available_kv_bytes": st.integers(1, 10**12),
        "kv_bytes_per_token": some,
        "context_tokens_per_request": some,
        "reserved_output_tokens": some,
        "max_num_batched_tokens": some,
        "scheduled_tokens_per_request": some,
        "slo_batch_limit": some,
        "backend_batch_limit": some,
    }
)


@unhurried
@given(limits)
def test_a_bound_fits_and_one_more_would_not(inputs):
    found = bounds(**inputs)
    kv, token = found["limits"]["kv"], found["limits"]["token"]
    per_request = inputs["kv_bytes_per_token"] * inputs["context_tokens_per_request"]
    per_request += inputs["kv_bytes_per_token"] * inputs["reserved_output_tokens"]
    assert kv * per_request <= inputs["available_kv_bytes"] < (kv + 1) * per_request
    scheduled = inputs["scheduled_tokens_per_request"]
    assert token * scheduled <= inputs["max_num_batched_tokens"] < (token + 1) * scheduled


@unhurried
@given(limits)
def test_relaxing_what_does_not_bind_changes_nothing_and_all_that_binds_is_named(inputs):
    found = bounds(**inputs)
    assert {name for name, limit in found["limits"].items() if limit == min(found["limits"].values())} == set(
        found["binding_constraints"]
    )
    relaxed = bounds(**inputs | {"backend_batch_limit": 2 * 10**6})
    assert (relaxed["final_limit"] > found["final_limit"]) == (found["binding_constraints"] == ["backend"])


@unhurried
@given(limits, st.integers(1, 10**5))
def test_longer_contexts_never_loosen_a_bound(inputs, longer):
    more = inputs | {"context_tokens_per_request": inputs["context_tokens_per_request"] + longer}
    assert bounds(**more)["limits"]["kv"] <= bounds(**inputs)["limits"]["kv"]


record = st.fixed_dictionaries({"throughput": st.integers(0, 1000), "iteration_ms": st.integers(1, 100)})
sweeps = st.lists(record, min_size=1, max_size=8).map(
    lambda found: [{"batch": 2 + place, **one} for place, one in enumerate(found)]
)


def choose(records, slo, gain):
    try:
        return knee(records, slo, gain)
    except ValueError:
        return None


@unhurried
@given(sweeps, st.integers(1, 100), st.sampled_from([0.0, 0.125, 0.5]), st.randoms())
def test_the_order_of_the_records_is_of_no_matter_and_they_stay_as_they_are(sweep, slo, gain, random):
    before = [dict(one) for one in sweep]
    shuffled = random.sample(sweep, len(sweep))
    assert choose(shuffled, slo, gain) == choose(sweep, slo, gain)
    assert sweep == before


@unhurried
@given(sweeps, st.integers(1, 100), st.sampled_from([0.0, 0.125, 0.5]))
def test_every_step_up_to_the_choice_was_worth_it_and_the_next_one_is_not(sweep, slo, gain):
    choice = choose(sweep, slo, gain)
    if choice is None:
        assert sweep[0]["iteration_ms"] > slo
        return
    last = sweep.index(choice["selected_record"])
    taken = sweep[: last + 1]
    assert all(one["iteration_ms"] <= slo for one in taken)
    for before, after in itertools.pairwise(taken):
        assert after["throughput"] - before["throughput"] >= gain * before["throughput"]
    stop = choice["stop_reason"]
    if last + 1 == len(sweep):
        assert stop == "largest_valid_batch"
    elif sweep[last + 1]["iteration_ms"] > slo:
        assert stop == "slo_violation"
    else:
        assert stop == "throughput_saturation"
        gained = sweep[last + 1]["throughput"] - sweep[last]["throughput"]
        assert gained < gain * sweep[last]["throughput"] or sweep[last]["throughput"] == gained == 0


@unhurried
@given(sweeps, st.integers(1, 100), st.sampled_from([1, 2, 4, 1024]))
def test_only_ratios_of_throughput_count(sweep, slo, times):
    scaled = [one | {"throughput": times * one["throughput"]} for one in sweep]
    before, after = choose(sweep, slo, 0.125), choose(scaled, slo, 0.125)
    assert (before and before["selected_batch"]) == (after and after["selected_batch"])
