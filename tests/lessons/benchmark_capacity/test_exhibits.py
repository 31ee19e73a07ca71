"""The reports to take apart: each as built, each number repaired once more by other means."""

import csv
import json
import math
import re
from pathlib import Path
from statistics import fmean

import pytest

import helpers
import helpers.recorded
from course.lessons.benchmark_capacity import exhibits
from course.lessons.benchmark_capacity.exhibit_words import WORDS
from helpers import hardware, recorded, text

FOLDER = Path(helpers.recorded.__file__).parent
KEY = exhibits.key()
BY_FAULT = {answer.fault: name for name, answer in KEY.items()}


def shipped(fault):
    """The report with that fault, as a student reads it from the file."""
    return json.loads((FOLDER / "exhibits" / f"{BY_FAULT[fault]}.json").read_text(encoding="utf-8"))


def rows_of(file_name):
    with (FOLDER / file_name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_shipped_files_are_what_the_generator_builds():
    for name, content in exhibits.files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == content, name
    there = {
        f"{kind}/{path.name}" for kind in ("exhibits", "traces") for path in (FOLDER / kind).glob("*.json")
    }
    assert there <= set(exhibits.files())


def test_there_is_one_report_for_each_fault_and_one_without():
    assert sorted(answer.fault for answer in KEY.values()) == sorted(recorded.FAULTS)
    assert tuple(KEY) == recorded.exhibits() == tuple("ABCDEFGHI")


def test_no_shipped_file_holds_the_answer():
    words = [fault for fault in recorded.FAULTS if fault != "honest"]
    words += ["mistake", "repaired", "honest", '"fault"', "origin", "constructed"]
    for name in recorded.exhibits():
        content = (FOLDER / "exhibits" / f"{name}.json").read_text(encoding="utf-8")
        assert not [word for word in words if word in content], name


def test_helpers_know_the_faults_by_name_but_not_whose_they_are():
    folder = Path(helpers.__file__).parent
    for path in (*folder.rglob("*.py"), *folder.glob("lessons/*.json"), *folder.glob("text/*.json")):
        content = path.read_text(encoding="utf-8")
        assert "course" not in re.findall(r"^\s*(?:from|import) (\w+)", content, re.M), path
        for answer in KEY.values():
            assert repr(round(answer.value, 4)) not in content, path


@pytest.mark.parametrize("name", sorted(KEY))
def test_a_report_reads_in_both_languages_and_names_its_source(name):
    text.speak("zh")
    chinese = recorded.exhibit(name)
    text.speak("en")
    english = recorded.exhibit(name)
    assert chinese.text != english.text
    assert not any("\u4e00" <= char <= "\u9fff" for char in english.text)
    assert chinese.rows == english.rows
    assert english.source.endswith("was written for this exercise.")
    assert english.licence
    assert KEY[name].origin


@pytest.mark.parametrize("name", sorted(KEY))
def test_the_claim_states_the_one_number_in_question(name):
    text.speak("en")
    report = recorded.exhibit(name)
    (claimed,) = report.claimed.values()
    assert list(report.claimed) == [KEY[name].entry]
    assert report.claim == WORDS[KEY[name].fault].claim.in_language("en", claimed=claimed)
    if KEY[name].fault == "honest":
        assert claimed == KEY[name].value
    else:
        assert abs(claimed / KEY[name].value - 1) > 5 * KEY[name].relative
    assert repr(report).startswith(f"{name} · {report.title}")
    assert len(report.table.rows) == len(report.rows)
    assert len(report.facts.rows) == len(report.setup) + len(report.figures) + 1


@pytest.mark.parametrize("fault", recorded.FAULTS)
def test_both_languages_state_the_same_numbers_in_the_same_order(fault):
    words, number = WORDS[fault], re.compile(r"\d[\d,]*(?:\.\d+)?")
    for phrase in (words.title, *words.notes, words.claim):
        assert number.findall(phrase.zh) == number.findall(phrase.en)


def test_changing_a_report_does_not_change_the_next_reading():
    recorded.exhibit("A").rows[0]["ttft_ms"] = 0
    assert recorded.exhibit("A").rows[0]["ttft_ms"] > 9000


def test_an_unknown_report_is_refused_with_the_names():
    text.speak("en")
    with pytest.raises(ValueError, match="no recorded measurement named 'Z'; known: A, B"):
        recorded.exhibit("Z")
    with pytest.raises(ValueError, match="named 'lies'"):
        recorded.fault_name("lies")


# --- each number, repaired by other means ------------------------------------------------------------


def answer(fault):
    return KEY[BY_FAULT[fault]].value


def test_first_token_in_itl():
    report = shipped("first_token_in_itl")
    source = {row["request_id"]: row for row in rows_of("vllm_rtxpro6000_llama-3.1-8b_requests.csv")}
    gaps_ms = []
    for row in report["rows"]:
        true = source[row["request"]]
        gaps = int(true["output_tokens"]) - 1
        gaps_ms.append((float(true["e2e_s"]) - float(true["ttft_s"])) * 1000 / gaps)
        assert row["gaps"] == gaps + 1
        assert row["mean_gap_ms"] == pytest.approx(row["e2e_ms"] / row["output_tokens"], abs=0.005)
    assert fmean(gaps_ms) == pytest.approx(answer("first_token_in_itl"), rel=1e-5)
    assert fmean(row["mean_gap_ms"] for row in report["rows"]) == pytest.approx(52.22, abs=0.005)


def test_gb_for_gib():
    report = shipped("gb_for_gib")
    figures = report["figures"]
    assert figures["device_memory_bytes"] == 25_250_627_584
    assert figures["device_memory_bytes"] / 2**30 == pytest.approx(23.52, abs=0.005)
    assert figures["device_memory_gib"] == 25.25
    assert answer("gb_for_gib") == (22_725_564_825 - 16_060_522_496) // 131_072 == 50_850
    wrong = (25.25 * 1_073_741_824 * 0.9 - 16_060_522_496) / 131_072
    assert report["claimed"]["kv_tokens"] == math.floor(wrong) == 63_631


def test_honest():
    report = shipped("honest")
    requests = rows_of("vllm_rtxpro6000x2_qwen3-32b_requests.csv")
    seconds = rows_of("vllm_rtxpro6000x2_qwen3-32b_timeseries.csv")
    figures = report["figures"]
    span_s = max(float(row["arrival_s"]) + float(row["e2e_s"]) for row in requests)
    tokens = sum(int(row["output_tokens"]) for row in requests)
    assert (figures["output_tokens"], figures["requests_completed"]) == (tokens, len(requests))
    assert report["claimed"]["output_tokens_per_s"] == pytest.approx(tokens / span_s, abs=0.05)
    assert sum(float(row["gen_throughput"]) for row in seconds) == tokens
    waits = sorted(float(row["ttft_s"]) * 1000 for row in requests)
    ranks = {"ttft_p50_ms": 150, "ttft_p95_ms": 285, "ttft_p99_ms": 297}
    assert all(figures[name] == pytest.approx(waits[rank - 1], abs=0.06) for name, rank in ranks.items())
    in_system = sum(int(row["running"]) + int(row["waiting"]) for row in seconds) / span_s
    assert figures["in_system"] == pytest.approx(in_system, abs=0.05)
    little = len(requests) / figures["span_s"] * figures["mean_e2e_s"]
    assert little == pytest.approx(figures["in_system"], rel=0.01)


def test_no_synchronisation():
    report = shipped("no_synchronisation")
    peak_tflops = hardware.get("H200").compute_tflops
    by_tokens = {
        row["context"]: float(row["gemm_ms"])
        for row in rows_of("aic_qwen3_0p6b_kernel_sums.csv")
        if row["system"] == "h200_sxm" and row["phase"] == "prefill" and row["batch"] == "1"
    }
    for row in report["rows"]:
        assert row["loop_total_ms"] == pytest.approx(50 * by_tokens[str(row["tokens"])], abs=0.06)
        layer = 1024 * (16 * 128 + 2 * 8 * 128) + 16 * 128 * 1024 + 3 * 1024 * 3072
        assert row["flops_per_call"] == 2 * 28 * layer * row["tokens"]
        assert row["flops_per_call"] / (row["loop_total_ms"] / 50 / 1000) < peak_tflops * 1e12
    tflops = report["rows"][-1]["flops_per_call"] / (by_tokens["16384"] / 1000) / 1e12
    assert tflops == pytest.approx(answer("no_synchronisation"), rel=1e-4)
    assert report["claimed"]["compute_tflops"] > 28 * peak_tflops
    assert len({row["mean_call_ms"] for row in report["rows"]}) == 1


def test_failed_requests_dropped():
    report = shipped("failed_requests_dropped")
    requests = rows_of("vllm_rtx4090_llama-3.1-8b_requests.csv")
    cancelled = [row for row in requests if float(row["ttft_s"]) > 60]
    failed = [row for row in requests if float(row["ttft_s"]) <= 60 and float(row["e2e_s"]) > 75]
    served = [row for row in requests if float(row["ttft_s"]) <= 30 and float(row["e2e_s"]) <= 75]
    counts = {row["status"]: row["requests"] for row in report["rows"]}
    assert counts == {"completed": 128, "cancelled": len(cancelled), "failed": len(failed)}
    assert sum(counts.values()) == report["figures"]["requests_sent"] == 300
    assert answer("failed_requests_dropped") == len(served) / 300 == 0.24
    assert report["claimed"]["share_served"] == len(served) / 128 == 0.5625


def test_littles_law():
    report = shipped("littles_law")
    closes = {}
    for row, true in zip(report["rows"], rows_of("nim_llama33_70b_2xh100_fp8_concurrency.csv"), strict=True):
        latency_s = (row["ttft_ms"] + 499 * row["itl_ms"]) / 1000
        closes[row["concurrency"]] = row["output_tokens_per_s"] / 500 * latency_s / row["concurrency"]
        same = row["output_tokens_per_s"] == float(true["output_tokens_per_s"])
        assert same == (row["concurrency"] != 100)
        assert row["output_tokens_per_s"] * row["itl_ms"] / 1000 <= row["concurrency"]
    assert [name for name, share in closes.items() if abs(share - 1) > 0.01] == [100]
    assert answer("littles_law") == pytest.approx(100 / 54.35834 * 500, rel=1e-6)
    assert answer("littles_law") == pytest.approx(917.26, rel=KEY[BY_FAULT["littles_law"]].relative)


def test_wrong_peak_bandwidth():
    report = shipped("wrong_peak_bandwidth")
    right, wrong = hardware.get("A100").bandwidth_gbps, hardware.get("A100 40GB").bandwidth_gbps
    assert report["figures"]["peak_bandwidth_gbps"] == wrong
    setup = report["setup"]
    by_bus = setup["memory_bus_bits"] / 8 * 2 * setup["memory_clock_mhz"] / 1000
    assert by_bus == pytest.approx(right, abs=0.5)
    step_s = 13.2 / 511
    share = 6_738_415_616 * 2 / step_s / (right * 1e9)
    assert share == pytest.approx(answer("wrong_peak_bandwidth"), rel=5e-4)
    assert report["claimed"]["bandwidth_share"] == pytest.approx(share * right / wrong, rel=1e-3)


def test_warmup_inside_window():
    report = shipped("warmup_inside_window")
    seconds = rows_of("vllm_rtxpro6000_llama-3.1-8b_timeseries.csv")[:49]
    rates = [float(row["gen_throughput"]) for row in seconds]
    full = [rate for rate, row in zip(rates, seconds, strict=True) if int(row["running"]) >= 120]
    assert len(full) == 38
    assert sum(full) / 38 == pytest.approx(answer("warmup_inside_window"), rel=1e-9)
    assert report["claimed"]["output_tokens_per_s"] == pytest.approx(sum(rates) / 49, abs=0.05)


def test_prefix_cache_hit():
    report = shipped("prefix_cache_hit")
    requests = rows_of("vllm_rtxpro6000_llama-3.1-8b_requests.csv")[:10]
    first = [row for row in report["rows"] if row["round"] == 1]
    again = [row for row in report["rows"] if row["round"] == 2]
    assert [row["prompt_sha256"] for row in first] == [row["prompt_sha256"] for row in again]
    assert len({row["prompt_sha256"] for row in first}) == 10
    waits = [float(row["ttft_s"]) * 1000 for row in requests]
    assert fmean(waits) == pytest.approx(answer("prefix_cache_hit"), rel=1e-4)
    for row, true in zip(again, requests, strict=True):
        gap_ms = (float(true["e2e_s"]) - float(true["ttft_s"])) * 1000 / (int(true["output_tokens"]) - 1)
        assert row["ttft_ms"] == pytest.approx(gap_ms, abs=0.005)
    assert all(float(row["queue_s"]) < 0.001 for row in requests)
