"""The engine around a scheduler: time passes right, blocks are counted, and a broken rule is named."""

import pytest

from helpers import serving, text

SERVER = serving.Server(max_num_seqs=2, max_num_batched_tokens=8, kv_blocks=6, block_tokens=4)


def first_come(running, waiting, free_blocks, limits):
    """Who runs, then the queue, as far as budget and slots reach; memory is not looked at."""
    budget, tokens = limits["max_num_batched_tokens"], {}
    for request in [*running, *waiting[: limits["max_num_seqs"] - len(running)]]:
        if min(request["todo"], budget):
            tokens[request["id"]] = min(request["todo"], budget)
            budget -= tokens[request["id"]]
    return {"tokens": tokens, "preempted": []}


def ten_ms(batch):
    return 10.0


def simulate(requests, schedule=first_come, server=SERVER, clock=ten_ms):
    return serving.simulate([serving.Request(*request) for request in requests], server, schedule, clock)


def test_a_run_worked_by_hand():
    run = simulate([("A", 0, 10, 3), ("B", 5, 3, 1)])
    a, b = run.requests
    # 8 of A's prompt; 2 of A's and 3 of B's; A decodes twice
    assert [(load.prefill_tokens, load.decode_tokens) for load in run.iterations] == [
        (8, 0),
        (5, 0),
        (0, 1),
        (0, 1),
    ]
    assert [load.used_blocks for load in run.iterations] == [2, 4, 3, 3]
    assert (a.first_token_ms, a.finish_ms, b.first_token_ms, b.finish_ms) == (20, 40, 20, 20)
    assert [(s.state, s.start_ms, s.end_ms) for s in a.spans] == [("prefill", 0, 20), ("decode", 20, 40)]
    assert [(s.state, s.start_ms, s.end_ms) for s in b.spans] == [("waiting", 5, 10), ("prefill", 10, 20)]
    assert a.log["status"] == "completed"
    assert (b.log["arrival_ms"], b.log["started_ms"], b.log["output_tokens"]) == (5, 10, 1)


def test_the_clock_is_told_what_the_iteration_reads_and_computes():
    told = []

    def clock(batch):
        told.append((batch.context_tokens, batch.prefill_tokens, batch.decode_tokens))
        return 1.0

    simulate([("A", 0, 10, 3)], clock=clock)
    assert told == [((0,), 8, 0), ((8,), 2, 0), ((10,), 0, 1), ((11,), 0, 1)]


def test_an_idle_engine_waits_for_the_next_arrival():
    run = simulate([("A", 0, 1, 1), ("B", 100, 1, 1)])
    assert [load.start_ms for load in run.iterations] == [0, 100]


def test_whoever_is_preempted_loses_its_cache_and_computes_all_of_it_again():
    def preempting(running, waiting, free_blocks, limits):
        cached = {request["id"]: request["cached"] for request in running}
        if cached.get("B", 0) == 5 and "A" in cached:
            return {"tokens": {"A": 1}, "preempted": ["B"]}
        return first_come(running, waiting, free_blocks, limits)

    run = simulate([("A", 0, 2, 6), ("B", 0, 4, 4)], preempting)
    b = run.requests[1]
    assert b.preemptions == 1
    assert [s.state for s in b.spans] == ["prefill", "decode", "waiting", "prefill", "decode"]
    assert sum(s.end_ms - s.start_ms for s in b.spans) == b.finish_ms
    # 2 and 4 tokens of prompt; again 4 of B's prompt and the 2 it had generated
    assert sum(load.prefill_tokens for load in run.iterations) == 2 + 4 + 6


BROKEN = {
    "not a decision": ({}, "schedule"),
    "half a token": ({"tokens": {"A": 0.5}, "preempted": []}, "A"),
    "no token": ({"tokens": {"A": 0}, "preempted": []}, "A"),
    "nobody": ({"tokens": {}, "preempted": []}, ""),
    "a stranger": ({"tokens": {"Z": 1}, "preempted": []}, "Z"),
    "more than it needs": ({"tokens": {"A": 4}, "preempted": []}, "A"),
    "over the budget": ({"tokens": {"A": 3, "B": 6}, "preempted": []}, "9"),
    "over the slots": ({"tokens": {"A": 1, "B": 1, "C": 1}, "preempted": []}, "3"),
    "past the head": ({"tokens": {"B": 1}, "preempted": []}, "B"),
    "preempted while waiting": ({"tokens": {"A": 1}, "preempted": ["A"]}, "A"),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_rule_is_named_with_the_iteration_and_the_request(case, language):
    decision, named = BROKEN[case]
    with text.speaking(language), pytest.raises(serving.ScheduleError) as refused:
        simulate([("A", 0, 3, 2), ("B", 0, 6, 2), ("C", 0, 3, 2)], lambda *_: decision)
    assert {"zh": "第 1 轮", "en": "Iteration 1"}[language] in str(refused.value)
    assert named in str(refused.value)


def test_more_blocks_than_there_are_is_refused():
    with pytest.raises(serving.ScheduleError, match="7"):
        simulate(
            [("A", 0, 12, 9), ("B", 0, 13, 9)],
            server=serving.Server(max_num_seqs=2, max_num_batched_tokens=99, kv_blocks=6, block_tokens=4),
        )


@pytest.mark.parametrize("duration_ms", [0, -1, float("nan")])
def test_time_that_stands_still_or_runs_backwards_is_refused(duration_ms):
    with pytest.raises(serving.ScheduleError):
        simulate([("A", 0, 1, 1)], clock=lambda batch: duration_ms)


@pytest.mark.parametrize(
    "requests", [[("A", 0, 1, 1), ("A", 1, 1, 1)], [("A", 0, 0, 1)], [("A", 0, 1, 0)], [("A", 0, 20, 5)]]
)
def test_requests_that_cannot_be_served_are_refused_before_the_run(requests):
    with pytest.raises(ValueError, match="A"):
        simulate(requests)


def test_a_scheduler_cannot_change_the_engine_through_what_it_is_shown():
    def greedy(running, waiting, free_blocks, limits):
        decision = first_come(running, waiting, free_blocks, limits)
        for request in [*running, *waiting]:
            request.update(todo=1, cached=0, blocks=0)
        limits["max_num_seqs"] = 99
        running.clear()
        return decision

    honest = simulate([("A", 0, 10, 3), ("B", 5, 3, 1)])
    assert simulate([("A", 0, 10, 3), ("B", 5, 3, 1)], greedy) == honest
