"""What the lesson claims of recorded servers and public traces, by its reference and the shipped data."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NEEDED = ("imports", "account", "cohorts", "step", "blocks", "real-clock", "fit", "halves", "travel", "wrong")
LATER = ("traffic", "prefix", "mooncake", "window", "pages")


@pytest.fixture(scope="module")
def lesson():
    """The names that the master's cells define."""
    path = ROOT / "source" / "zh" / "serving-requests" / "serving-requests.ipynb"
    sources = {cell["id"]: "".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]}
    names = {}
    for cell in (*NEEDED, *LATER):
        exec(compile(sources[cell], cell, "exec"), names)
    return names


def test_the_data_sheet_alone_is_within_an_eighth(lesson):
    predicted, recorded = lesson["means"](lesson["sheet"].logs), lesson["actual"]
    errors = {name: predicted[name] / recorded[name] - 1 for name in recorded}
    assert errors == pytest.approx({"ttft_ms": -0.124, "tpot_ms": -0.115, "latency_ms": -0.122}, abs=0.002)


def test_two_efficiencies_predict_the_half_that_was_kept_back(lesson):
    for row in lesson["FITTED"]:
        errors = [row["ttft_error"], row["tpot_error"], row["latency_error"]]
        assert max(map(abs, errors)) < 0.05, row


def test_efficiencies_do_not_travel(lesson):
    elsewhere, recorded = lesson["elsewhere"], lesson["pro_actual"]
    assert all(elsewhere[name] / recorded[name] < 0.8 for name in recorded)


def test_each_mistake_leaves_its_own_mark(lesson):
    means, runs = lesson["means"], lesson["runs"]
    sheet, nominal, reserving = (means(runs[n].logs) for n in ("sheet", "nominal_memory", "reserving"))
    assert nominal["ttft_ms"] < 0.85 * sheet["ttft_ms"]
    assert nominal["tpot_ms"] > 1.1 * sheet["tpot_ms"]
    assert reserving["ttft_ms"] > 1.1 * sheet["ttft_ms"]
    assert reserving["tpot_ms"] < 0.8 * sheet["tpot_ms"]
    assert sum(served.preemptions for served in runs["reserving"].requests) == 0


def test_cohorts_by_completion_and_by_arrival(lesson):
    logs, cut = lesson["pro_logs"], lesson["cut"]
    by_completion, by_arrival = cut(logs, "finish_ms"), cut(logs, "arrival_ms")
    assert [(row["requests"], row["in_time"]) for row in by_completion[:3]] == [(0, 0), (10, 10), (68, 68)]
    assert [(row["requests"], row["in_time"]) for row in by_arrival] == [(112, 112), (105, 16), (83, 0)]


def test_the_chunk_slows_generation_for_code_and_leaves_the_first_word_alone(lesson):
    rows = {row["chunk"]: row for row in lesson["CODE"]}
    assert rows[8192]["median_tpot_ms"] > 8 * rows[512]["median_tpot_ms"]
    assert rows[2048]["median_tpot_ms"] > 3.5 * rows[512]["median_tpot_ms"]
    assert rows[8192]["median_ttft_ms"] < 1.2 * rows[512]["median_ttft_ms"]
    chats = [lesson["served_by"]("azure-conversation", chunk)["median_tpot_ms"] for chunk in (512, 8192)]
    assert chats[1] < 1.3 * chats[0]


@pytest.mark.parametrize(
    ("name", "possible", "small", "large"),
    [("mooncake-conversation", 0.366, 0.370, 0.992), ("mooncake-synthetic", 0.640, 0.484, 1.0)],
)
def test_two_published_claims_on_prefix_caches(lesson, name, possible, small, large):
    rows = {row["cache_million_tokens"]: row for row in lesson["rows"] if row["entry"] == name}
    assert rows[3]["possible_ratio"] == pytest.approx(possible, abs=0.001)
    assert rows[3]["share_of_possible"] == pytest.approx(small, abs=0.001)
    assert rows[50]["share_of_possible"] == pytest.approx(large, abs=0.001)


def test_a_dashboards_median_of_a_lifetime_is_nobodys(lesson):
    quantile, start, minute, end = (lesson[n] for n in ("window_quantile", "start", "minute", "end"))
    medians = [quantile(0.5, *pages) for pages in ((start, minute), (minute, end), (start, end))]
    assert medians == pytest.approx([27.6, 97.4, 66.2], abs=0.1)
