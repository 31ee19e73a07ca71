"""Submissions: honest accidents are put right and said; what is no notebook is refused in one word."""

from __future__ import annotations

import codecs
import copy
import json

import pytest
import small
from nbformat import NotebookNode, from_dict

from course.lesson import cells, notebooks, regions
from course.lesson.assignment import Assignment
from course.submission.hand_in import HandIn
from course.submission.notes import Note, in_words
from helpers.text import LANGUAGES

ANSWER = 'def double(number):\n    return {"double_ms": 2 * number}'


@pytest.fixture(scope="module")
def masters():
    chinese = small.master()
    return {"zh": chinese, "en": small.english(chinese)}


@pytest.fixture
def handed_in():
    """The released notebook with a right answer in it."""
    notebook = small.english(small.master())
    for cell in notebook.cells:
        cell.source = regions.without(cell.source, "solution", "hidden tests", "marker")
    return small.answered(notebook, ANSWER)


@pytest.fixture
def rebuilt(masters):
    """Rebuild a notebook as the grader does; returns the notebook and the notes' keys with their cells."""

    def build(notebook):
        data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
        result = HandIn.of(data, Assignment.of("", masters, {}))
        return graded(result), [(note.key, note.cell) for note in result.notes]

    return build


def graded(hand_in: HandIn) -> NotebookNode:
    """The notebook that is graded."""
    return from_dict(hand_in.rebuilt.notebook())


def points(notebook) -> dict[str, float]:
    return {cells.name(cell): cells.points(cell) for cell in notebook.cells if cells.is_grade(cell)}


def names(notebook) -> list[str]:
    return [cell.id for cell in notebook.cells]


def test_an_ordinary_submission_gets_its_hidden_tests_back_and_no_note(rebuilt, handed_in, masters):
    notebook, notes = rebuilt(handed_in)
    assert notes == []
    assert names(notebook) == names(masters["en"])
    assert small.cell(notebook, "double").source == ANSWER
    assert small.cell(notebook, "double-zero").source == small.ZERO


