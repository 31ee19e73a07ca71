"""What a scheduler may decide: the rules of an iteration, and the sentence that names a broken one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from helpers.serving.requests import LiveRequest
from helpers.serving.server import Server
from helpers.text import say


class ScheduleError(ValueError):
    """A decision that no engine can carry out; the sentence names the rule, the iteration and the request."""


def broken(iteration: int, rule: str, **details: object) -> ScheduleError:
    """The error for one broken rule."""
    return ScheduleError(say("serving.iteration", number=iteration) + say(f"serving.{rule}", **details))


def decision(found: object, iteration: int) -> tuple[dict[str, int], tuple[str, ...]]:
    """The tokens of each request and the preempted ones, read from what a scheduler returned."""
    if not isinstance(found, Mapping) or not {"tokens", "preempted"} <= set(found):
        raise broken(iteration, "no_decision", got=type(found).__name__)
    tokens, preempted = found["tokens"], found["preempted"]
    if not isinstance(tokens, Mapping) or not isinstance(preempted, (list, tuple)):
        raise broken(iteration, "no_decision", got=type(found).__name__)
    if set(map(type, tokens.values())) - {int} or min(tokens.values(), default=1) <= 0:
        for name, count in tokens.items():
            if not isinstance(count, int) or isinstance(count, bool) or count <= 0:
                raise broken(iteration, "tokens", request=name, got=count)
    return dict(tokens), tuple(preempted)


def check_preempted(preempted: Iterable[str], running: Mapping[str, Any], iteration: int) -> None:
    """Only running requests can be preempted, each once."""
    seen: set[str] = set()
    for name in preempted:
        if name in seen:
            raise broken(iteration, "doubled", request=name)
        if name not in running:
            raise broken(iteration, "not_running", request=name)
        seen.add(name)


def check_tokens(
    tokens: Mapping[str, int],
    present: tuple[Mapping[str, LiveRequest], Mapping[str, LiveRequest]],
    preempted: Iterable[str],
    server: Server,
    iteration: int,
) -> None:
    """Known requests only (running or queued), none that was just preempted, no more than they need, within
    the token budget."""
    running, queued = present
    for name, count in tokens.items():
        if count == 1 and name in running and not preempted:
            continue
        sequence = running.get(name) or queued.get(name)
        if name in preempted:
            raise broken(iteration, "preempted_runs", request=name)
        if sequence is None:
            raise broken(iteration, "unknown", request=name)
        if count > sequence.shown["todo"]:
            raise broken(iteration, "too_many", request=name, got=count, most=sequence.shown["todo"])
    if sum(tokens.values()) > server.max_num_batched_tokens:
        raise broken(iteration, "budget", got=sum(tokens.values()), most=server.max_num_batched_tokens)


def check_room(running: int, free_blocks: int, server: Server, iteration: int) -> None:
    """No more sequences than slots, no more blocks than there are."""
    if running > server.max_num_seqs:
        raise broken(iteration, "slots", got=running, most=server.max_num_seqs)
    if free_blocks < 0:
        raise broken(iteration, "blocks", got=server.kv_blocks - free_blocks, most=server.kv_blocks)


def check_requests(requests: Iterable[Any], server: Server) -> None:
    """Requests that this server can serve at all, each name once."""
    names: set[str] = set()
    for request in requests:
        if request.name in names:
            raise ValueError(say("serving.name_twice", request=request.name))
        names.add(request.name)
        if min(request.prompt_tokens, request.output_tokens) <= 0:
            raise ValueError(say("serving.empty_request", request=request.name))
        needed = server.blocks_for(request.total_tokens)
        if needed > server.kv_blocks:
            raise ValueError(
                say("serving.never_fits", request=request.name, needed=needed, most=server.kv_blocks)
            )
