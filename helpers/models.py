"""Language models as the ledger needs them: shapes, parameters, KV bytes per token.

The shapes are those of each model's public configuration. Parameters and KV bytes were counted on the model
itself, built without memory ("meta" device) and run for one token more: numbers, not formulas. A test counts
again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from helpers import text


@dataclass(frozen=True, kw_only=True)
class ModelSizes:
    """What the time and the memory of an iteration depend on, in one precision.

    active_parameters: those that multiply for one token. The input embedding is a look-up and counts only
        where the output layer shares it (tied); of the experts only the chosen ones count.
    kv_bytes_per_token: bytes that one more token of context adds to the cache; counted, not computed.
    """

    parameters: int
    active_parameters: int
    kv_bytes_per_token: int
    hidden: int
    intermediate: int
    vocabulary: int
    element_bytes: int = 2

    @property
    def weight_bytes(self) -> int:
        """Bytes of all parameters."""
        return self.parameters * self.element_bytes

    @property
    def flops_per_token(self) -> int:
        """FLOP of the matrix products of one token: a multiplication and an addition per active parameter.

        Attention's own products, which grow with the context, are not in it.
        """
        return self.active_parameters * 2

    def with_elements_of(self, element_bytes: int) -> ModelSizes:
        """The sizes of the same model in another precision."""
        sizes = {field.name: getattr(self, field.name) for field in fields(ModelSizes)}
        sizes["kv_bytes_per_token"] = self.kv_bytes_per_token * element_bytes // self.element_bytes
        return ModelSizes(**{**sizes, "element_bytes": element_bytes})


@dataclass(frozen=True, kw_only=True)
class Model(ModelSizes):
    """One published model at 16 bit (2 bytes a parameter and a KV element).

    window_tokens: the context beyond which sliding layers keep no more; None without such layers.
    kv_bytes_per_token_past_window: what a token adds beyond it.
    """

    name: str
    hub_id: str
    layers: int
    query_heads: int
    kv_heads: int
    head_dim: int
    tied: bool
    window_tokens: int | None = None
    sliding_layers: int = 0
    kv_bytes_per_token_past_window: int | None = None
    experts: int | None = None
    active_experts: int | None = None
    note: str = ""


MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            name="Qwen3-0.6B",
            hub_id="Qwen/Qwen3-0.6B",
            layers=28,
            query_heads=16,
            kv_heads=8,
            head_dim=128,
            hidden=1024,
            intermediate=3072,
            vocabulary=151_936,
            tied=True,
            parameters=596_049_920,
            active_parameters=596_049_920,
            kv_bytes_per_token=114_688,
        ),
        Model(
            name="Qwen3-8B",
            hub_id="Qwen/Qwen3-8B",
            layers=36,
            query_heads=32,
            kv_heads=8,
            head_dim=128,
            hidden=4096,
            intermediate=12_288,
            vocabulary=151_936,
            tied=False,
            parameters=8_190_735_360,
            active_parameters=7_568_405_504,
            kv_bytes_per_token=147_456,
        ),
        Model(
            name="Qwen3-32B",
            hub_id="Qwen/Qwen3-32B",
            layers=64,
            query_heads=64,
            kv_heads=8,
            head_dim=128,
            hidden=5120,
            intermediate=25_600,
            vocabulary=151_936,
            tied=False,
            parameters=32_762_123_264,
            active_parameters=31_984_210_944,
            kv_bytes_per_token=262_144,
        ),
        Model(
            name="Llama-2-7B",
            hub_id="meta-llama/Llama-2-7b-hf",
            layers=32,
            query_heads=32,
            kv_heads=32,
            head_dim=128,
            hidden=4096,
            intermediate=11_008,
            vocabulary=32_000,
            tied=False,
            parameters=6_738_415_616,
            active_parameters=6_607_343_616,
            kv_bytes_per_token=524_288,
        ),
        Model(
            name="Llama-3.1-8B",
            hub_id="meta-llama/Llama-3.1-8B",
            layers=32,
            query_heads=32,
            kv_heads=8,
            head_dim=128,
            hidden=4096,
            intermediate=14_336,
            vocabulary=128_256,
            tied=False,
            parameters=8_030_261_248,
            active_parameters=7_504_924_672,
            kv_bytes_per_token=131_072,
        ),
        Model(
            name="Llama-3.3-70B",
            hub_id="meta-llama/Llama-3.3-70B-Instruct",
            layers=80,
            query_heads=64,
            kv_heads=8,
            head_dim=128,
            hidden=8192,
            intermediate=28_672,
            vocabulary=128_256,
            tied=False,
            parameters=70_553_706_496,
            active_parameters=69_503_033_344,
            kv_bytes_per_token=327_680,
        ),
        Model(
            name="SmolLM2-135M",
            hub_id="HuggingFaceTB/SmolLM2-135M-Instruct",
            layers=30,
            query_heads=9,
            kv_heads=3,
            head_dim=64,
            hidden=576,
            intermediate=1536,
            vocabulary=49_152,
            tied=True,
            parameters=134_515_008,
            active_parameters=134_515_008,
            kv_bytes_per_token=23_040,
            note="In float32, as on a CPU, weights and KV take twice the bytes.",
        ),
        Model(
            name="Mistral-7B-v0.1",
            hub_id="mistralai/Mistral-7B-v0.1",
            layers=32,
            query_heads=32,
            kv_heads=8,
            head_dim=128,
            hidden=4096,
            intermediate=14_336,
            vocabulary=32_000,
            tied=False,
            parameters=7_241_732_096,
            active_parameters=7_110_660_096,
            kv_bytes_per_token=131_072,
            window_tokens=4096,
            sliding_layers=32,
            kv_bytes_per_token_past_window=0,
        ),
        Model(
            name="Phi-4-mini",
            hub_id="microsoft/Phi-4-mini-instruct",
            layers=32,
            query_heads=24,
            kv_heads=8,
            head_dim=128,
            hidden=3072,
            intermediate=8192,
            vocabulary=200_064,
            tied=True,
            parameters=3_836_021_760,
            active_parameters=3_836_021_760,
            kv_bytes_per_token=131_072,
        ),
        Model(
            name="Gemma-3-4B",
            hub_id="google/gemma-3-4b-it",
            layers=34,
            query_heads=8,
            kv_heads=4,
            head_dim=256,
            hidden=2560,
            intermediate=10_240,
            vocabulary=262_208,
            tied=True,
            parameters=3_880_263_168,
            active_parameters=3_880_263_168,
            kv_bytes_per_token=139_264,
            window_tokens=1024,
            sliding_layers=29,
            kv_bytes_per_token_past_window=20_480,
            note="The text model alone, without the image encoder.",
        ),
        Model(
            name="Qwen3-30B-A3B",
            hub_id="Qwen/Qwen3-30B-A3B",
            layers=48,
            query_heads=32,
            kv_heads=4,
            head_dim=128,
            hidden=2048,
            intermediate=768,
            vocabulary=151_936,
            tied=False,
            parameters=30_532_122_624,
            active_parameters=3_041_867_776,
            kv_bytes_per_token=98_304,
            experts=128,
            active_experts=8,
            note="intermediate is that of one expert. A step reads every expert that any of its tokens "
            "chooses.",
        ),
        Model(
            name="gpt-oss-20b",
            hub_id="openai/gpt-oss-20b",
            layers=24,
            query_heads=64,
            kv_heads=8,
            head_dim=64,
            hidden=2880,
            intermediate=2880,
            vocabulary=201_088,
            tied=False,
            parameters=20_914_757_184,
            active_parameters=3_608_307_264,
            kv_bytes_per_token=49_152,
            window_tokens=128,
            sliding_layers=12,
            kv_bytes_per_token_past_window=24_576,
            experts=32,
            active_experts=4,
            note="Published with experts in 4 bit (MXFP4); the bytes here are those of 16 bit.",
        ),
        Model(
            name="DeepSeek-V3",
            hub_id="deepseek-ai/DeepSeek-V3",
            layers=61,
            query_heads=128,
            kv_heads=128,
            head_dim=192,
            hidden=7168,
            intermediate=18_432,
            vocabulary=129_280,
            tied=False,
            parameters=671_026_404_352,
            active_parameters=36_625_603_584,
            kv_bytes_per_token=70_272,
            experts=256,
            active_experts=8,
            note="Keeps one latent vector (512 + 64 elements a layer) instead of keys and values: 70,272 "
            "bytes a token. Kept as keys (192) and values (128) of 128 heads it would be 4,997,120.",
        ),
    )
}


def get(name: str) -> Model:
    """The model by name ("Qwen3-0.6B") or hub id ("Qwen/Qwen3-0.6B"); an unknown one raises ValueError."""
    wanted = name.casefold() if isinstance(name, str) else None
    for model in MODELS.values():
        if wanted in (model.name.casefold(), model.hub_id.casefold()):
            return model
    raise ValueError(text.say("models.unknown", name=repr(name), known=", ".join(MODELS)))
