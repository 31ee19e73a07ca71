"""nbgrader's own converters, as formgrader's buttons start them, with our steps in them."""

from __future__ import annotations

import codecs
import json

import small
from nbgrader.converters import Autograde

from course.authoring import release
from course.grading import examiner
from course.lesson import notebooks, regions
from course.lesson.nbgrader_log import NbgraderLog
from course.submission.attachments import SCHEMA, attach

RESULT = json.dumps({"schema_version": f"{SCHEMA}v3"})


def handed_in() -> bytes:
    """An English notebook with an answer, a result, no visible check, and Windows' mark before it."""
    notebook = small.answered(
        small.english(small.master()), 'def double(n):\n    return {"double_ms": 2 * n}'
    )
    notebook.cells = [cell for cell in notebook.cells if cell.id != "double-check"]
    for cell in notebook.cells:
        cell.source = regions.without(cell.source, "hidden tests", "marker")
    return codecs.BOM_UTF8 + attach(json.dumps(notebook).encode(), {"mine.json": RESULT})


def test_what_was_learned_from_a_submission_goes_along_to_its_grading(tmp_path, monkeypatch):
    made = small.course(tmp_path / "course")
    release.release(made, [small.LESSON])
    small.hand_in(made, "lin", handed_in())
    examine, seen = examiner.examine, []
    monkeypatch.setattr(
        examiner,
        "examine",
        lambda rebuilt, sandbox, **how: seen.append(rebuilt) or examine(rebuilt, sandbox, **how),
    )
    directory = made.directory(small.LESSON, "zh")
    Autograde(coursedir=directory, config=directory.config, log=NbgraderLog().logger()).start()
    graded = notebooks.load(made.autograded("lin", small.LESSON))
    about = graded.metadata[notebooks.METADATA]
    assert about["language"] == "en"
    assert [(note["key"], note["cell"]) for note in about["notes"]] == [
        ("repaired.encoding", "UTF-8 (BOM)"),
        ("repaired.deleted", "double-check"),
    ]
    assert [dict(rebuilt.results) for rebuilt in seen] == [{"mine.json": RESULT}]
    assert small.cell(graded, "double-zero").source == small.ZERO
