"""A lesson is given out only when it is proven; what is missing is said with its file and cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small

from course.authoring import proof, release, translations
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.text import Problem
from helpers import text

PATH = f"source/zh/{small.LESSON}/{small.LESSON}.ipynb"


@pytest.fixture
def made(tmp_path) -> CourseFolder:
    text.speak("en")
    return small.course(tmp_path)


def edit_master(made: CourseFolder, cell: str, old: str, new: str) -> None:
    """Change the master's cell and bring the twin in step."""
    master = notebooks.load(made.master(small.LESSON))
    assert old in small.cell(master, cell).source
    small.cell(master, cell).source = small.cell(master, cell).source.replace(old, new)
    notebooks.save(master, made.master(small.LESSON))
    translations.update(made)


def edit_file(made: CourseFolder, change) -> None:
    path = made.public_file(small.LESSON)
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def mutants_file(made: CourseFolder) -> Path:
    return made.secret_half(small.LESSON) / "mutants.toml"


def said(made: CourseFolder) -> list[str]:
    return [str(finding) for finding in proof.findings(made, small.LESSON)]


@pytest.mark.parametrize("lesson", CourseFolder(small.ROOT).lessons())
def test_every_lesson_of_this_course_is_proven(course, lesson):
    assert proof.findings(course, lesson) == []


def test_a_small_lesson_is_proven(made):
    assert said(made) == []


def test_a_hidden_test_that_always_crashes_is_named(made):
    edit_master(made, "double-zero", "double(0)", "double(zero)")
    assert said(made) == [
        f"{PATH} · double-zero:4: the reference solution fails here: "
        "[zero] Your code raised NameError: name 'zero' is not defined."
    ]


def test_a_hidden_test_that_crashes_before_its_concept_is_named(made):
    edit_master(made, "double-zero", "with checks", "1 / 0\nwith checks")
    (found,) = said(made)
    assert found.startswith(f"{PATH} · double-zero:3: the reference solution fails here: ")
    assert "ZeroDivisionError" in found


def test_a_visible_check_that_the_reference_fails_is_named(made):
    edit_master(made, "double-check", "double_ms=4", "double_ms=5")
    (found,) = said(made)
    assert found.startswith(f"{PATH} · double-check: the reference solution fails here: CheckFailed")


def test_an_idea_without_words_is_named_with_its_languages(made):
    edit_file(made, lambda data: data["words"]["idea"]["left_in_seconds"].pop("en"))
    assert said(made) == [
        f"{PATH}: the idea left_in_seconds has no words in en; write them into helpers/lessons/tiny.json."
    ]


def test_concepts_and_columns_without_words_are_named(made):
    edit_file(made, lambda data: data["words"]["concept"].pop("double-zero"))
    edit_master(made, "look", "double(2)", 'table([{"double_ms_shown": double(2)["double_ms"]}])')
    concept, column = said(made)
    assert "the concept double-zero has no words in zh, en" in concept
    assert "the column double_ms_shown has no words in zh, en" in column


def test_a_text_that_is_not_translated_is_named(made):
    master = notebooks.load(made.master(small.LESSON))
    small.cell(master, "task").source = "换了说法。"
    notebooks.save(master, made.master(small.LESSON))
    (found,) = said(made)
    assert f"{small.LESSON} · task" in found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda data: data["exercises"].pop("double"),
            f"{PATH} · double: helpers/lessons/tiny.json does not name this",
        ),
        (lambda data: data["exercises"].update(gone=["f"]), f"{PATH} has no exercise gone"),
        (
            lambda data: data["exercises"].update(double=["double", "half"]),
            "the reference does not define half",
        ),
    ],
)
def test_what_the_file_declares_has_to_be_so(made, change, words):
    edit_file(made, change)
    (found,) = said(made)
    assert words in found


def test_a_wrong_idea_that_nothing_catches_is_named(made):
    path = mutants_file(made)
    path.write_text(path.read_text().replace("/ 1000", "* 1"))
    (found,) = said(made)
    assert "no hidden test catches the wrong idea left_in_seconds" in found


def test_an_edit_that_does_not_fit_the_reference_is_named(made):
    path = mutants_file(made)
    path.write_text(path.read_text().replace('"double_ms": twice', '"double_ms": thrice'))
    (found,) = said(made)
    assert "must occur once in double, got 0" in found


def test_an_idea_that_a_check_names_has_a_mutant_or_says_that_it_has_none(made):
    mutants_file(made).write_text("")
    (found,) = said(made)
    assert "the wrong idea left_in_seconds has no mutant" in found
    mutants_file(made).write_text('without_mutant = ["left_in_seconds"]\n')
    assert said(made) == []


def test_a_lesson_that_is_not_proven_is_not_released(made):
    edit_master(made, "double-zero", "double(0)", "double(zero)")
    with pytest.raises(Problem, match=r"(?s)tiny cannot be given out yet.*double-zero") as refused:
        release.release(made, [small.LESSON])
    assert refused.value.key == "release.unproven"
    assert not (made.root / "release").exists()
    assert not made.gradebook.exists()
