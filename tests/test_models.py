"""The model table against the curriculum, and against transformers, which builds each model and counts."""

import pytest

from helpers import models, text


@pytest.fixture(autouse=True)
def _english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def test_the_small_model_is_the_one_of_the_curriculum():
    model = models.get("Qwen3-0.6B")
    assert model.parameters == 596_049_920
    assert model.weight_bytes == 1_192_099_840
    assert model.kv_bytes_per_token == 114_688
    assert model.flops_per_token == 1_192_099_840


def test_10_394_tokens_of_kv_weigh_as_much_as_the_small_model():
    model = models.get("Qwen3-0.6B")
    assert model.weight_bytes / model.kv_bytes_per_token == pytest.approx(10_394, abs=0.5)


def test_122_532_tokens_of_kv_weigh_as_much_as_llama_8b():
    model = models.get("Llama-3.1-8B")
    assert model.weight_bytes / model.kv_bytes_per_token == pytest.approx(122_532, abs=0.5)


def test_llama_2_7b_is_read_once_in_6_61_ms_by_an_a100():
    assert models.get("Llama-2-7B").weight_bytes / 2039e9 * 1e3 == pytest.approx(6.61, abs=0.005)


def test_a_model_is_found_by_its_hub_id_in_any_case():
    assert models.get("qwen/qwen3-0.6b") is models.get("Qwen3-0.6B")


def test_an_unknown_model_is_refused_with_the_names_known():
    with pytest.raises(ValueError, match=r"a model 'GPT-9'; known: Qwen3-0\.6B, Qwen3-8B"):
        models.get("GPT-9")
    text.speak("zh")
    with pytest.raises(ValueError, match="没有模型 'GPT-9' 的数据"):
        models.get("GPT-9")


def test_sizes_in_another_precision_are_those_of_the_bytes_of_an_element():
    whole = models.get("SmolLM2-135M").with_elements_of(4)
    assert (whole.weight_bytes, whole.kv_bytes_per_token) == (538_060_032, 46_080)
    assert (whole.parameters, whole.flops_per_token) == (134_515_008, 269_030_016)
    assert whole.with_elements_of(2).kv_bytes_per_token == 23_040
    assert type(whole) is models.ModelSizes


@pytest.mark.parametrize("name", models.MODELS)
def test_a_window_is_told_completely_or_not_at_all(name):
    model = models.get(name)
    assert (model.window_tokens is None) == (model.kv_bytes_per_token_past_window is None)
    assert (model.sliding_layers > 0) == (model.window_tokens is not None)
    assert (model.experts is None) == (model.active_experts is None)


# An independent count: transformers builds the model without memory and runs it one token further.


def _config(model):
    transformers = pytest.importorskip("transformers")
    shape = {
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.query_heads,
        "num_key_value_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "hidden_size": model.hidden,
        "intermediate_size": model.intermediate,
        "vocab_size": model.vocabulary,
        "tie_word_embeddings": model.tied,
    }
    window = {"sliding_window": model.window_tokens}
    experts = {"num_experts_per_tok": model.active_experts}
    if model.name == "Mistral-7B-v0.1":
        return transformers.MistralConfig(**shape, **window)
    if model.name == "Phi-4-mini":
        return transformers.Phi3Config(**shape, pad_token_id=0)
    if model.name == "Gemma-3-4B":
        return transformers.Gemma3TextConfig(**shape, **window)
    if model.name == "Qwen3-30B-A3B":
        return transformers.Qwen3MoeConfig(
            **shape, **experts, num_experts=model.experts, moe_intermediate_size=model.intermediate
        )
    if model.name == "gpt-oss-20b":
        return transformers.GptOssConfig(**shape, **window, **experts, num_local_experts=model.experts)
    if model.name == "DeepSeek-V3":
        return transformers.DeepseekV3Config()
    family = transformers.Qwen3Config if model.name.startswith("Qwen3") else transformers.LlamaConfig
    return family(**shape)


def _build(model):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    with torch.device("meta"):
        return transformers.AutoModelForCausalLM.from_config(_config(model), dtype=torch.bfloat16).eval()


def _kv_bytes(network, context_tokens):
    import torch

    ids = torch.ones(1, context_tokens, dtype=torch.long, device="meta")
    with torch.inference_mode():
        output = network(input_ids=ids, use_cache=True, logits_to_keep=1)
    cache = output["cache"] if "cache" in output else output["past_key_values"]
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)


@pytest.mark.parametrize("name", models.MODELS)
def test_transformers_counts_the_same_parameters_and_kv_bytes(name):
    model = models.get(name)
    network = _build(model)
    embedding = network.get_input_embeddings().weight
    assert (network.get_output_embeddings().weight is embedding) == model.tied
    assert sum(parameter.numel() for parameter in network.parameters()) == model.parameters
    assert _active_parameters(network, model, embedding) == model.active_parameters
    assert _kv_bytes(network, 65) - _kv_bytes(network, 64) == model.kv_bytes_per_token
    if model.window_tokens is not None:
        past = model.window_tokens + 8
        added = _kv_bytes(network, past + 1) - _kv_bytes(network, past)
        assert added == model.kv_bytes_per_token_past_window


def _active_parameters(network, model, embedding):
    idle = 0 if model.tied else embedding.numel()
    if model.experts is not None:
        in_experts = sum(p.numel() for name, p in network.named_parameters() if ".experts." in name)
        idle += in_experts * (model.experts - model.active_experts) // model.experts
    return model.parameters - idle
