"""Release: what students get is made by nbgrader, is the same bytes each time, and holds no answer."""

from __future__ import annotations

import itertools
import json
import sqlite3

import pytest
import small

from course.authoring import release
from course.lesson import cells, notebooks, regions
from course.lesson.folder import CourseFolder
from course.text import Problem
from helpers.text import LANGUAGES

STUB = '# TODO 在这里写你的代码 · write your code here\n    raise NotImplementedError("TODO")'


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> CourseFolder:
    folder = small.course(tmp_path_factory.mktemp("course"))
    release.release(folder, [small.LESSON])
    return folder


@pytest.fixture
def changed(tmp_path):
    """Build a course whose master was changed by a function."""

    def build(edit) -> CourseFolder:
        master = small.master()
        edit(master)
        return small.course(tmp_path, master)

    return build


def released(folder: CourseFolder, language: str):
    return notebooks.load(folder.released(small.LESSON, language))


def test_the_committed_release_is_fresh(course):
    assert [str(finding) for finding in release.check(course, course.lessons())] == []


def test_no_line_of_an_answer_or_hidden_test_stands_in_the_release(course):
    """Written apart from the module it tests: whole files, both languages' secrets in both releases."""
    secret, visible = set(), set()
    for path in (course.root / "source").rglob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            inside = False
            for line in "".join(cell["source"]).split("\n"):
                if "### BEGIN" in line:
                    inside = True
                elif "### END" in line:
                    inside = False
                elif inside and len(line.strip()) > 15:
                    secret.add(line.strip())
                else:
                    visible.add(line)
    shown = "\n".join(visible)
    secret = {line for line in secret if line not in shown}
    files = list((course.root / "release").rglob("*.ipynb"))
    assert len(secret) > 100
    assert len(files) == len(LANGUAGES) * len(course.lessons())
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert [line for line in secret if json.dumps(line, ensure_ascii=False)[1:-1] in text] == []
        assert "BEGIN SOLUTION" not in text
        assert "HIDDEN TESTS" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_becomes_a_stub_in_both_languages(tiny, language):
    assert small.cell(released(tiny, language), "double").source.endswith(STUB)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hidden_test_leaves_its_cell_with_a_name(tiny, language):
    assert small.cell(released(tiny, language), "double-zero").source == "# @title 评分：零 · graded: zero"


FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}


@pytest.mark.parametrize("lesson", CourseFolder(small.ROOT).lessons())
@pytest.mark.parametrize("language", LANGUAGES)
def test_exactly_the_first_cell_and_the_names_of_tests_are_folded(course, lesson, language):
    for cell in notebooks.load(course.released(lesson, language)).cells:
        grader = cell.metadata.get("nbgrader", {})
        is_folded = {key: cell.metadata.get(key) for key in FOLDED} == FOLDED
        assert is_folded == (cell.id == "setup" or grader.get("grade", False)), cell.id
        assert is_folded or not set(FOLDED) & set(cell.metadata), cell.id
        assert cell.source.startswith("# @title ") == is_folded, cell.id
        assert not is_folded or cell.id == "setup" or "\n" not in cell.source, cell.id


@pytest.mark.parametrize("lesson", CourseFolder(small.ROOT).lessons())
def test_a_master_stays_open_to_its_author(course, lesson):
    found = notebooks.load(course.master(lesson)).cells
    assert [cell.id for cell in found if set(FOLDED) & set(cell.metadata)] == []


@pytest.mark.parametrize("lesson", CourseFolder(small.ROOT).lessons())
def test_graded_cells_stand_behind_the_last_visible_cell_of_their_exercise(course, lesson):
    """What follows them is the next section or the text above the next solution."""
    found = notebooks.load(course.released(lesson, "zh")).cells
    for one, following in itertools.pairwise(found):
        if cells.is_grade(one) and not cells.is_grade(following):
            behind = found[found.index(following) + 1]
            assert following.cell_type == "markdown", one.id
            assert following.source.startswith("## ") or cells.is_solution(behind), one.id


def test_a_test_that_shows_code_is_not_folded(changed):
    def show(master):
        cell = small.cell(master, "double-zero")
        cell.source = "# 评分：零 · graded: zero\nassert double(0)\n" + "\n".join(cell.source.split("\n")[1:])

    folder = changed(show)
    release.release(folder, [small.LESSON])
    assert not set(FOLDED) & set(small.cell(released(folder, "en"), "double-zero").metadata)
    assert set(FOLDED) <= set(small.cell(released(folder, "en"), "double-units").metadata)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nbgraders_checksums_are_those_of_the_cells_as_given_out(tiny, language):
    """`nbgrader validate` compares them and warns a student whose locked cells differ."""
    from nbgrader.utils import compute_checksum

    found = [cell for cell in released(tiny, language).cells if cells.grader(cell)]
    assert len(found) == 4
    for cell in found:
        stated = cell.metadata.nbgrader.get("checksum")
        assert stated == compute_checksum(cell), cell.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_release_has_no_outputs_and_keeps_every_name(tiny, language):
    notebook = released(tiny, language)
    assert [cell.id for cell in notebook.cells] == [cell.id for cell in small.master().cells]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    assert not any("translates" in cell.metadata for cell in notebook.cells)


