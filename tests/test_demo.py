"""The demo and its sample class: everyone gets the points written by hand, in one bilingual assignment."""

from __future__ import annotations

import csv
import re
import sqlite3

import pytest
import small

from course import demo as demos
from course.authoring.sample_class import ACCIDENTS, SampleClass
from course.lesson import notebooks, regions
from course.lesson.folder import CourseFolder
from course.reporting import marks
from course.text import Problem

COURSE = CourseFolder(small.ROOT)
LESSON, LANGUAGES = COURSE.lessons()[0], COURSE.languages
SAMPLE = SampleClass.of(COURSE, LESSON)
STUDENTS = [student.id for student in SAMPLE.students()]
WITH_ONE_WRONG_IDEA = {who: ideas[0] for who, ideas in SAMPLE.ideas().items() if len(ideas) == 1}


@pytest.fixture(scope="module")
def graded(demo) -> dict[str, marks.Marks]:
    return {found.student: found for found in marks.of_lesson(demo.folder, LESSON)}


@pytest.mark.parametrize("student", STUDENTS)
def test_each_student_gets_the_points_written_by_hand(graded, student):
    expected = dict(SAMPLE.expected()[student])
    total = expected.pop("total")
    got = {mark.concept: mark.points for mark in graded[student].concepts}
    assert {concept: got[concept] for concept in got if got[concept] != expected.get(concept)} == {}
    assert set(got) == set(expected)
    assert graded[student].points == total


@pytest.mark.parametrize(("student", "idea"), WITH_ONE_WRONG_IDEA.items())
def test_a_wrong_idea_is_named_in_the_students_language(graded, student, idea):
    found = graded[student]
    said = " ".join(mark.said(found.language) for mark in found.concepts)
    assert marks.idea_name(idea, found.language) in said
    assert set(found.ideas) == {idea}


def test_the_points_written_by_hand_add_up():
    with (SAMPLE.folder / "points.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            student, total = row.pop("student"), row.pop("total")
            assert (student, sum(map(float, row.values()))) == (student, float(total))


def test_the_class_is_as_mixed_as_a_class_is():
    students = SAMPLE.students()
    assert len(students) >= 16
    assert {student.language for student in students} == set(LANGUAGES)
    assert len(WITH_ONE_WRONG_IDEA) >= 8
    assert {student.accident for student in students} == set(ACCIDENTS)


def test_both_languages_are_one_assignment_in_the_gradebook(demo):
    with sqlite3.connect(demo.folder.gradebook) as book:
        assert book.execute("select name from assignment").fetchall() == [(LESSON,)]
        assert book.execute("select count(*) from submitted_notebook").fetchone() == (len(STUDENTS),)
    book.close()


def test_the_release_of_the_demo_is_the_committed_one(demo, course):
    for language in LANGUAGES:
        assert (
            demo.folder.released(LESSON, language).read_bytes()
            == course.released(LESSON, language).read_bytes()
        )


@pytest.mark.parametrize("student", STUDENTS)
def test_a_page_speaks_the_students_language_and_keeps_the_hidden_tests(demo, course, student):
    page = demo.folder.feedback(student, LESSON).read_text(encoding="utf-8")
    roster = {line.student.id: line.student for line in demo.lines}
    assert ('lang="zh-CN"' in page) == (roster[student].language == "zh")
    for secret in ("checks.concept", "checks.call", "ideas=", "Traceback", "<script"):
        assert secret not in page


def test_no_page_holds_a_line_of_a_hidden_test(demo, course):
    master = notebooks.load(course.master(LESSON))
    hidden = {
        line.strip()
        for cell in master.cells
        for place, line in regions.regions(cell.source)
        if place == "hidden tests" and len(line.strip()) > 25
    }
    hidden = {line for line in hidden if not re.fullmatch(r"\w+=[01],", line)}  # a drawn call may say so too
    for student in STUDENTS:
        page = demo.folder.feedback(student, LESSON).read_text(encoding="utf-8")
        assert [line for line in hidden if line in page] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_names_the_pair_that_looks_alike(demo, language):
    page = (demo.folder.root / "reports" / f"{LESSON}.{language}.html").read_text(encoding="utf-8")
    with (SAMPLE.folder / "alike.csv").open(encoding="utf-8", newline="") as file:
        pairs = [f"{row['one']}, {row['other']}" for row in csv.DictReader(file)]
    assert pairs
    assert [pair for pair in pairs if pair not in page] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_recorded_curves_are_drawn(demo, language):
    pictures = list((demo.folder.root / "plots").glob(f"*.{language}.png"))
    assert pictures
    assert all(picture.stat().st_size > 10_000 for picture in pictures)


def test_the_demo_ends_with_a_table_of_points_and_the_pages_to_open(demo):
    table, _, paths = demo.printed.partition("打开看看")
    assert table.count("✓") >= len(STUDENTS)
    assert f"reports/{LESSON}.zh.html" in paths.replace("\n", "")


def test_a_folder_that_no_demo_made_is_never_emptied(course, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(Problem, match="--to"):
        demos.run(course, tmp_path)
    assert (tmp_path / "thesis.tex").read_text(encoding="utf-8") == "years of work"
