"""The first lesson's little server: on admission it reserves the KV of a whole request, output included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from helpers.serving.requests import Request
from helpers.tables import Table, table


@dataclass(frozen=True)
class Limits:
    """What the scheduler may not exceed in one iteration."""

    max_num_seqs: int
    max_num_batched_tokens: int
    kv_tokens: int

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise ValueError(f"{name} must be > 0, got {value}")
        if self.max_num_batched_tokens < self.max_num_seqs:
            raise ValueError(
                f"max_num_batched_tokens must be >= max_num_seqs ({self.max_num_seqs}), "
                f"got {self.max_num_batched_tokens}"
            )


@dataclass(frozen=True)
class Running:
    """A running request: prompt tokens already prefilled and tokens already generated."""

    request: Request
    prefilled: int = 0
    generated: int = 0

    @property
    def context_tokens(self) -> int:
        """Tokens whose KV is in the cache; the newest token is written by the next step."""
        return self.prefilled + max(0, self.generated - 1)

    @property
    def decodes(self) -> bool:
        return self.prefilled == self.request.prompt_tokens

    @property
    def finished(self) -> bool:
        return self.generated == self.request.output_tokens


@dataclass(frozen=True)
class Plan:
    """What the scheduler decided for one iteration: tokens to run for each running sequence."""

    sequences: tuple[Running, ...]
    scheduled: tuple[int, ...]
    admitted: tuple[str, ...]

    @property
    def decode_tokens(self) -> int:
        return sum(n for seq, n in zip(self.sequences, self.scheduled, strict=True) if seq.decodes)

    @property
    def prefill_tokens(self) -> int:
        return sum(self.scheduled) - self.decode_tokens

    @property
    def context_tokens(self) -> tuple[int, ...]:
        """KV tokens that this iteration reads, for each sequence that takes part."""
        pairs = zip(self.sequences, self.scheduled, strict=True)
        return tuple(seq.context_tokens for seq, n in pairs if n)


@dataclass(frozen=True)
class Iteration:
    """One turn of the loop, as it is drawn and tabulated; `index` counts from 1."""

    index: int
    start_ms: float
    duration_ms: float
    waiting: int
    admitted: tuple[str, ...]
    prefill_tokens: int
    decode_tokens: int
    context_tokens: tuple[int, ...]
    kv_tokens: int
    finished: tuple[str, ...]

    @property
    def end_ms(self) -> float:
        return self.start_ms + self.duration_ms


@dataclass(frozen=True)
class Replay:
    """All iterations of a trace, and for each request the time to its first and to its last token."""

    requests: tuple[Request, ...]
    iterations: tuple[Iteration, ...]
    first_token_ms: dict[str, float]
    finish_ms: dict[str, float]

    @property
    def table(self) -> Table:
        """One row an iteration."""
        return table([_row(iteration) for iteration in self.iterations])


StepTime = Callable[[Plan], float]


def replay(requests: Sequence[Request], limits: Limits, step_ms: StepTime) -> Replay:
    """Run all requests to their end; `step_ms(plan)` says how long an iteration takes, in milliseconds.

    A request that can never be admitted raises ValueError.
    """
    _check(requests, limits)
    waiting = sorted(requests, key=lambda request: request.arrival_ms)
    running: tuple[Running, ...] = ()
    done = Replay(tuple(requests), (), {}, {})
    now_ms = 0.0
    while waiting or running:
        if not running:
            now_ms = max(now_ms, waiting[0].arrival_ms)
        plan = schedule(waiting, running, limits, now_ms)
        waiting = [request for request in waiting if request.name not in plan.admitted]
        after = tuple(map(_advanced, plan.sequences, plan.scheduled))
        queued = sum(request.arrival_ms <= now_ms for request in waiting)
        done = _recorded(done, plan, after, now_ms, float(step_ms(plan)), queued)
        now_ms = done.iterations[-1].end_ms
        running = tuple(sequence for sequence in after if not sequence.finished)
    return done


def schedule(waiting: Sequence[Request], running: Sequence[Running], limits: Limits, now_ms: float) -> Plan:
    """One scheduler step: running decodes first, then unfinished prefills, then the queue by arrival."""
    budget = limits.max_num_batched_tokens
    admitted = _admitted(waiting, running, limits, now_ms)
    sequences = (*sorted(running, key=lambda sequence: not sequence.decodes), *map(Running, admitted))
    scheduled = []
    for sequence in sequences:
        tokens = min(budget, _wanted(sequence))
        scheduled.append(tokens)
        budget -= tokens
    started = len(running) + sum(1 for tokens in scheduled[len(running) :] if tokens)
    names = tuple(sequence.request.name for sequence in sequences[len(running) : started])
    return Plan(tuple(sequences[:started]), tuple(scheduled[:started]), names)


def compare(before: Replay, after: Replay) -> Table:
    """First and last token of each request in two replays of the same requests, in milliseconds."""
    return table(
        [
            {
                "request": name,
                "first_token_before_ms": before.first_token_ms[name],
                "first_token_after_ms": after.first_token_ms[name],
                "finish_before_ms": before.finish_ms[name],
                "finish_after_ms": after.finish_ms[name],
            }
            for name in sorted(before.finish_ms)
        ]
    )


def delayed(requests: Sequence[Request], name: str, arrival_ms: float) -> tuple[Request, ...]:
    """The same trace with one arrival changed; an unknown name raises ValueError."""
    if name not in {request.name for request in requests}:
        raise ValueError(f"name must be one of the requests, got {name!r}")
    return tuple(replace(r, arrival_ms=arrival_ms) if r.name == name else r for r in requests)


def _check(requests: Sequence[Request], limits: Limits) -> None:
    for request in requests:
        if min(request.prompt_tokens, request.output_tokens) <= 0:
            raise ValueError(f"request {request.name} must have prompt_tokens and output_tokens > 0")
        if request.total_tokens > limits.kv_tokens:
            raise ValueError(
                f"request {request.name} needs {request.total_tokens} KV tokens, "
                f"kv_tokens is {limits.kv_tokens}"
            )


def _admitted(
    waiting: Sequence[Request], running: Sequence[Running], limits: Limits, now_ms: float
) -> list[Request]:
    """The head of the queue, as far as slots and reserved KV reach; nobody overtakes."""
    free_slots = limits.max_num_seqs - len(running)
    free_kv = limits.kv_tokens - sum(sequence.request.total_tokens for sequence in running)
    admitted: list[Request] = []
    for request in waiting:
        free_kv -= request.total_tokens
        if request.arrival_ms > now_ms or len(admitted) == free_slots or free_kv < 0:
            break
        admitted.append(request)
    return admitted


def _wanted(sequence: Running) -> int:
    return 1 if sequence.decodes else sequence.request.prompt_tokens - sequence.prefilled


def _advanced(sequence: Running, tokens: int) -> Running:
    """The sequence after its tokens ran; the step that ends the prompt yields the first output token."""
    if sequence.decodes:
        return replace(sequence, generated=sequence.generated + tokens)
    prefilled = sequence.prefilled + tokens
    first = int(prefilled == sequence.request.prompt_tokens)
    return replace(sequence, prefilled=prefilled, generated=first)


def _recorded(
    done: Replay, plan: Plan, after: Sequence[Running], start_ms: float, duration_ms: float, queued: int
) -> Replay:
    end_ms = start_ms + duration_ms
    finished = tuple(sequence.request.name for sequence in after if sequence.finished)
    iteration = Iteration(
        index=len(done.iterations) + 1,
        start_ms=start_ms,
        duration_ms=duration_ms,
        waiting=queued,
        admitted=plan.admitted,
        prefill_tokens=plan.prefill_tokens,
        decode_tokens=plan.decode_tokens,
        context_tokens=plan.context_tokens,
        kv_tokens=sum(sequence.context_tokens for sequence in after),
        finished=finished,
    )
    started = {
        s.request.name: end_ms for s in after if s.generated and s.request.name not in done.first_token_ms
    }
    return Replay(
        done.requests,
        (*done.iterations, iteration),
        {**started, **done.first_token_ms},
        {**done.finish_ms, **dict.fromkeys(finished, end_ms)},
    )


def _row(iteration: Iteration) -> dict[str, object]:
    return {
        "iteration": iteration.index,
        "start_ms": iteration.start_ms,
        "duration_ms": iteration.duration_ms,
        "waiting": iteration.waiting,
        "admitted": iteration.admitted,
        "prefill_tokens": iteration.prefill_tokens,
        "decode_tokens": iteration.decode_tokens,
        "kv_tokens": iteration.kv_tokens,
        "finished": iteration.finished,
    }
