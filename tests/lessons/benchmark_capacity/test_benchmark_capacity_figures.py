"""Figures that lesson 2 quotes, each worked out here with plain arithmetic."""

import json
import math
from fractions import Fraction as F
from pathlib import Path

import pytest

import helpers.recorded
from helpers import hardware, models, recorded, timing

FOLDER = Path(helpers.recorded.__file__).parent
LLAMA_WEIGHTS, LLAMA_KV = 16_060_522_496, 131_072
GIB = 2**30


def test_p95_of_20_samples_is_the_19th_and_lies_below_the_true_one_with_probability_0_736():
    """Rank 19 lies below the true P95 when at least 19 of 20 samples do."""
    assert math.ceil(F(95, 100) * 20) == 19
    share = F(19, 20)
    chance = 20 * share**19 * (1 - share) + share**20
    assert round(float(chance), 3) == 0.736
    assert timing.chance_below_true(20, 95) == pytest.approx(float(chance))


def test_59_samples_bound_p95_and_299_bound_p99():
    """The maximum lies below the true percentile only if every sample does."""
    assert F(95, 100) ** 59 < F(5, 100) < F(95, 100) ** 58
    assert round(0.95**59, 4) == 0.0485
    assert F(99, 100) ** 299 < F(5, 100) < F(99, 100) ** 298


def test_the_seeds_example_holds_20480_tokens_and_ten_requests_of_2048():
    usable, fixed = F(20) * F(9, 10), F(14) + F(3, 2)
    assert (usable, fixed) == (18, F(31, 2))
    per_token = 2 * 32 * 8 * 128 * 2
    assert per_token == 131_072 == 128 * 1024
    assert (usable - fixed) * GIB / per_token == 20_480 == 10 * 2048


def test_the_rtx_4090_three_times():
    """Nominal GiB, the device's own bytes, and what the server had."""
    meta = json.loads((FOLDER / "vllm_rtx4090_llama-3.1-8b_meta.json").read_text(encoding="utf-8"))
    device_bytes = meta["hardware"]["device_total_memory_bytes"]
    nominal = (F(24 * GIB) * F(9, 10) - LLAMA_WEIGHTS) / LLAMA_KV
    reported = (F(device_bytes) * F(9, 10) - LLAMA_WEIGHTS) / LLAMA_KV
    assert (math.floor(nominal), math.floor(reported)) == (54_415, 50_850)
    assert device_bytes == 25_250_627_584
    blocks = meta["kv_cache"]["num_gpu_blocks"]
    assert (blocks, blocks * 16, meta["kv_cache"]["num_kv_tokens"]) == (2588, 41_408, 41_408)
    missing_gb = (50_850 - 41_408) * LLAMA_KV / 1e9
    assert round(missing_gb, 2) == 1.24
    assert round((54_415 - 50_850) * LLAMA_KV / 1e9, 2) == 0.47
    assert meta["engine_kwargs"]["max_num_batched_tokens"] == 2048
    assert models.get("Llama-3.1-8B").weight_bytes == LLAMA_WEIGHTS


def test_85_running_requests_fit_with_8_bit_kv_and_not_with_16():
    """2 × 80 GB at 90 %, 70.6 GB of weights, contexts of 5,000 + 250 tokens; 42.7 rounds to 43."""
    kv_bytes = F(160 * 10**9) * F(9, 10) - F(706, 10) * 10**9
    assert kv_bytes == 73_400_000_000
    assert 2 * hardware.get("H100").memory_bytes == 160 * 10**9
    per_token_16_bit = 2 * 80 * 8 * 128 * 2
    request_16_bit = per_token_16_bit * 5250
    assert (per_token_16_bit, request_16_bit) == (327_680, 1_720_320_000)
    fits_16, fits_8 = kv_bytes / request_16_bit, kv_bytes / (request_16_bit // 2)
    assert (round(float(fits_16), 1), round(float(fits_8), 1)) == (42.7, 85.3)
    assert (round(fits_16), math.floor(fits_16), math.floor(fits_8)) == (43, 42, 85)


def test_85_requests_really_run_from_concurrency_100_on():
    for row in recorded.sweep("llama-3.3-70b-2xh100-fp8").rows[4:]:
        assert 85 <= row["throughput"] * row["iteration_ms"] / 1000 < 86


@pytest.mark.parametrize(
    ("name", "by_hand"),
    [
        ("Qwen3-0.6B", 2 * 28 * 8 * 128 * 2),
        ("Llama-3.1-8B", 2 * 32 * 8 * 128 * 2),
        ("Gemma-3-4B", 2 * (5 + 29) * 4 * 256 * 2),
        ("DeepSeek-V3", 61 * (512 + 64) * 2),
    ],
)
def test_kv_bytes_per_token_are_what_was_counted_on_the_model(name, by_hand):
    assert models.get(name).kv_bytes_per_token == by_hand
    assert (
        by_hand
        == {
            "Qwen3-0.6B": 114_688,
            "Llama-3.1-8B": 131_072,
            "Gemma-3-4B": 139_264,
            "DeepSeek-V3": 70_272,
        }[name]
    )


def test_gemma_past_its_window_and_deepseek_expanded():
    gemma = models.get("Gemma-3-4B")
    assert 2 * 5 * 4 * 256 * 2 == 20_480 == gemma.kv_bytes_per_token_past_window
    assert (gemma.window_tokens, gemma.sliding_layers) == (1024, 29)
    assert 61 * 128 * (192 + 128) * 2 == 4_997_120


def test_917_tokens_a_second_and_eight_seconds_are_the_same_row():
    row = recorded.sweep("llama-3.3-70b-2xh100-fp8").rows[4]
    assert row["batch"] == 100
    assert (round(row["throughput"]), round(row["ttft_ms"] / 1000, 1)) == (917, 8.0)


def test_the_seeds_allocator_figures_add_up():
    """A temporary of 2048 × 2048 float32 is 16 MiB; half a MiB more is the product's own output."""
    assert 2048 * 2048 * 4 == 16 * 2**20
    assert 28.625 - 12.125 == 16 + 256 * 1024 * 2 / 2**20
