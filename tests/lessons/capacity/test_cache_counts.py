"""The lesson's bytes of KV against counts on each model's own cache, built without memory (meta device)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import small

from course.authoring import mutants
from course.lesson import notebooks
from course.lesson.folder import CourseFolder

TINY = {
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "hidden_size": 64,
    "intermediate_size": 96,
    "vocab_size": 128,
}


@pytest.fixture(scope="module")
def lesson() -> SimpleNamespace:
    """The functions of the reference solutions, as the master defines them."""
    course, names = CourseFolder(small.ROOT), {}
    exec("from collections import Counter", names)
    found = mutants.references(notebooks.load(course.master("capacity", "zh")))
    for exercise, source in found.items():
        exec(compile(source, exercise, "exec"), names)
    return SimpleNamespace(**{name: value for name, value in names.items() if callable(value)})


def counted(config, context_tokens):
    """Bytes in the cache after a forward pass over so many tokens, in 16 bit, and those of each layer's."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
        ids = torch.ones(1, context_tokens, dtype=torch.long)
        with torch.inference_mode():
            cache = network(input_ids=ids, use_cache=True, logits_to_keep=1).past_key_values
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)


@pytest.mark.parametrize("family", ["LlamaConfig", "Qwen3Config"])
@pytest.mark.parametrize("kv_heads", [1, 2, 8])
@pytest.mark.parametrize("context", [1, 37])
def test_a_standard_cache(lesson, family, kv_heads, context):
    config = getattr(pytest.importorskip("transformers"), family)
    shape = TINY | {"num_key_value_heads": kv_heads}
    expected = lesson.attention_cache_bytes(context, 4, 0, 1, kv_heads, 16, 2)
    assert counted(config(**shape), context) == expected


@pytest.mark.parametrize("context", [3, 8, 30, 31])
def test_a_cache_with_sliding_layers_grows_past_the_window_as_the_full_layers_do(lesson, context):
    transformers = pytest.importorskip("transformers")
    kinds = ["sliding_attention", "full_attention"] * 2
    config = transformers.Gemma3TextConfig(**TINY, sliding_window=16, layer_types=kinds)
    grown = counted(config, context + 1) - counted(config, context)
    computed = [lesson.attention_cache_bytes(tokens, 2, 2, 16, 2, 16, 2) for tokens in (context, context + 1)]
    assert grown == computed[1] - computed[0]


LATENT = {
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "hidden_size": 64,
    "intermediate_size": 96,
    "vocab_size": 128,
    "q_lora_rank": 32,
    "kv_lora_rank": 24,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "first_k_dense_replace": 2,
}


def test_a_latent_cache(lesson):
    config = pytest.importorskip("transformers").DeepseekV3Config(**LATENT)
    grown = counted(config, 11) - counted(config, 10)
    kept = {lesson.latent_cache_bytes(1, 2, 24, 8, 2), lesson.expanded_cache_bytes(1, 2, 4, 24, 12, 2)}
    assert kept == {128, 576}
    assert grown in kept, "versions of the library keep it compressed or expanded"


def test_the_expanded_cache_is_what_the_projection_of_the_latent_gives(lesson):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(transformers.DeepseekV3Config(**LATENT))
    projected = sum(layer.self_attn.kv_b_proj.out_features for layer in network.model.layers)
    positions = 2 * 4 * LATENT["qk_rope_head_dim"]
    assert lesson.expanded_cache_bytes(1, 2, 4, 24, 12, 2) == 2 * (projected + positions)


def test_the_figures_of_published_models(lesson):
    assert lesson.attention_cache_bytes(1, 28, 0, 1, 8, 128, 2) == 114_688
    assert lesson.attention_cache_bytes(1, 32, 0, 1, 8, 128, 2) == 131_072
    gemma = [lesson.attention_cache_bytes(tokens, 5, 29, 1_024, 4, 256, 2) for tokens in (1, 5_000, 5_001)]
    assert (gemma[0], gemma[2] - gemma[1]) == (139_264, 20_480)
    assert lesson.latent_cache_bytes(1, 61, 512, 64, 2) == 70_272
    assert lesson.expanded_cache_bytes(1, 61, 128, 192, 128, 2) == 4_997_120
