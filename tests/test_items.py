"""What the checks tell about a class: equal to reference packages, broken items found, honest when small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bs4 import BeautifulSoup

from course.reporting import idea_count, items, report
from course.reporting.marks import ConceptMark, Marks
from course.submission.notes import Note
from course.text import say_in
from helpers import text
from helpers.facts import CheckFacts

# a hundred students and six items drawn from a response model, one string an item
ANSWERS = (
    "1110110110001010101100110010001000111101111110000001101011001111101110001111011001011010011001011110",
    "0110100110101001101100110000001010000100100001010001011000001000000000111011010001011000011000110110",
    "1110000000100000000000100000001000000100111100001010000010011001000010010101000111011010011000000000",
    "1110000010101001100100000000010000111100001000000011111000010101100100000111010100011000011001010100",
    "1111011110111111101111100011011111111110111111011111111111011111111110101111111111111110111011111111",
    "1110011110110111110100110000110101111110111011001010111011010110110111110011011111111000111010110100",
)
# scipy 1.x, stats.pearsonr(item, total - item)
ITEM_REST = (
    0.43596121878619837,
    0.34679629624986225,
    0.33414824436029883,
    0.5240305551575821,
    0.37157014893378093,
    0.31759594445502065,
)
KR20 = 0.6557775474462989  # pingouin 0.7.0, cronbach_alpha
WEIGHTS = (1, 1, 2, 0.5, 1, 3)
ALPHA = 0.49332405133998364  # the same of the same answers, worth WEIGHTS points


def points() -> np.ndarray:
    return np.array([[int(mark) for mark in item] for item in ANSWERS], float).T


def analysed(points: np.ndarray, max_points: tuple[float, ...] = ()) -> items.ItemAnalysis:
    names = [str(number) for number in range(points.shape[1])]
    return items.analyse(names, points, np.array(max_points or (1,) * points.shape[1], float))


def test_correlations_and_reliability_equal_the_reference_packages():
    found = analysed(points())
    assert [item.item_rest.value for item in found.items] == pytest.approx(ITEM_REST, abs=1e-9)
    assert found.reliability.value == pytest.approx(KR20, abs=1e-9)
    assert found.is_kr20


def test_points_other_than_0_and_1_give_cronbachs_alpha_and_say_so():
    found = analysed(points() * WEIGHTS, WEIGHTS)
    assert found.reliability.value == pytest.approx(ALPHA, abs=1e-9)
    assert found.items[2].item_rest.value == pytest.approx(0.30505049859596717, abs=1e-9)
    assert not found.is_kr20


def test_the_reference_packages_say_the_same_today():
    pingouin = pytest.importorskip("pingouin")
    pandas = pytest.importorskip("pandas")
    stats = pytest.importorskip("scipy.stats")
    drawn = np.random.default_rng(4).integers(0, 4, (37, 9)).astype(float)
    found = analysed(drawn, (3,) * 9)
    assert found.reliability.value == pytest.approx(
        pingouin.cronbach_alpha(pandas.DataFrame(drawn))[0], abs=1e-9
    )
    for number, item in enumerate(found.items):
        rest = drawn.sum(axis=1) - drawn[:, number]
        assert item.item_rest.value == pytest.approx(stats.pearsonr(drawn[:, number], rest)[0], abs=1e-9)


@pytest.mark.parametrize(
    ("share", "students", "low", "high"),
    [(0.37, 100, 0.2818236053432453, 0.46779470419057095), (1, 10, 0.7224672001371106, 1)],
)
def test_the_interval_of_a_share_is_that_of_statsmodels(share, students, low, high):
    found = items.wilson(share, students)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_discrimination_compares_27_percent_of_the_class_on_each_side():
    """The first of two items is had by the 27 best of 100 and by 9 of the 27 worst; no two totals tie."""
    first = np.array([1.0] * 27 + [0.0] * 64 + [1.0] * 9)
    second = np.arange(100, 0, -1) * 10.0
    assert analysed(np.column_stack([first, second]), (1, 1000)).items[0].discrimination.value == (
        pytest.approx(1 - 9 / 27, abs=1e-9)
    )


def test_the_order_of_the_students_plays_no_part():
    mixed = points()[np.random.default_rng(1).permutation(100)]
    for one, other in zip(analysed(points()).items, analysed(mixed).items, strict=True):
        assert one.discrimination.value == pytest.approx(other.discrimination.value, abs=1e-12)


def test_an_interval_holds_its_figure_and_is_the_same_each_time():
    found = analysed(points())
    assert found == analysed(points())
    for item in found.items:
        for figure in (item.difficulty, item.item_rest, item.discrimination):
            assert figure.low < figure.value < figure.high


def test_the_interval_holds_the_truth_about_19_times_in_20():
    """Two items that go together with r = 0.5, drawn 200 times: each figure is the other's rest."""
    held = 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        first = draw.random(100) < 0.5
        second = np.where(draw.random(100) < 0.75, first, ~first)  # r = 2 · 0.75 − 1
        figure = analysed(np.column_stack([first, second]).astype(float)).items[0].item_rest
        held += figure.low <= 0.5 <= figure.high
    assert 180 <= held <= 198


