"""The small server against traces worked out by hand."""

import pytest

from helpers import serving
from helpers.serving import Limits, Request


def constant(plan):
    return 10.0


def columns(replay, *names):
    return [tuple(getattr(iteration, name) for name in names) for iteration in replay.iterations]


def test_one_request_prefills_once_and_then_decodes_a_token_an_iteration():
    replay = serving.replay([Request("A", 0, 100, 3)], Limits(1, 128, 200), constant)
    assert columns(replay, "prefill_tokens", "decode_tokens") == [(100, 0), (0, 1), (0, 1)]
    assert columns(replay, "kv_tokens") == [(100,), (101,), (102,)]
    assert replay.first_token_ms == {"A": 10.0}
    assert replay.finish_ms == {"A": 30.0}


def test_a_long_prompt_is_cut_at_the_token_budget_and_decodes_go_first():
    requests = [Request("A", 0, 10, 5), Request("B", 10, 50, 1)]
    replay = serving.replay(requests, Limits(2, 32, 1000), constant)
    assert columns(replay, "prefill_tokens", "decode_tokens") == [(10, 0), (31, 1), (19, 1), (0, 1), (0, 1)]
    assert replay.first_token_ms["B"] == 30.0


def test_nobody_is_admitted_without_a_slot():
    requests = [Request("A", 0, 10, 2), Request("B", 0, 10, 2), Request("C", 0, 10, 2)]
    replay = serving.replay(requests, Limits(2, 100, 1000), constant)
    assert columns(replay, "admitted", "waiting")[:3] == [(("A", "B"), 1), ((), 1), (("C",), 0)]


def test_kv_is_reserved_for_prompt_and_output_before_admission():
    requests = [Request("A", 0, 60, 30), Request("B", 0, 60, 30)]
    replay = serving.replay(requests, Limits(8, 256, 179), constant)
    assert all(len(iteration.context_tokens) == 1 for iteration in replay.iterations)
    together = serving.replay(requests, Limits(8, 256, 180), constant)
    assert together.iterations[0].admitted == ("A", "B")


def test_kv_never_exceeds_the_cache_and_every_token_is_generated():
    requests = [Request(f"r{i}", 7.0 * i, 20 + 13 * i % 90, 1 + i % 7) for i in range(40)]
    limits = Limits(5, 64, 260)
    replay = serving.replay(requests, limits, constant)
    assert set(replay.finish_ms) == {request.name for request in requests}
    assert max(iteration.kv_tokens for iteration in replay.iterations) <= 260
    assert all(i.prefill_tokens + i.decode_tokens <= 64 for i in replay.iterations)
    assert sum(i.prefill_tokens for i in replay.iterations) == sum(r.prompt_tokens for r in requests)
    assert sum(i.decode_tokens for i in replay.iterations) == sum(r.output_tokens - 1 for r in requests)


def test_the_clock_is_the_callers_and_idle_time_is_skipped():
    requests = [Request("A", 0, 10, 1), Request("B", 500, 10, 1)]
    replay = serving.replay(requests, Limits(1, 16, 100), lambda plan: 2.0 * plan.prefill_tokens)
    assert columns(replay, "start_ms", "duration_ms") == [(0.0, 20.0), (500.0, 20.0)]


def test_a_step_sees_the_contexts_it_reads():
    seen = []
    serving.replay(
        [Request("A", 0, 100, 3)], Limits(1, 128, 200), lambda plan: seen.append(plan.context_tokens) or 1.0
    )
    assert seen == [(0,), (100,), (101,)]


def test_a_request_larger_than_the_cache_is_refused_with_both_figures():
    with pytest.raises(ValueError, match="request A needs 300 KV tokens, kv_tokens is 200"):
        serving.replay([Request("A", 0, 200, 100)], Limits(1, 300, 200), constant)


@pytest.mark.parametrize("values", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (4, 3, 100)])
def test_limits_that_cannot_work_are_refused(values):
    with pytest.raises(ValueError, match="must be"):
        Limits(*values)


def test_delaying_an_unknown_request_is_refused():
    with pytest.raises(ValueError, match="'Z'"):
        serving.delayed([Request("A", 0, 1, 1)], "Z", 5)
