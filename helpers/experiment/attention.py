"""Which attention runs: chosen before the model is built, and read off the operators of a step.

Without a mask transformers asks torch for grouped attention (`enable_gqa`), which before compute capability
8.0 only the math kernel offers: it moves the layer's KV many times over, in float32. `sdpa_expanded` repeats
keys and values for the query heads first, so that a fused kernel takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, Literal, get_args

Attention = Literal["sdpa", "sdpa_expanded", "eager"]
ATTENTIONS: tuple[str, ...] = get_args(Attention)
GROUPED_FROM = (8, 0)
FUSED = "_scaled_dot_product_"


def attention_for(asked: str | None, capability: tuple[int, int] | None) -> str | None:
    """What to build the model with: as asked; else expanded on a GPU without fused grouped attention."""
    if asked is not None or capability is None or capability >= GROUPED_FROM:
        return asked
    return "sdpa_expanded"


def register() -> None:
    """Make `sdpa_expanded` known to transformers, with the masks of `sdpa`."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    AttentionInterface.register("sdpa_expanded", expanded)
    AttentionMaskInterface.register("sdpa_expanded", sdpa_mask)


def expanded(module: Any, query: Any, key: Any, value: Any, *rest: Any, **options: Any) -> Any:
    """transformers' own `sdpa`, over keys and values repeated for their query heads [batch, heads, …]."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    groups = query.shape[1] // key.shape[1]
    if groups > 1:
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    alone = SimpleNamespace(num_key_value_groups=1, is_causal=getattr(module, "is_causal", True))
    return sdpa_attention_forward(alone, query, key, value, *rest, **options)


def kernel(implementation: str, operators: Iterable[str]) -> str:
    """The attention's name for the record: the fused kernel's, else `math`."""
    if not implementation.startswith("sdpa"):
        return implementation
    fused = sorted(name.partition(FUSED)[2] for name in operators if FUSED in name)
    return f"{implementation}/{fused[0] if fused else 'math'}"


def operators_of(step: Callable[[], Any]) -> set[str]:
    """Names of the operators that a step dispatches."""
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: set[str] = set()

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = func._schema.name
            seen.add(name)
            if name == "aten::scaled_dot_product_attention":
                with self:
                    return func.decompose(*args, **(kwargs or {}))
            return func(*args, **(kwargs or {}))

    with Watch():
        step()
    return seen