def a_class(seed: int, students: int = 300, count: int = 59) -> tuple[np.ndarray, set[str]]:
    """Answers by a two-parameter logistic model, with seven items left to chance and three upside down."""
    draw = np.random.default_rng(seed)
    ability = draw.normal(size=(students, 1))
    slope, difficulty = draw.uniform(0.8, 2, count), draw.uniform(-1.5, 1.5, count)
    chance = 1 / (1 + np.exp(-slope * (ability - difficulty)))
    broken = draw.choice(count, 10, replace=False)
    chance[:, broken[:7]] = draw.uniform(0.2, 0.8, 7)
    chance[:, broken[7:]] = 1 - chance[:, broken[7:]]
    return (draw.random((students, count)) < chance).astype(float), {str(number) for number in broken}


@pytest.mark.parametrize("seed", range(10))
def test_ten_broken_items_among_59_are_all_found(seed):
    answers, broken = a_class(seed)
    pointed_at = {item.concept for item in analysed(answers).pointed_at}
    assert broken <= pointed_at
    assert len(pointed_at - broken) <= 1


def test_what_points_the_wrong_way_is_said_to():
    answers, _ = a_class(0)
    answers[:, 0] = answers[:, 1:].sum(axis=1) < 25
    assert analysed(answers).items[0].verdict == "against"


def test_what_everyone_or_no_one_has_is_not_called_broken():
    answers = points()
    answers[:, 0], answers[:, 1] = 1, 0
    easy, hard, *_ = analysed(answers).items
    assert (easy.verdict, easy.item_rest, easy.discrimination) == ("easy", None, None)
    assert hard.verdict == "hard"


def test_a_class_in_which_all_are_alike_has_no_reliability():
    assert analysed(np.ones((20, 3))).reliability is None


# the report


def student(
    number: int, passed: tuple[bool, ...], *, idea: bool = False, notes: tuple[Note, ...] = ()
) -> Marks:
    facts = CheckFacts("page.not_run", {"error": "X"}, idea="left_in_seconds")
    concepts = tuple(
        ConceptMark(f"c{at}", "double", float(right), 1.0, facts=facts if idea and not right else None)
        for at, right in enumerate(passed)
    )
    return Marks(f"s{number:03}", "en", notes, concepts, {})


def a_report(graded: list[Marks], pages: dict[str, Path] | None = None) -> report.ClassReport:
    found = tuple(graded)
    concepts = tuple(report.ConceptRate(mark.concept, "double", len(found), 1) for mark in found[0].concepts)
    ideas = idea_count.of(found)
    analysis = items.of(found)
    return report.ClassReport(
        "tiny", "Tiny", found, concepts, ideas, (), (), items=analysis, pages=pages or {}
    )


def page(found: report.ClassReport, path: Path) -> BeautifulSoup:
    path.parent.mkdir(exist_ok=True)
    report.write_html(found, path)
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def students(count: int) -> list[Marks]:
    return [student(number, (number % 2 == 0, number % 3 == 0, number > 5)) for number in range(count)]


def test_nine_students_are_too_few_and_ten_are_not():
    assert items.of(students(9)) == items.ItemAnalysis(9)
    assert len(items.of(students(10)).items) == 3


def test_a_file_that_is_no_notebook_does_not_count():
    blank = student(99, (False, False, False), notes=(Note("unreadable.no_notebook", ""),))
    assert not blank.readable
    assert items.of([*students(9), blank]).students == 9


def test_a_concept_that_waits_for_a_person_does_not_count():
    waiting = Marks("w", "en", (), (ConceptMark("c0", "double", 0, 1, needs_review=True),), {})
    others = student(98, (True, True, False)).concepts[1:]
    graded = [*students(11), Marks("w", "en", (), (*waiting.concepts, *others), {})]
    assert [item.concept for item in items.of(graded).items] == ["c1", "c2"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_says_that_a_class_is_too_small(language, tmp_path):
    text.speak(language)
    shown = page(a_report(students(9)), tmp_path / "report.html")
    assert say_in(language, "items.too_small", students=9, least=10) in shown.get_text()
    assert shown.find("table", class_="items") is None


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_points_at_what_does_not_tell(language, tmp_path):
    text.speak(language)
    answers, broken = a_class(0, 200, 20)
    graded = [student(number, tuple(row > 0)) for number, row in enumerate(answers)]
    shown = page(a_report(graded), tmp_path / "report.html")
    marked = {row.th.get_text() for row in shown.find("table", class_="items").find_all("tr", class_="look")}
    assert marked == {f"c{number}" for number in broken}
    assert len(shown.find("ul", class_="look").find_all("li")) == len(broken)


def test_a_wrong_idea_leads_to_the_exercise_on_the_feedback_page(tmp_path):
    text.speak("en")
    graded = [student(0, (False, True), idea=True), student(1, (False, True), idea=True)]
    written = tmp_path / "feedback" / "s000" / "tiny" / "tiny.html"
    shown = page(a_report(graded, {"s000": written}), tmp_path / "reports" / "tiny.html")
    (link,) = shown.find_all("a")
    assert (link.get_text(), link["href"]) == ("s000", "../feedback/s000/tiny/tiny.html#double")
    assert "s000, s001" in shown.get_text()