def test_both_languages_are_one_assignment(tiny):
    with sqlite3.connect(tiny.gradebook) as book:
        assert book.execute("select name from assignment").fetchall() == [(small.LESSON,)]
        assert book.execute("select count(*) from grade_cells").fetchone() == (len(small.CONCEPTS),)
    book.close()


def test_a_second_release_writes_nothing(tiny):
    assert release.release(tiny, [small.LESSON]) == []
    assert release.check(tiny, [small.LESSON]) == []


def test_a_stale_release_is_named_with_its_cells(tiny, tmp_path):
    folder = small.course(tmp_path)
    for language in LANGUAGES:
        notebook = released(tiny, language)
        small.cell(notebook, "look").source = "double(9)"
        notebooks.save(notebook, folder.released(small.LESSON, language))
    found = [
        (finding.kind, dict(finding.values)["cells"]) for finding in release.check(folder, [small.LESSON])
    ]
    assert found == [("stale", "look")] * 2


def test_a_check_writes_nothing(tmp_path):
    folder = small.course(tmp_path)
    assert [finding.kind for finding in release.check(folder, [small.LESSON])] == ["absent", "absent"]
    assert not (tmp_path / "release").exists()
    assert not folder.gradebook.exists()


def test_a_release_without_a_master_is_named(tiny, tmp_path):
    folder = small.course(tmp_path)
    for language in LANGUAGES:
        notebooks.save(released(tiny, language), folder.released(small.LESSON, language))
    notebooks.save(released(tiny, "en"), folder.released("gone", "en"))
    assert [finding.kind for finding in release.check(folder, folder.lessons())] == ["orphan"]


def test_a_leak_is_named_with_its_cell():
    master = small.master()
    leaky = notebooks.parse(notebooks.dumps(master))
    for cell in leaky.cells:
        cell.source = regions.without(cell.source, "hidden tests", "marker")
    assert ("double", "twice_the_number = number + number") in list(release.leaks(master, leaky))


def test_an_output_that_shows_an_answer_counts_as_a_leak():
    master = small.master()
    clean = notebooks.parse(notebooks.dumps(master))
    for cell in clean.cells:
        cell.source = regions.without(cell.source, "solution", "hidden tests", "marker")
    assert list(release.leaks(master, clean)) == []
    small.cell(clean, "look").outputs = [
        {"output_type": "stream", "name": "stdout", "text": "twice_the_number = number + number"}
    ]
    assert [cell for cell, _ in release.leaks(master, clean)] == ["double"]


def test_an_unclosed_region_is_refused_in_one_sentence(changed):
    def open_end(master):
        cell = small.cell(master, "double")
        cell.source = cell.source.replace("    ### END SOLUTION", "")

    with pytest.raises(Problem, match=r"source/zh/tiny/tiny\.ipynb"):
        release.release(changed(open_end), [small.LESSON])


def test_adding_a_check_after_submissions_is_refused(tmp_path):
    folder = small.course(tmp_path)
    release.release(folder, [small.LESSON])
    with small.gradebook(folder) as book:
        book.add_student("ada")
        book.add_submission(small.LESSON, "ada")
    master = small.master()
    master.cells.insert(
        -1, small.check("double-one", "# new\n### BEGIN HIDDEN TESTS\n1\n### END HIDDEN TESTS")
    )
    small.course(tmp_path, master)
    with pytest.raises(Problem, match=r"gradebook\.db"):
        release.release(folder, [small.LESSON])


def test_the_solved_edition_has_answers_and_no_hidden_test(tiny, tmp_path):
    paths = release.solutions(tiny, [small.LESSON], tmp_path / "solved")
    assert len(paths) == len(LANGUAGES)
    for path in paths:
        notebook = notebooks.load(path)
        assert "twice_the_number" in small.cell(notebook, "double").source
        assert [cell.id for cell in notebook.cells if cell.id in small.CONCEPTS] == []
        assert not any("nbgrader" in cell.metadata for cell in notebook.cells)
        assert "HIDDEN" not in path.read_text(encoding="utf-8")
    assert (tmp_path / "solved" / ".gitignore").read_text() == "*\n"
