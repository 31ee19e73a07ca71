"""Hints lead, one at a time, in the reader's language, and give no answer away."""

import csv
import json
import re

import pytest
import small

from course.authoring import mutants, proof, telling
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from helpers import hints, lessons, platforms, progress, session, text
from helpers.lessons import Lesson

COURSE = CourseFolder(small.ROOT)
TEMPLATE = CourseFolder(small.ROOT / "course/authoring/template")
WHERE = [*((COURSE, lesson) for lesson in COURSE.lessons()), (TEMPLATE, "lesson-name")]
AGENTS = (small.ROOT / "course/publishing/AGENTS.md").read_text(encoding="utf-8")
with open(small.ROOT / "tests/data/asking.csv", encoding="utf-8", newline="") as file:
    ASKING = [(row["kind"], row["prompt"]) for row in csv.DictReader(file)]
STEPS = {"zh": ["甲？", "乙。", "丙。"], "en": ["One?", "Two.", "Three."]}
IDEA = {"idea": {"upside_down": {"zh": "上下颠倒", "en": "it stands upside down"}}}


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A lesson of the tests' own, in whose folder nothing is known yet."""
    here = platforms.Platform("local", tmp_path / "results", True)
    monkeypatch.setattr(platforms, "detect", lambda: here)
    content = {"number": 1, "exercises": {"first": ["one"], "second": ["two"]}, "words": IDEA}
    path = tmp_path / "lessons" / "stairs.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**content, "hints": {"first": STEPS, "second": STEPS}}), encoding="utf-8")
    text.read_lessons(path.parent)
    made = Lesson.read(path)
    monkeypatch.setattr(lessons, "every", lambda: (made,))
    monkeypatch.setattr(session, "namespace", lambda: {"one": 1, "two": 2})
    text.speak("en")
    return made


def told(capsys, *arguments):
    hints.hint(*arguments)
    return capsys.readouterr().out.strip()


def test_hints_come_one_at_a_time_and_begin_again(lesson, capsys):
    assert [told(capsys, "first").rpartition(": ")[2] for _ in range(4)] == ["One?", "Two.", "Three.", "One?"]
    assert told(capsys, "second") == "second, hint 1 of 3: One?"


def test_each_reader_gets_hints_in_the_language_spoken(lesson, capsys):
    told(capsys, "first")
    text.speak("zh")
    assert told(capsys, "first") == "first，提示 2/3：乙。"


def test_an_idea_that_the_check_named_comes_first_and_once(lesson, capsys):
    told(capsys, "first")
    progress.keep(lesson.name, "first", idea="upside_down")
    assert "your result is what you get when it stands upside down" in told(capsys, "first")
    assert told(capsys, "first").endswith("Two.")


def test_without_a_name_the_first_exercise_that_is_not_right_is_meant(lesson, capsys):
    progress.keep(lesson.name, "first", right="0123")
    assert told(capsys).startswith("second, hint 1")


def test_an_unknown_name_is_answered_with_those_that_there_are(lesson, capsys):
    said = told(capsys, "third")
    assert said == (
        'No exercise called \'third\' has hints; there are: checks.hint("first"), checks.hint("second").'
    )


@pytest.mark.parametrize(("course", "name"), WHERE, ids=[name for _, name in WHERE])
def test_every_exercise_has_three_hints_in_each_language(course, name):
    found = course.public_half(name)
    assert set(found.hints) == {exercise.cell for exercise in found.exercises}
    for editions in found.hints.values():
        assert set(editions) == {"zh", "en"}
        assert all(len(steps) == len(set(steps)) == 3 for steps in editions.values())
        assert all(steps[0].rstrip().endswith(("?", "？", "。", ".")) for steps in editions.values())
        assert not re.search("[\u4e00-\u9fff]", "".join(editions["en"]))


@pytest.mark.parametrize(("course", "name"), WHERE, ids=[name for _, name in WHERE])
def test_no_hint_gives_the_reference_away(course, name):
    master = notebooks.load(course.master(name))
    assert [*telling.of(master, course.public_half(name).hints)] == []


REFERENCE = 'def mean(xs, n):\n    total = sum(xs) * 1e3\n    return {"mean_ms": total / (n * 2 + 1)}'


@pytest.mark.parametrize(
    "text",
    [
        "write total = sum(xs) * 1e3 first",
        "it is `total/(n*2+1)`",
        "total ÷ (n × 2 + 1)",
        "the shape is `a / (b * 2 + 1)`",
        "return {'mean_ms': total / (n * 2 + 1)}",
    ],
)
def test_an_answer_is_found_in_whatever_form_it_is_told(text):
    master = small.notebook("mean", [small.code("mean", _solved(REFERENCE), solution=True)])
    assert len([*telling.of(master, {"mean": {"en": [text]}})]) == 1


@pytest.mark.parametrize("text", ["What is a mean?", "total first, then divide", "`a / b`", "`mean_ms`"])
def test_a_question_is_no_answer(text):
    master = small.notebook("mean", [small.code("mean", _solved(REFERENCE), solution=True)])
    assert [*telling.of(master, {"mean": {"en": [text]}})] == []


def _solved(source):
    head, *body = source.splitlines()
    return "\n".join([head, "    ### BEGIN SOLUTION", *body, "    ### END SOLUTION"])


def found(made):
    return [(one.kind, dict(one.values).get("cell")) for one in proof.findings(made, small.LESSON)]


def test_a_lesson_without_hints_is_not_released(tmp_path):
    one_language = {"double": {"zh": small.hints(["double"])["double"]["zh"]}}
    assert found(small.course(tmp_path / "none", public={**small.FILE, "hints": {}})) == [
        ("no_hints", "double")
    ]
    assert found(small.course(tmp_path / "half", public={**small.FILE, "hints": one_language})) == [
        ("no_hints", "double")
    ]


def test_a_lesson_whose_hint_is_the_answer_is_not_released(tmp_path):
    telling_hints = small.hints(["double"])
    telling_hints["double"]["en"] = ["What?", "Which?", "twice_the_number = number + number"]
    made = small.course(tmp_path, public={**small.FILE, "hints": telling_hints})
    assert found(made) == [("hint_tells", "double")]


def test_fifty_ways_of_asking_are_answered_in_the_assistant_s_rules():
    kinds = {kind for kind, _ in ASKING}
    assert len({prompt for _, prompt in ASKING}) == 50
    assert set(re.findall(r"^\| `(\w+)`", AGENTS, re.MULTILINE)) == kinds
    chinese, english = AGENTS.split("This folder is coursework")
    assert all(f"| `{kind}`" in half for kind in kinds for half in (chinese, english))


@pytest.mark.parametrize("name", COURSE.lessons())
def test_nothing_that_an_assistant_can_read_or_open_holds_a_line_of_the_reference(name, monkeypatch, capsys):
    master = notebooks.load(COURSE.master(name))
    shown = telling.squeezed(telling.shown_of(master))
    secrets = [
        one for source in mutants.references(master).values() for one in telling.secrets_of(source, shown)
    ]
    monkeypatch.setattr(progress, "keep", lambda *_, **__: None)
    for _, prompt in ASKING:
        hints.hint(prompt)
    readable = [AGENTS, capsys.readouterr().out]
    readable += [COURSE.public_file(name).read_text("utf-8"), *text.CATALOG.general("zh").values()]
    assert len(secrets) > 20
    assert [secret for secret in secrets if any(secret in telling.squeezed(one) for one in readable)] == []