@pytest.mark.parametrize(
    ("encode", "named"),
    [
        (lambda text: codecs.BOM_UTF8 + text.encode(), "UTF-8 (BOM)"),
        (lambda text: text.encode("utf-16"), "UTF-16"),
        (lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"), "UTF-16"),
        (lambda text: text.encode("gb18030"), "GB18030"),
    ],
)
def test_another_encoding_is_read_and_said(rebuilt, handed_in, encode, named):
    small.cell(handed_in, "task").source = "我的笔记：两倍"
    notebook, notes = rebuilt(encode(json.dumps(handed_in, ensure_ascii=False)))
    assert notes == [("repaired.encoding", named)]
    assert small.cell(notebook, "task").source == "我的笔记：两倍"


def test_carriage_returns_do_not_matter(rebuilt, handed_in):
    small.cell(handed_in, "double").source = ANSWER.replace("\n", "\r\n")
    notebook, notes = rebuilt(json.dumps(handed_in, indent=1).replace("\n", "\r\n").encode())
    assert notes == []
    assert small.cell(notebook, "double").source == ANSWER


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \r\n", "empty"),
        (b"%PDF-1.7 \xff\xfe\x00", "pdf"),
        (b'{"cells": [', "not_json"),
        (b"[" * 100_000, "not_json"),
        (b"[]", "not_notebook"),
        (b'"text"', "not_notebook"),
        (b'{"a": 1}', "not_notebook"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": null}', "not_notebook"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [null]}', "not_notebook"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_reason(masters, data, reason):
    found = HandIn.of(data, Assignment.of("", masters, {}))
    assert [note.key for note in found.notes] == [f"unreadable.{reason}"]
    assert not found.readable


def test_an_unreadable_file_still_tells_its_language(masters, handed_in):
    data = json.dumps(handed_in).encode()
    result = HandIn.of(data[: len(data) // 2], Assignment.of("", masters, {}))
    assert notebooks.language(graded(result)) == "en"
    assert small.cell(graded(result), "double").source == ""
    assert [note.key for note in result.notes] == ["unreadable.not_json"]


def test_a_lone_surrogate_is_replaced(rebuilt, handed_in):
    small.cell(handed_in, "task").source = "SURROGATE"
    data = json.dumps(handed_in).replace("SURROGATE", "\\ud800").encode()
    notebook, _ = rebuilt(data)
    assert small.cell(notebook, "task").source == "?"


def test_an_older_notebook_format_is_read(rebuilt):
    cells = [{"cell_type": "code", "input": ANSWER, "language": "python", "outputs": [], "collapsed": False}]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
    notebook, notes = rebuilt(old)
    assert small.cell(notebook, "double").source == ANSWER
    assert ("repaired.recognised", "double") in notes


@pytest.mark.parametrize("gone", ["double-check", "double-units", "double-zero"])
def test_a_deleted_check_comes_back_to_its_place(rebuilt, handed_in, masters, gone):
    handed_in.cells.remove(small.cell(handed_in, gone))
    notebook, notes = rebuilt(handed_in)
    assert notes == [("repaired.deleted", gone)]
    assert names(notebook) == names(masters["en"])


def test_a_changed_check_is_replaced(rebuilt, handed_in):
    small.cell(handed_in, "double-zero").source = "pass"
    notebook, notes = rebuilt(handed_in)
    assert notes == [("repaired.changed_check", "double-zero")]
    assert small.cell(notebook, "double-zero").source == small.ZERO


def test_a_copied_check_is_taken_once(rebuilt, handed_in, masters):
    pasted = copy.deepcopy(small.cell(handed_in, "double-zero"))
    pasted.id = "pasted"
    handed_in.cells.append(pasted)
    notebook, notes = rebuilt(handed_in)
    assert notes == [("repaired.copied_check", "double-zero")]
    assert names(notebook) == names(masters["en"])


def with_copy(notebook, source: str, place: int):
    copied = copy.deepcopy(small.cell(notebook, "double"))
    copied.id, copied.source = "copied", source
    notebook.cells.insert(place, copied)
    return notebook


def test_of_two_answers_the_last_one_is_graded_and_both_stay(rebuilt, handed_in):
    notebook, notes = rebuilt(with_copy(handed_in, "def double(number):\n    return {}", 0))
    assert notes == [("repaired.copied", "double")]
    assert [cell.source for cell in notebook.cells if "def double" in cell.source] == [
        "def double(number):\n    return {}",
        ANSWER,
    ]
    assert [cells.name(cell) for cell in notebook.cells if cells.is_solution(cell)] == ["double"]


def test_an_untouched_copy_below_the_answer_does_not_undo_it(rebuilt, handed_in):
    stub = 'def double(number):\n    # TODO\n    raise NotImplementedError("TODO")'
    notebook, _ = rebuilt(with_copy(handed_in, stub, 6))
    assert [cell.source for cell in notebook.cells if "def double" in cell.source] == [ANSWER]


def test_an_answer_in_a_cell_of_its_own_is_found_and_tested_after_it(rebuilt, handed_in):
    small.cell(handed_in, "double").source = 'def double(number):\n    raise NotImplementedError("TODO")'
    handed_in.cells.append(small.code("mine", ANSWER))
    notebook, _ = rebuilt(handed_in)
    assert small.cell(notebook, "double").source == ANSWER
    order = names(notebook)
    assert order.index("double") < order.index("double-units") < order.index("double-zero")


def test_lost_metadata_and_ids_are_recognised_by_text_and_by_function(rebuilt, handed_in, masters):
    handed_in.nbformat_minor = 4
    for cell in handed_in.cells:
        cell.metadata = {}
        del cell["id"]
    notebook, notes = rebuilt(handed_in)
    assert notes == [("repaired.recognised", "double")]
    graded = [cells.name(cell) for cell in notebook.cells if cells.is_grade(cell)]
    assert graded == notebooks.concepts(masters["en"])


def test_a_check_moved_above_the_answer_is_run_after_it(rebuilt, handed_in, masters):
    handed_in.cells.insert(0, handed_in.cells.pop(names(handed_in).index("double-zero")))
    notebook, _ = rebuilt(handed_in)
    assert names(notebook) == names(masters["en"])


def test_an_answer_moved_to_the_end_is_tested_after_it(rebuilt, handed_in):
    handed_in.cells.append(handed_in.cells.pop(names(handed_in).index("double")))
    notebook, notes = rebuilt(handed_in)
    assert notes == []
    tested = [name for name in names(notebook) if name.startswith("double")]
    assert tested[-4:] == ["double", "double-check", "double-units", "double-zero"]


def test_an_answer_turned_into_text_is_code_again(rebuilt, handed_in):
    cell = small.cell(handed_in, "double")
    cell.cell_type = "raw"
    del cell["outputs"], cell["execution_count"]
    notebook, notes = rebuilt(handed_in)
    assert notes == [("repaired.cell_type", "double")]
    assert small.cell(notebook, "double").cell_type == "code"


def test_a_deleted_answer_leaves_an_empty_cell(rebuilt, handed_in):
    handed_in.cells.remove(small.cell(handed_in, "double"))
    notebook, notes = rebuilt(handed_in)
    assert notes == [("repaired.missing", "double")]
    assert small.cell(notebook, "double").source == ""


def test_a_deleted_set_up_cell_comes_back(rebuilt, handed_in, masters):
    handed_in.cells.remove(small.cell(handed_in, "imports"))
    notebook, notes = rebuilt(handed_in)
    assert notes == [("repaired.missing", "imports")]
    assert names(notebook) == names(masters["en"])


def test_cells_that_a_student_added_stay_where_they_stand(rebuilt, handed_in):
    handed_in.cells.insert(4, small.code("helper", "import math"))
    notebook, notes = rebuilt(handed_in)
    assert notes == []
    assert names(notebook)[4:6] == ["helper", "double"]


def test_forged_nbgrader_metadata_gives_no_points(rebuilt, handed_in, masters):
    handed_in.cells.append(small.check("forged", "1", points=100.0))
    small.cell(handed_in, "double-zero").metadata["nbgrader"]["points"] = 50
    notebook, _ = rebuilt(handed_in)
    assert points(notebook) == points(masters["en"])
    assert notebooks.concepts(notebook) == notebooks.concepts(masters["en"])


def test_forged_outputs_are_gone(rebuilt, handed_in):
    small.cell(handed_in, "double-zero").outputs = [{"output_type": "stream", "name": "stdout", "text": "ok"}]
    notebook, _ = rebuilt(handed_in)
    assert not any(cell.get("outputs") for cell in notebook.cells)


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_the_language_is_the_one_that_the_notebook_speaks(rebuilt, handed_in, spoken):
    small.cell(handed_in, "language").source = f"from helpers import text\ntext.speak('{spoken}')"
    notebook, _ = rebuilt(handed_in)
    assert notebooks.language(notebook) == spoken


def test_without_its_language_cell_a_notebook_is_known_by_its_metadata(rebuilt, handed_in):
    handed_in.cells.remove(small.cell(handed_in, "language"))
    notebook, _ = rebuilt(handed_in)
    assert notebooks.language(notebook) == "en"
    assert 'speak("en")' in small.cell(notebook, "language").source


def test_without_either_a_notebook_is_known_by_its_text(rebuilt, handed_in):
    handed_in.cells.remove(small.cell(handed_in, "language"))
    handed_in.metadata = {}
    assert notebooks.language(rebuilt(handed_in)[0]) == "en"
    small.cell(handed_in, "task").source = "?"
    small.cell(handed_in, "title").source = "?"
    small.cell(handed_in, "end").source = "?"
    assert notebooks.language(rebuilt(handed_in)[0]) == "zh"


def test_every_cell_gets_an_id_of_its_own(rebuilt, handed_in):
    for cell in handed_in.cells:
        cell.id = "same"
    notebook, _ = rebuilt(handed_in)
    assert len(set(names(notebook))) == len(notebook.cells)


def test_an_empty_notebook_has_every_check_and_no_answer(rebuilt, masters):
    notebook, notes = rebuilt({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})
    assert notebooks.concepts(notebook) == notebooks.concepts(masters["zh"])
    assert ("repaired.missing", "double") in notes


def test_the_notes_are_said_once_for_each_kind():
    notes = [Note("repaired.deleted", "a"), Note("repaired.deleted", "b")]
    assert in_words(notes, lambda key, cell: f"{key}: {cell}") == ["repaired.deleted: a, b"]


def test_a_submission_without_notes_is_readable(masters):
    data = json.dumps(small.master()).encode()
    assert HandIn.of(data, Assignment.of("", masters, {})).readable
