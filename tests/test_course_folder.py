"""Where a course keeps what belongs to a lesson, and which editions it has."""

from __future__ import annotations

import json

import pytest
import small

from course.authoring import translations
from course.authoring.sample_class import SampleClass
from course.lesson.folder import CourseFolder
from helpers import text


@pytest.fixture
def tiny(tmp_path) -> CourseFolder:
    return small.course(tmp_path / "course")


def test_editions_are_the_folders_of_languages_the_masters_first(tiny):
    for name in ("frame", ".cache", "de", "zh-TW"):
        (tiny.root / "source" / name).mkdir()
    assert tiny.languages == ("zh", "de", "en", "zh-TW")
    assert tiny.translations == ("de", "en", "zh-TW")


def test_a_third_language_of_messages_asks_for_no_third_edition(tiny, monkeypatch):
    monkeypatch.setattr(text, "LANGUAGES", ("zh", "en", "xx"))
    assert tiny.languages == ("zh", "en")
    assert translations.check(tiny) == []


def test_a_lesson_that_lacks_an_edition_of_the_course_is_reported(tiny):
    (tiny.root / "source" / "de").mkdir()
    gaps = [(gap.kind, gap.language) for gap in translations.check(tiny)]
    assert gaps == [("missing_notebook", "de")]


def test_both_halves_lie_below_the_course_if_it_has_them(tiny):
    folder = tiny.root / "course" / "lessons" / "tiny"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mutants.toml").write_text(
        'without_mutant = ["hopeless"]\n[[mutant]]\nidea = "halved"\nexercise = "double"\n'
        '[[mutant.edit]]\nold = "2"\nnew = "0.5"\n',
        encoding="utf-8",
    )
    ideas = tiny.secrets("tiny").ideas
    assert [exercise.names for exercise in tiny.public_half("tiny").exercises] == [("double",)]
    assert (tiny.secret_half("tiny"), ideas.without_mutant) == (folder, {"hopeless"})
    assert [mutant.applied("2 * number") for mutant in ideas.mutants] == ["0.5 * number"]
    assert SampleClass.of(tiny, "tiny").folder == folder / "sample_class"


def test_the_halves_of_the_packages_lessons_are_found_from_any_course(tiny):
    package = CourseFolder(small.ROOT)
    for lesson in package.lessons():
        assert tiny.public_half(lesson).exercises
        assert tiny.secret_half(lesson) == package.secret_half(lesson)
        assert tiny.secret_half(lesson).is_dir()


def test_a_lesson_without_a_file_has_no_exercises_and_comes_last(tiny):
    for name, number in (("b-second", 2), ("c-first", -1), ("a-none", None)):
        path = tiny.master(name)
        path.parent.mkdir()
        path.write_text("{}", encoding="utf-8")
        if number is not None:
            about = {"number": number, "exercises": {}}
            (tiny.public_halves / f"{name}.json").write_text(json.dumps(about), encoding="utf-8")
    assert tiny.public_half("a-none").exercises == ()
    assert tiny.lessons() == ["c-first", "tiny", "b-second", "a-none"]


def test_a_damaged_lesson_file_is_named(tiny):
    tiny.public_file("tiny").write_text('{"number": 1}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"tiny\.json: KeyError: 'exercises'"):
        tiny.public_half("tiny")
