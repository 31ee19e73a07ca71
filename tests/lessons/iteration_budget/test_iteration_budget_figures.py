"""Figures quoted in the text of lesson 1, each worked out here with plain arithmetic."""

import json
from fractions import Fraction as F
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WEIGHTS = 596_049_920 * 2
KV = 114_688
T4_BYTES_PER_S, T4_FLOP_PER_S = 320 * 10**9, 65 * 10**12
T4_KV_BYTES = 16 * 10**9 * 9 // 10 - WEIGHTS - 10**9

WORKED = {
    "0.0183 ms": F(WEIGHTS, T4_FLOP_PER_S) * 1000,
    "1.192 GB": F(WEIGHTS, 10**9),
    "3.725 ms": F(WEIGHTS, T4_BYTES_PER_S) * 1000,
}


def prose(language: str) -> str:
    path = ROOT / "source" / language / "iteration-budget" / "iteration-budget.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


both_languages = pytest.mark.parametrize("language", ["zh", "en"])


@both_languages
@pytest.mark.parametrize("quoted", sorted(WORKED))
def test_a_quoted_figure_is_the_rounded_result(language, quoted):
    assert quoted in prose(language)
    digits = quoted.split()[0]
    decimals = len(digits.split(".")[1])
    assert f"{float(WORKED[quoted]):.{decimals}f}" == digits


@both_languages
def test_kv_bound_of_the_t4_is_92_chats(language):
    text = prose(language)
    assert T4_KV_BYTES == 12_207_900_160
    assert KV * 1152 == 132_120_576
    assert round(T4_KV_BYTES / 132_120_576, 1) == 92.4
    for figure in ("12,207,900,160", "132,120,576", "92.4", "**92**"):
        assert figure in text


@both_languages
def test_one_more_chat_costs_more_memory_than_compute_from_51_tokens_on(language):
    def memory_added(context):
        return F(KV * (context + 1), T4_BYTES_PER_S)

    compute_added = F(WEIGHTS, T4_FLOP_PER_S)
    assert memory_added(50) < compute_added < memory_added(51)
    assert "51" in prose(language)


@both_languages
def test_the_ridge_without_kv_is_a_batch_of_203(language):
    assert T4_FLOP_PER_S // T4_BYTES_PER_S == 203
    assert "203" in prose(language)


@both_languages
def test_eleven_chats_hold_more_kv_than_the_model_weighs(language):
    assert 10 * 1024 * KV < WEIGHTS < 11 * 1024 * KV
    assert {"zh": "十一个上下文 1,024", "en": "Eleven chats with 1,024"}[language] in prose(language)
    assert round(KV / 131_072, 3) == 0.875
    assert round(8_030_261_248 / 596_049_920, 1) == 13.5


@both_languages
def test_each_further_chat_of_llama_2_costs_1_1_ms_where_kv_explains_0_13(language):
    kv_read_ms = F(2 * 32 * 32 * 128 * 2 * 512, 2_039 * 10**9) * 1000
    assert round(float(kv_read_ms), 2) == 0.13
    measured = {16: 17.1, 64: 44.2}
    assert round((measured[64] - measured[16]) / 511 * 1000 / 48, 1) == 1.1
    assert "1.1 ms" in prose(language)
    assert "0.13" in prose(language)


@both_languages
def test_the_sweep_on_two_h100_says_what_the_text_says(language):
    gain = 917.26 / 814.37 - 1
    assert f"{gain:.1%}" == "12.6%"
    running = [917.26 * 92.91 / 1e3, 920.9 * 92.85 / 1e3]
    assert round(running[0]) == 85
    text = prose(language)
    assert "12.6" in text
    assert "85" in text
    assert "0.83" in text
