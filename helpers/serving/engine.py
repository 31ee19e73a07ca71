"""The loop around a scheduler: requests arrive, it decides, the engine checks and carries out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from helpers.serving import rules
from helpers.serving.requests import LiveRequest, Request
from helpers.serving.run import EngineLoad, Run, ServedRequest, Stretch
from helpers.serving.server import Batch, Server

QUEUE_SHOWN = 32
Scheduler = Callable[[list[dict], list[dict], int, dict], Mapping[str, Any]]
StepTime = Callable[[Batch], float]


def simulate(requests: Iterable[Request], server: Server, schedule: Scheduler, step_ms: StepTime) -> Run:
    """Serve all requests to their last token with this scheduler and this clock.

    schedule(running, waiting, free_blocks, limits): `running` in order of admission and `waiting` in order of
        the queue are lists of {"id", "todo", "cached", "blocks"}; it returns {"tokens": {id: tokens of this
        iteration}, "preempted": [ids]}. Of the queue it is shown the first QUEUE_SHOWN.
    step_ms(batch): the duration of an iteration, in milliseconds.

    A decision against the rules raises ScheduleError; a request that never fits raises ValueError.
    """
    engine = _Engine(requests, server)
    while engine.has_work():
        engine.iterate(schedule, step_ms)
    return engine.finished()


class _Engine:
    """The state of a run: the queue, what runs, free blocks, the time."""

    def __init__(self, requests: Iterable[Request], server: Server) -> None:
        everybody = sorted(requests, key=lambda request: request.arrival_ms)
        rules.check_requests(everybody, server)
        self.server, self.limits = server, server.limits()
        self.all = [LiveRequest(request) for request in everybody]
        self.coming = deque(self.all)
        self.waiting: deque[LiveRequest] = deque()
        self.running: dict[str, LiveRequest] = {}
        self.free_blocks = server.kv_blocks
        self.now_ms = 0.0
        self.loads: list[EngineLoad] = []

    def has_work(self) -> bool:
        return bool(self.coming or self.waiting or self.running)

    def iterate(self, schedule: Scheduler, step_ms: StepTime) -> None:
        self._arrive()
        number = len(self.loads) + 1
        queue = list(islice(self.waiting, QUEUE_SHOWN))
        shown = [[s.shown.copy() for s in sequences] for sequences in (self.running.values(), queue)]
        found = schedule(*shown, self.free_blocks, dict(self.limits))
        tokens, preempted = rules.decision(found, number)
        rules.check_preempted(preempted, self.running, number)
        present = {**self.running, **{s.request.name: s for s in queue}}
        rules.check_tokens(tokens, present, preempted, self.server, number)
        if not tokens:
            raise rules.broken(number, "nothing", waiting=len(self.waiting), running=len(self.running))
        self._preempt(preempted)
        self._admit([name for name in tokens if name not in self.running], number)
        batch = self._batch(tokens)
        self._take_blocks(tokens, number)
        self._pass_time(batch, tokens, float(step_ms(batch)), number, len(preempted))

    def _arrive(self) -> None:
        if not self.waiting and not self.running:
            self.now_ms = max(self.now_ms, self.coming[0].request.arrival_ms)
        while self.coming and self.coming[0].request.arrival_ms <= self.now_ms:
            self.waiting.append(self.coming.popleft())

    def _preempt(self, names: Iterable[str]) -> None:
        """Their KV is given up, all of it is computed again, and they stand at the head of the queue."""
        for name in names:
            sequence = self.running.pop(name)
            self.free_blocks += sequence.give_up()
            self.waiting.appendleft(sequence)

    def _admit(self, names: list[str], number: int) -> None:
        """From the head of the queue only: nobody overtakes."""
        for name in names:
            head = self.waiting[0].request.name
            if name != head:
                raise rules.broken(number, "overtaken", request=name, head=head)
            self.running[name] = self.waiting.popleft()

    def _batch(self, tokens: Mapping[str, int]) -> Batch:
        members = [self.running[name] for name in tokens]
        decoding = sum([sequence.decodes for sequence in members])
        contexts = tuple([sequence.shown["cached"] for sequence in members])
        return Batch(contexts, sum(tokens.values()) - decoding, decoding)

    def _take_blocks(self, tokens: Mapping[str, int], number: int) -> None:
        for name, count in tokens.items():
            shown = self.running[name].shown
            needed = self.server.blocks_for(shown["cached"] + count)
            self.free_blocks -= needed - shown["blocks"]
            shown["blocks"] = needed
        rules.check_room(len(self.running), self.free_blocks, self.server, number)

    def _pass_time(
        self, batch: Batch, tokens: Mapping[str, int], duration_ms: float, number: int, preempted: int
    ) -> None:
        if not duration_ms > 0:
            raise rules.broken(number, "time", got=duration_ms)
        start_ms, self.now_ms = self.now_ms, self.now_ms + duration_ms
        used = self.server.kv_blocks - self.free_blocks
        load = (number, start_ms, duration_ms, len(self.running), len(self.waiting), used)
        self.loads.append(EngineLoad(*load, batch.prefill_tokens, batch.decode_tokens, preempted))
        for name, count in tokens.items():
            self._advance(self.running[name], count, start_ms)

    def _advance(self, sequence: LiveRequest, tokens: int, start_ms: float) -> None:
        """Its tokens are in the cache; the one that completes them yields the next output token."""
        if sequence.started_ms is None:
            sequence.started_ms = start_ms
        _extend(sequence, "decode" if sequence.decodes else "prefill", start_ms, self.now_ms)
        shown = sequence.shown
        shown["cached"] += tokens
        shown["todo"] -= tokens
        if shown["todo"]:
            return
        sequence.generated += 1
        shown["todo"] = 1
        if sequence.first_token_ms is None:
            sequence.first_token_ms = self.now_ms
        if sequence.generated == sequence.request.output_tokens:
            sequence.finish_ms = self.now_ms
            self.free_blocks += shown["blocks"]
            del self.running[sequence.request.name]

    def finished(self) -> Run:
        return Run(tuple(map(_served, self.all)), tuple(self.loads))


def _extend(sequence: LiveRequest, state: str, start_ms: float, end_ms: float) -> None:
    """Another stretch of its life, joined to the last one where the state and the time go on."""
    last = sequence.spans[-1] if sequence.spans else None
    if last and last[2] == start_ms and last[0] == state:
        last[2] = end_ms
    else:
        sequence.spans.append([state, start_ms, end_ms])


def _served(sequence: LiveRequest) -> ServedRequest:
    spans, before_ms = [], sequence.request.arrival_ms
    for state, start_ms, end_ms in sequence.spans:
        if start_ms > before_ms:
            spans.append(Stretch("waiting", before_ms, start_ms))
        spans.append(Stretch(state, start_ms, end_ms))
        before_ms = end_ms
    return ServedRequest(
        request=sequence.request,
        started_ms=sequence.started_ms,
        first_token_ms=sequence.first_token_ms,
        finish_ms=sequence.finish_ms,
        preemptions=sequence.preemptions,
        spans=tuple(spans),
    )
