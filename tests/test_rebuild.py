"""What a student's editor does to a notebook, and what is graded all the same."""

from __future__ import annotations

import copy
import json

import pytest
import saved_by
from copying import ASSIGNMENT, LESSON, answer, blank, honest
from handout import added, find, index, with_cell

from course.submission.rebuilding import rebuild
from course.submission.rebuilt import Rebuilt
from helpers.names import defined

COPY = "copy_time"


def rebuilt(notebook: dict) -> Rebuilt:
    return rebuild(notebook, ASSIGNMENT)


def keys(found: Rebuilt) -> set[tuple[str, str]]:
    return {(note.key, note.cell) for note in found.notes}


def names(found: Rebuilt) -> list[str]:
    return [piece.name for piece in found.pieces]


def piece(found: Rebuilt, name: str):
    return next(piece for piece in found.pieces if piece.name == name)


def test_an_honest_notebook_is_left_as_it_is() -> None:
    found = rebuilt(honest())
    assert names(found) == [cell.name for cell in ASSIGNMENT.masters["zh"].cells]
    assert not found.notes
    assert piece(found, "copy").source == answer("copy")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("labelled", [True, False])
def test_the_order_and_the_lines_of_an_older_release_change_nothing(language: str, labelled: bool) -> None:
    notebook = json.loads(saved_by.older_release(with_cell(honest(language), "HELP = 3", "copy-use")))
    assert index(notebook, "copy-units") == index(notebook, "copy-check") + 1
    assert find(notebook, "copy-units")["source"] == "# 评分：单位换算 · graded: unit conversion"
    today = with_cell(honest(language), "HELP = 3", "copy-use")
    for content in () if labelled else (notebook, today):
        for number, one in enumerate(content["cells"]):
            one["id"], one["metadata"] = f"x{number}", {}
    found, expected = rebuilt(notebook), rebuilt(today)
    assert [(one.source, one.runs) for one in found.pieces] == [(p.source, p.runs) for p in expected.pieces]
    assert keys(found) == keys(expected)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_language_follows_the_notebook(language: str) -> None:
    assert rebuilt(honest(language)).language == language


def test_the_language_is_found_by_the_text_when_all_else_is_gone() -> None:
    notebook = honest("en")
    notebook["metadata"] = {}
    find(notebook, "language")["source"] = ""
    assert rebuilt(notebook).language == "en"


def test_hidden_tests_come_from_the_master_whatever_the_submission_holds() -> None:
    notebook = honest()
    find(notebook, "copy-units")["source"] = "print('passed')"
    found = rebuilt(notebook)
    assert "BEGIN HIDDEN TESTS" in piece(found, "copy-units").source
    assert "checks.call" not in (piece(found, "copy-units").runs or "")
    assert ("repaired.changed_check", "copy-units") in keys(found)


def test_deleted_checks_come_back() -> None:
    notebook = honest()
    notebook["cells"] = [c for c in notebook["cells"] if c["id"] not in ("copy-units", "copy-check")]
    found = rebuilt(notebook)
    assert names(found) == names(rebuilt(honest()))
    assert ("repaired.deleted", "copy-units") in keys(found)


def test_stripped_metadata_and_ids_cost_nothing() -> None:
    notebook = honest()
    for number, one in enumerate(notebook["cells"]):
        one["id"], one["metadata"] = f"x{number}", {}
    notebook["metadata"] = {}
    found = rebuilt(notebook)
    assert names(found) == names(rebuilt(honest()))
    assert [p.source for p in found.pieces] == [p.source for p in rebuilt(honest()).pieces]


def test_a_copied_test_cell_counts_once() -> None:
    notebook = honest()
    notebook["cells"].append(copy.deepcopy(find(notebook, "copy-units")))
    found = rebuilt(notebook)
    assert names(found).count("copy-units") == 1
    assert ("repaired.copied_check", "copy-units") in keys(found)


def test_an_answer_in_a_copy_of_the_solution_cell_is_found() -> None:
    notebook = honest()
    copied = copy.deepcopy(find(notebook, "copy"))
    find(notebook, "copy")["source"] = find(blank(), "copy")["source"]
    notebook["cells"].append(copied)
    found = rebuilt(notebook)
    assert piece(found, "copy").source == answer("copy")
    assert ("repaired.copied", "copy") in keys(found)


def test_an_answer_in_an_added_cell_below_the_tests_is_found() -> None:
    notebook = honest(copy=find(blank(), "copy")["source"])
    notebook["cells"].append(added(answer("copy")))
    found = rebuilt(notebook)
    assert piece(found, "copy").source == answer("copy")
    assert ("repaired.recognised", "copy") in keys(found)


def test_an_answer_in_a_text_cell_is_found() -> None:
    notebook = honest()
    find(notebook, "copy")["cell_type"] = "markdown"
    found = rebuilt(notebook)
    assert piece(found, "copy").kind == "code"
    assert piece(found, "copy").runs == answer("copy")
    assert ("repaired.cell_type", "copy") in keys(found)


def test_an_answer_in_the_wrong_solution_cell_is_found() -> None:
    notebook = honest(copy=find(blank(), "copy")["source"], walls=answer("walls") + "\n\n\n" + answer("copy"))
    found = rebuilt(notebook)
    assert names(found).index("copy") < names(found).index("copy-units")
    assert f"def {COPY}" in piece(found, "copy").source
    assert "def narrowest" in piece(found, "copy").source


def test_an_answer_in_a_check_cell_is_found() -> None:
    notebook = honest(copy="")
    check = find(notebook, "copy-check")
    check["source"] = answer("copy") + "\n\n" + check["source"]
    found = rebuilt(notebook)
    assert f"def {COPY}" in piece(found, "copy").source
    assert piece(found, "copy-check").source != check["source"]


