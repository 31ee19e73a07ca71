"""A green visible check means something: it looks at every graded concept, and wrong ideas show there."""

from __future__ import annotations

import functools

import pytest
import small

from course.authoring import mentions, mutants
from course.lesson import cells, notebooks
from course.lesson.folder import CourseFolder
from helpers import checks, text
from helpers.checks import CheckFailed
from helpers.names import functions

COURSE = CourseFolder(small.ROOT)
EXERCISES = [
    (lesson, exercise.cell)
    for lesson in COURSE.lessons()
    for exercise in COURSE.public_half(lesson).exercises
]
MOST_GREEN = 0.05


@functools.cache
def master(lesson: str):
    return notebooks.load(COURSE.master(lesson))


@pytest.fixture(autouse=True)
def _english():
    text.speak("en")


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_few_of_the_lessons_wrong_ideas_stay_green(lesson, capsys):
    ideas = COURSE.secrets(lesson).ideas.mutants
    green = [mutant.idea for mutant in ideas if mutants.stays_green(mutant, master(lesson))]
    with capsys.disabled():
        print(f"\n{lesson}: {len(green)} of {len(ideas)} wrong ideas stay green {green}")
    assert len(green) <= MOST_GREEN * len(ideas)


@pytest.mark.parametrize(("lesson", "exercise"), EXERCISES)
def test_a_visible_check_has_looked_at_every_concept_that_is_graded(lesson, exercise):
    notebook = master(lesson)
    homes = notebooks.exercise_of(notebook)
    graded = {concept for concept, home in homes.items() if home == exercise}
    visible = mutants.visible_checks(notebook, exercise)
    assert visible
    if functions(mutants.references(notebook)[exercise]):
        found = small.notebook(lesson, [small.code("check", "\n".join(visible))])
        assert graded <= mentions.of(found)["concept"]


def test_a_wrong_idea_that_no_example_shows_stays_green(tmp_path):
    made = small.course(tmp_path)
    (mutant,) = made.secrets(small.LESSON).ideas.mutants
    notebook = small.master()
    assert not mutants.stays_green(mutant, notebook)
    check = small.cell(notebook, "double-check")
    check.source = check.source.replace("double(2), double_ms=4", "double(0), double_ms=0")
    assert mutants.stays_green(mutant, notebook)


def test_the_line_says_what_was_looked_at_and_what_is_left(tmp_path, capsys):
    public = {**small.FILE, "words": {**small.FILE["words"], "case": {"large": {"zh": "大数", "en": "size"}}}}
    small.course(tmp_path, public=public)
    checks.passed("double", "double-units", "double-zero", left=("large",))
    assert capsys.readouterr().out.splitlines() == [
        "✓ TODO 1 twice",
        "  One example each: unit conversion, zero.",
        "  Other numbers are graded. Think yourself of: size.",
    ]
    text.speak("zh")
    checks.passed("double", "double-units", "double-zero", left=("large",))
    assert "看过的例子：单位换算、零。" in capsys.readouterr().out


GOOD = {"batch": 8, "rate": 12.5, "reason": "slo", "change": ["model"], "inner": {"fault": "none"}}
FORM = {"batch": int, "rate": float, "reason": {"slo", "kv"}, "change": ["model", "slo"]}


def test_a_decision_of_the_form_asked_for_passes_whatever_it_says(capsys):
    checks.form(GOOD, **FORM, inner={"fault": {"none", "some"}})
    checks.form({**GOOD, "batch": 8.0, "rate": 3, "change": ("slo", "model")}, **FORM)
    checks.formed("double")
    assert "Whether the answer is, only grading says" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"batch": "8"}, "batch: a whole number is asked for, got '8'."),
        ({"batch": 8.5}, "batch: a whole number is asked for, got 8.5."),
        ({"batch": True}, "batch: a whole number is asked for, got True."),
        ({"rate": float("nan")}, "rate: a number is asked for, got nan."),
        ({"rate": None}, "rate: not filled in yet."),
        ({"rate": ...}, "rate: not filled in yet."),
        ({"reason": "SLO"}, "reason: one of 'kv', 'slo' is asked for, got 'SLO'."),
        ({"change": "slo"}, "change: a list of one or more of 'model', 'slo' is asked for, got 'slo'."),
        ({"change": []}, "change: a list of one or more of 'model', 'slo' is asked for, got []."),
        ({"change": ["slo", "luck"]}, "change: a list of one or more of 'model', 'slo' is asked for, got ["),
        ({"inner": {"fault": 3}}, "inner · fault: one of 'none' is asked for, got 3."),
    ],
)
def test_another_form_is_said_by_its_key(entry, said):
    with pytest.raises(CheckFailed) as failed:
        checks.form({**GOOD, **entry}, **FORM, inner={"fault": {"none"}})
    assert str(failed.value).startswith(said)


def test_a_key_that_is_missing_is_named():
    with pytest.raises(CheckFailed, match="no key 'rate'"):
        checks.form({"batch": 8}, **FORM)


@pytest.mark.parametrize(("lesson", "exercise"), EXERCISES)
def test_the_check_of_a_decision_tells_nothing_of_what_is_right(lesson, exercise):
    """No number stands in it, and every word that could be the answer stands beside others."""
    if not functions(mutants.references(master(lesson))[exercise]):
        (source,) = mutants.visible_checks(master(lesson), exercise)
        assert not any(character.isdigit() for character in source)
        assert source.count("checks.form(") == 1
        assert cells.name(small.cell(master(lesson), f"{exercise}-check")) == f"{exercise}-check"
