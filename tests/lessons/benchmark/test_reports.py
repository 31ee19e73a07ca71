"""The reports to take apart: each as built, each number put right once more by other means."""

import json
import re
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median

import pytest
from master_cells import defined

import helpers.recorded
from course.lessons.benchmark import reports
from helpers import recorded, text

FOLDER = Path(helpers.recorded.__file__).parent
CASES = reports.cases()


def shipped(name):
    return json.loads((FOLDER / "reports" / f"{name}.json").read_text(encoding="utf-8"))


def test_the_shipped_files_are_what_the_generator_builds():
    built = reports.files()
    assert sorted(path.name for path in (FOLDER / "reports").glob("*.json")) == sorted(built)
    for name, content in built.items():
        assert (FOLDER / "reports" / name).read_text(encoding="utf-8") == content, name


def test_there_is_one_report_for_each_fault_and_one_without():
    faults = defined("benchmark", "faults")["FAULTS"] - {"no_synchronization"}
    assert sorted(case.fault for case in CASES.values()) == sorted(faults)
    assert recorded.benchmark_reports() == tuple("ABCDEFGHI")


@pytest.mark.parametrize("name", sorted(CASES))
def test_no_shipped_file_holds_the_answer(name):
    content = (FOLDER / "reports" / f"{name}.json").read_text(encoding="utf-8")
    words = {case.fault for case in CASES.values()} | {"mistake", "repaired", "origin"}
    assert not [word for word in words if word in content]


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_card_reads_in_both_languages_with_the_same_numbers(name):
    cards = {}
    for language in ("zh", "en"):
        text.speak(language)
        cards[language] = recorded.benchmark_report(name)
    number = re.compile(r"(?<![A-Za-z_])\d(?:[\d,]*\d)?(?:\.\d+)?")
    for part in ("title", "notes", "claim"):
        said = [number.findall(str(getattr(card, part))) for card in cards.values()]
        assert sorted(said[0]) == sorted(said[1]), part
    english = cards["en"]
    assert not any("\u4e00" <= char <= "\u9fff" for char in repr(english))
    html = english._repr_html_()
    assert all(key in html for key in (*english.rows[0], *english.figures, *english.claimed))
    assert html.count("<tr>") == len(english.rows) + len(english.facts.rows) + 2


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_claim_is_wrong_by_far_more_than_is_allowed_or_not_at_all(name):
    case = CASES[name]
    (claimed,) = case.claimed.values()
    if case.fault == "nothing_wrong":
        assert claimed == case.value
    else:
        assert abs(claimed / case.value - 1) > 5 * case.relative


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_master_repairs_each_number(name):
    found = defined("benchmark", f"report-{name.lower()}")[f"report_{name.lower()}"]
    assert found["fault"] == CASES[name].fault
    assert found["repaired"] == pytest.approx(CASES[name].value, rel=1e-9)


def test_an_unknown_report_is_refused_with_the_names():
    text.speak("en")
    with pytest.raises(ValueError, match="known: A, B"):
        recorded.benchmark_report("Z")


# --- each number once more, by other means --------------------------------------------------------


def test_a_by_littles_law():
    row = next(row for row in shipped("A")["rows"] if row["max_concurrency"] == 100)
    latency_s = (row["ttft_ms"] + 499 * row["itl_ms"]) / 1000
    assert 100 / latency_s == pytest.approx(CASES["A"].value, rel=0.01)


def test_b_between_any_two_runs_and_below_the_peak():
    rows, figures = shipped("B")["rows"], shipped("B")["figures"]
    for one, other in pairwise(rows):
        call_ms = (other["process_s"] - one["process_s"]) * 1e3 / (other["calls"] - one["calls"])
        assert call_ms == pytest.approx(0.67, rel=1e-3)
    assert figures["flops_per_call"] == 137_438_953_472
    assert figures["flops_per_call"] / 0.67e-3 / 1e12 < 989 < figures["flops_per_call"] / 0.0067e-3 / 1e12


def test_c_without_the_first_eleven_seconds():
    rates = [row["generated_tokens_per_s"] for row in shipped("C")["rows"]]
    assert fmean(rates) == pytest.approx(3241.0, abs=0.05)
    assert fmean(rates[11:]) == pytest.approx(CASES["C"].value)


def test_d_only_the_own_client_falls_behind():
    rows = shipped("D")["rows"]
    by = {(row["context_thousand_tokens"], row["client"]): row["output_tokens_per_s"] for row in rows}
    assert [by[context, "own"] > 0.9 * by[context, "other"] for context in (8, 32, 50, 100)] == [True] * 2 + [
        False
    ] * 2
    assert by[50, "other"] == CASES["D"].value == 486


def test_e_either_way_of_counting_the_second_reading_is_taken():
    last = shipped("E")["rows"][-1]
    for value in (last["call_ms"] + last["first_read_ms"], last["first_read_ms"] - last["second_read_ms"]):
        assert value == pytest.approx(CASES["E"].value, rel=CASES["E"].relative)


def test_f_is_true_in_every_figure():
    figures = shipped("F")["figures"]
    assert figures["output_tokens"] / figures["span_s"] == pytest.approx(1249.8, abs=0.1)
    little = figures["requests_completed"] / figures["span_s"] * figures["mean_e2e_s"]
    assert little == pytest.approx(figures["in_system"], rel=0.01)
    assert sum(row["output_tokens"] for row in shipped("F")["rows"]) == figures["output_tokens"]


def test_g_only_the_loop_grows_with_the_work_and_stays_below_the_peak():
    rows = shipped("G")["rows"]
    assert {row["mean_call_ms"] for row in rows} == {0.504}
    rates = [row["flops_per_call"] * row["calls"] / row["loop_total_ms"] / 1e9 for row in rows]
    assert max(rates) < 989
    assert rates[-1] == pytest.approx(CASES["G"].value)


def test_h_with_or_without_the_first_call():
    new = [4.62, 4.58, 4.66, 4.61, 4.63]
    assert median(new) == CASES["H"].value
    assert median(new[1:]) == pytest.approx(4.62, rel=CASES["H"].relative)


def test_i_by_the_data_sheet():
    assert pytest.approx(2039e9, rel=1e-3) == 5120 // 8 * 2 * 1593e6
    assert pytest.approx(CASES["I"].value, rel=1e-3) == 13_476_831_232 / (13.2 / 511) / 2039e9