def test_a_function_that_was_split_is_whole_again() -> None:
    notebook = honest()
    lines = answer("copy").split("\n")
    half = next(number for number, line in enumerate(lines) if line.startswith("    transfer_ms = "))
    first = find(notebook, "copy")
    first["source"] = "\n".join(lines[:half])
    second = {**copy.deepcopy(first), "id": "other", "source": "\n".join(lines[half:])}
    notebook["cells"].insert(index(notebook, "copy") + 1, second)
    found = rebuilt(notebook)
    assert piece(found, "copy").source == answer("copy")
    assert ("repaired.split", "copy") in keys(found)


def test_moved_cells_stand_in_the_masters_order() -> None:
    notebook = honest()
    solution = find(notebook, "copy")
    notebook["cells"].remove(solution)
    notebook["cells"].append(solution)
    notebook["cells"].insert(0, notebook["cells"].pop(index(notebook, "stop-zero")))
    assert names(rebuilt(notebook)) == names(rebuilt(honest()))


def test_added_cells_stay_behind_the_cell_they_followed() -> None:
    notebook = with_cell(
        with_cell(honest(), "import math", "copy"), "def helper():\n    return 1", "stop-text"
    )
    found = names(rebuilt(notebook))
    first, second = (name for name in found if name.startswith("new-"))
    assert found[found.index("copy") - 1] == first
    assert found[found.index("stop-text") - 1] == second


def test_a_helper_before_a_moved_solution_moves_with_it() -> None:
    notebook = honest()
    solution = find(notebook, "stop")
    notebook["cells"].remove(solution)
    notebook["cells"] += [added("def helper():\n    return 1"), solution]
    found = names(rebuilt(notebook))
    helper = next(name for name in found if name.startswith("new-"))
    assert found.index(helper) < found.index("stop")


def test_an_import_added_to_an_instructors_cell_runs() -> None:
    notebook = honest()
    find(notebook, "imports")["source"] += "\nimport math"
    found = rebuilt(notebook)
    assert "import math" in piece(found, "imports").runs


def test_a_helper_written_into_a_check_runs_before_the_original() -> None:
    notebook = honest()
    find(notebook, "copy-check")["source"] += "\nHELP = 3"
    found = rebuilt(notebook)
    position = names(found).index("copy-check")
    assert "HELP = 3" in found.pieces[position - 1].runs
    assert "HELP" not in found.pieces[position].runs


def test_an_emptied_set_up_cell_is_restored() -> None:
    notebook = honest()
    find(notebook, "imports")["source"] = "import math"
    found = rebuilt(notebook)
    assert names(found).index("imports-original") < names(found).index("imports")


def test_a_stub_never_hides_an_answer_that_stands_elsewhere() -> None:
    notebook = with_cell(honest(copy=find(blank(), "copy")["source"]), answer("copy"), "title")
    found = rebuilt(notebook)
    assert [p.name for p in found.pieces if p.runs and f"def {COPY}" in p.runs] == ["copy"]


def test_an_older_answer_left_behind_does_not_win_over_the_one_in_its_place() -> None:
    notebook = with_cell(honest(), "def copy_time(*a):\n    return 0", "copy")
    found = names(rebuilt(notebook))
    assert found[found.index("copy") - 1].startswith("new-")


def test_a_blank_submission_has_every_cell_and_no_answer() -> None:
    found = rebuilt(blank())
    assert all(piece(found, name).untouched for name in ("copy", "walls", "stop", "choice"))


@pytest.mark.parametrize(
    "cells",
    [
        None, "x", 3, {"a": 1}, [None, 3, "x", []], [{}],
        [{"cell_type": 5, "source": {"a": 1}, "metadata": "x", "id": []}],
        [{"cell_type": "code", "source": ["a", 3, None], "metadata": {"nbgrader": {"grade_id": {}}}}],
        [{"cell_type": "code", "source": "\ud800 = 1"}], [{"cell_type": "code"}] * 5000,
    ],
)  # fmt: skip
def test_cells_of_any_shape_are_rebuilt(cells: object) -> None:
    found = rebuilt({"cells": cells})
    assert set(names(rebuilt(blank()))) <= set(names(found))


def test_definitions_are_found_without_parsing() -> None:
    source = "def f(x):\n  broken(\nasync def g(): pass\nclass H:\n  y = 1\nvalue: int = 3\nx == 2\n"
    source += "from a import b as c, d\nimport os.path"
    assert defined(source) == {"f", "g", "H", "value", "c", "d", "os"}


def test_several_names_may_be_bound_at_once() -> None:
    assert defined("a, b = 1, 2\nc , d=e\nf, g == h\n    i, j = 3") == {"a", "b", "c", "d"}


def test_looking_for_definitions_takes_time_in_proportion() -> None:
    import time

    started = time.monotonic()
    for evil in (
        "a" * 200_000,
        "a " * 100_000,
        "import " + "a," * 90_000,
        "a:" + " " * 199_000,
        "def " * 50_000,
        "a," * 100_000,
        "a, " * 66_000 + ":",
        "a" + " " * 199_000,
    ):
        defined(evil)
    assert time.monotonic() - started < 2


def test_the_bundle_names_what_only_a_student_can_fill_in() -> None:
    tests = ASSIGNMENT.masters["zh"].tests
    assert tests["copy-units"].students_names == (COPY,)
    assert tests["choice-files"].students_names == ("choice",)
    assert ASSIGNMENT.lesson == LESSON
