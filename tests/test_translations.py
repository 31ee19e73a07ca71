"""Twins: the English edition has the master's code, order and metadata, and a stale translation is named."""

from __future__ import annotations

import shutil

import pytest
import small

from course.authoring import translations
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.text import Problem


@pytest.fixture
def tiny(tmp_path) -> CourseFolder:
    return small.course(tmp_path)


def change(folder: CourseFolder, language: str, edit) -> None:
    path = folder.master(small.LESSON, language)
    notebook = notebooks.load(path)
    edit(notebook)
    notebooks.save(notebook, path)


def found(folder: CourseFolder) -> list[tuple[str, str]]:
    return [(difference.kind, difference.cell) for difference in translations.check(folder)]


def test_twins_in_step_have_no_difference(tiny):
    assert found(tiny) == []


def test_the_twins_of_this_course_are_in_step(course):
    assert [str(difference) for difference in translations.check(course)] == []


def test_a_missing_twin_is_named(tiny):
    tiny.master(small.LESSON, "en").unlink()
    assert found(tiny) == [("missing_notebook", "")]


def test_a_missing_cell_is_named(tiny):
    change(tiny, "en", lambda notebook: notebook.cells.pop(5))
    assert found(tiny) == [("missing", "look")]


def test_a_cell_too_many_is_named(tiny):
    change(tiny, "en", lambda notebook: notebook.cells.append(small.code("more", "1")))
    assert found(tiny) == [("extra", "more")]


def test_a_moved_cell_is_named(tiny):
    change(tiny, "en", lambda notebook: notebook.cells.append(notebook.cells.pop(4)))
    assert found(tiny) == [("order", "double")]


def test_changed_code_is_named(tiny):
    change(tiny, "en", lambda notebook: small.cell(notebook, "look").update(source="double(3)"))
    assert found(tiny) == [("code", "look")]


def test_changed_points_are_named(tiny):
    change(
        tiny, "en", lambda notebook: small.cell(notebook, "double-zero").metadata.nbgrader.update(points=5)
    )
    assert found(tiny) == [("metadata", "double-zero")]


def test_the_cell_that_sets_the_language_may_differ(tiny):
    assert '"en"' in small.cell(notebooks.load(tiny.master(small.LESSON, "en")), "language").source
    assert found(tiny) == []


def test_a_stale_translation_is_refused(tiny):
    change(tiny, "zh", lambda notebook: small.cell(notebook, "task").update(source="写一个函数，返回三倍。"))
    assert found(tiny) == [("stale", "task")]


def test_a_stale_translation_in_this_course_is_refused_by_name(course, tmp_path):
    shutil.copytree(course.root / "source", tmp_path / "source")
    shutil.copy(course.root / "nbgrader_config.py", tmp_path)
    copy = CourseFolder(tmp_path.resolve())
    path = copy.master(copy.lessons()[0])
    notebook = notebooks.load(path)
    text = next(cell for cell in notebook.cells if cell.cell_type == "markdown")
    text.source += "再加一句。"
    notebooks.save(notebook, path)
    assert found(copy) == [("stale", text.id)]


def test_a_text_without_a_digest_counts_as_untranslated(tiny):
    change(tiny, "en", lambda notebook: small.cell(notebook, "task").metadata.pop("translates"))
    assert found(tiny) == [("untranslated", "task")]


def test_an_update_copies_code_and_keeps_translations(tiny):
    def edit(notebook):
        small.cell(notebook, "look").source = "double(5)"
        small.cell(notebook, "double-zero").metadata.nbgrader.points = 2
        notebook.cells.insert(4, notebook.cells.pop(6))

    change(tiny, "zh", edit)
    assert translations.update(tiny) == ["source/en/tiny/tiny.ipynb"]
    assert found(tiny) == []
    twin = notebooks.load(tiny.master(small.LESSON, "en"))
    assert small.cell(twin, "task").source == "Write a function that returns the double."
    assert small.cell(twin, "look").source == "double(5)"


def test_a_new_text_comes_over_in_chinese_and_waits_for_its_translation(tiny):
    change(tiny, "zh", lambda notebook: notebook.cells.append(small.markdown("new", "新的一段。")))
    translations.update(tiny)
    assert small.cell(notebooks.load(tiny.master(small.LESSON, "en")), "new").source == "新的一段。"
    assert found(tiny) == [("untranslated", "new")]


def test_a_revised_translation_is_registered_by_name(tiny):
    change(tiny, "zh", lambda notebook: small.cell(notebook, "task").update(source="返回三倍。"))
    change(tiny, "en", lambda notebook: small.cell(notebook, "task").update(source="Return the triple."))
    translations.update(tiny, ["task"])
    assert found(tiny) == []


def test_an_update_of_twins_in_step_writes_nothing(tiny):
    assert translations.update(tiny) == []


def test_registering_a_cell_that_does_not_exist_is_refused(tiny):
    with pytest.raises(Problem, match="nowhere"):
        translations.update(tiny, ["nowhere"])


@pytest.fixture
def framed(tiny) -> CourseFolder:
    """The tiny course with a frame of its own."""
    frame = tiny.root / "source" / "frame"
    frame.mkdir()
    (frame / "first_cell.py").write_text("import sys\n", encoding="utf-8")
    (frame / "last_cell.py").write_text("print(sys.version)\n", encoding="utf-8")
    return tiny


def test_a_master_without_its_frame_is_named_and_gets_it(framed):
    assert found(framed) == [("frame", "setup"), ("frame", "handin")]
    assert len(translations.update(framed)) == 2
    for language in ("zh", "en"):
        cells = notebooks.load(framed.master(small.LESSON, language)).cells
        assert [cell.id for cell in cells[:3]] == ["title", "setup", "language"]
        assert cells[1].source == "import sys"
        assert (cells[-1].id, cells[-1].source) == ("handin", "print(sys.version)")
        assert cells[1].metadata.tags == cells[-1].metadata.tags == ["nbval-ignore-output"]
    assert found(framed) == []
    assert translations.update(framed) == []


def test_a_frame_cell_that_was_edited_is_named_and_put_right(framed):
    translations.update(framed)
    change(framed, "zh", lambda notebook: small.cell(notebook, "setup").update(source="import os"))
    change(framed, "en", lambda notebook: small.cell(notebook, "setup").update(source="import os"))
    assert found(framed) == [("frame", "setup")]
    translations.update(framed)
    assert small.cell(notebooks.load(framed.master(small.LESSON)), "setup").source == "import sys"
    assert found(framed) == []
