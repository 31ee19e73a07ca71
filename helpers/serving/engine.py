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
        running = [sequence.shown.copy() for sequence in self.running.values()]
        waiting = [sequence.shown.copy() for sequence in queue]
        found = schedule(running, waiting, self.free_blocks, dict(self.limits))
        tokens, preempted = rules.decision(found, number)
        rules.check_preempted(preempted, self.running, number)
        anew = [name for name in tokens if name not in self.running]
        queued = {sequence.request.name: sequence for sequence in queue} if anew else {}
        rules.check_tokens(tokens, (self.running, queued), preempted, self.server, number)
        if not tokens:
            raise rules.broken(number, "nothing", waiting=len(self.waiting), running=len(self.running))
        self._preempt(preempted)
        self._admit(anew, number)
        served = [(self.running[name], count) for name, count in tokens.items()]
        batch = _batch(served)
        self._take_blocks(served, number)
        start_ms = self._pass_time(batch, float(step_ms(batch)), number, len(preempted))
        self._advance(served, start_ms)

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

    def _take_blocks(self, served: Iterable[tuple[LiveRequest, int]], number: int) -> None:
        size = self.server.block_tokens
        for sequence, count in served:
            shown = sequence.shown
            after = shown["cached"] + count
            if after > shown["blocks"] * size:
                needed = self.server.blocks_for(after)
                self.free_blocks -= needed - shown["blocks"]
                shown["blocks"] = needed
        rules.check_room(len(self.running), self.free_blocks, self.server, number)

    def _pass_time(self, batch: Batch, duration_ms: float, number: int, preempted: int) -> float:
        """The clock goes on and the load is written down; returns when the iteration began."""
        if not duration_ms > 0:
            raise rules.broken(number, "time", got=duration_ms)
        start_ms, self.now_ms = self.now_ms, self.now_ms + duration_ms
        used = self.server.kv_blocks - self.free_blocks
        load = (number, start_ms, duration_ms, len(self.running), len(self.waiting), used)
        self.loads.append(EngineLoad(*load, batch.prefill_tokens, batch.decode_tokens, preempted))
        return start_ms

    def _advance(self, served: Iterable[tuple[LiveRequest, int]], start_ms: float) -> None:
        end_ms = self.now_ms
        for sequence, count in served:
            if sequence.advance(count, start_ms, end_ms):
                self.free_blocks += sequence.shown["blocks"]
                del self.running[sequence.request.name]

    def finished(self) -> Run:
        return Run(tuple(map(_served, self.all)), tuple(self.loads))


def _batch(served: Iterable[tuple[LiveRequest, int]]) -> Batch:
    contexts = tuple([sequence.shown["cached"] for sequence, _ in served])
    decoding = sum([sequence.decodes for sequence, _ in served])
    return Batch(contexts, sum([count for _, count in served]) - decoding, decoding)


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
