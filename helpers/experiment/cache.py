"""The key-value cache: counting it, and holding it at its length."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def cache_keyword(model: Any) -> str:
    """How this release of transformers calls the cache in forward and in its output."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def kv_bytes(cache: Any, context_tokens: int) -> int:
    """Bytes of keys and values of the first `context_tokens` tokens, summed over the cache's own tensors."""
    tensors = (tensor for layer in cache.layers for tensor in (layer.keys, layer.values))
    return sum(tensor[..., :context_tokens, :].nbytes for tensor in tensors)


def hold(cache: Any, context_tokens: int, keep: bool = True) -> Callable[[], None]:
    """A function that puts the cache back to `context_tokens` tokens, bit for bit; not to be timed.

    `keep` holds the old keys and values beside the new ones: twice the memory, and the tensors of every step
    are alike. Without it a growing layer is cut back from its new tensors, so that a step needs no more
    memory than in service.
    """
    restores = [_hold_layer(layer, context_tokens, keep) for layer in cache.layers]

    def restore() -> None:
        for put_back in restores:
            put_back()

    return restore


def _hold_layer(layer: Any, context_tokens: int, keep: bool) -> Callable[[], None]:
    if not getattr(layer, "is_compileable", False):
        grows = not getattr(layer, "is_sliding", False)
        return _cut_growing(layer, context_tokens) if grows and not keep else _hold_growing(layer)
    return _hold_copied(layer) if getattr(layer, "is_sliding", False) else _hold_tail(layer, context_tokens)


def _hold_growing(layer: Any) -> Callable[[], None]:
    """A growing layer makes new tensors each step: keeping the old ones is enough."""
    keys, values = layer.keys, layer.values
    length = getattr(layer, "cumulative_length", None)

    def restore() -> None:
        layer.keys, layer.values = keys, values
        if length is not None:
            layer.cumulative_length = length

    return restore


def _cut_growing(layer: Any, context_tokens: int) -> Callable[[], None]:
    """A growing layer cut back to its first tokens; nothing of the old tensors is held."""
    put_length_back = _hold_length(layer)

    def restore() -> None:
        layer.keys = layer.keys[..., :context_tokens, :]
        layer.values = layer.values[..., :context_tokens, :]
        put_length_back()

    return restore


def _hold_tail(layer: Any, context_tokens: int) -> Callable[[], None]:
    """A static layer is written in place behind its context: clear that part again."""
    put_length_back = _hold_length(layer)

    def restore() -> None:
        layer.keys[..., context_tokens:, :].zero_()
        layer.values[..., context_tokens:, :].zero_()
        put_length_back()

    return restore


def _hold_copied(layer: Any) -> Callable[[], None]:
    """A static sliding layer shifts in place: keep a copy."""
    keys, values = layer.keys.clone(), layer.values.clone()
    put_length_back = _hold_length(layer)

    def restore() -> None:
        layer.keys.copy_(keys)
        layer.values.copy_(values)
        put_length_back()

    return restore


def _hold_length(layer: Any) -> Callable[[], None]:
    """The layer's own count of tokens, where it keeps one: a tensor is written in place."""
    length = getattr(layer, "cumulative_length", None)
    if length is None:
        return lambda: None
    if isinstance(length, int):
        return lambda: setattr(layer, "cumulative_length", length)
    kept = length.clone()
    return lambda: layer.cumulative_length.copy_(kept)


def cache_length(cache: Any) -> int:
    """Tokens in the cache, as the cache itself says."""
    return int(cache.get_seq_length())
