"""The pure step of grading: a submission's bytes and the assignment in, a graded notebook and verdicts out.

It touches no gradebook and no course folder, so it runs on any machine that has this package and a sandbox.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from course.grading.examiner import Verdict, examine
from course.lesson.assignment import Assignment
from course.sandbox.sandbox import Sandbox
from course.sandbox.unsandboxed import Unsandboxed
from course.submission.hand_in import HandIn
from course.submission.notes import Note


@dataclass(frozen=True)
class Assessment:
    """What one submission came to; plain data, small enough to travel."""

    notebook: bytes
    verdicts: tuple[Verdict, ...]
    no_response: frozenset[str]
    notes: tuple[Note, ...]
    language: str
    seconds: float
    isolated: bool
    submission_sha256: str
    limits_met: frozenset[str] = frozenset()  # names of limits that cut something short

    @property
    def points(self) -> float:
        """The points earned; what waits for a person counts nothing yet."""
        return sum(verdict.score or 0.0 for verdict in self.verdicts)

    @property
    def max_points(self) -> float:
        """The points that could be earned."""
        return sum(verdict.max_score for verdict in self.verdicts)

    @property
    def needs_review(self) -> bool:
        """True when a person has to decide something."""
        return any(verdict.score is None for verdict in self.verdicts)


def assess(
    data: bytes,
    assignment: Assignment,
    sandbox: Sandbox | Unsandboxed,
    *,
    every_cell: bool = False,
    follow_through: bool = True,
) -> Assessment:
    """Grade one submission."""
    hand_in = HandIn.of(data, assignment)
    examined = examine(hand_in.rebuilt, sandbox, every_cell=every_cell, follow_through=follow_through)
    return Assessment(
        notebook=_file(examined.notebook),
        verdicts=examined.verdicts,
        no_response=examined.no_response,
        notes=hand_in.notes,
        language=examined.language,
        seconds=examined.seconds,
        isolated=sandbox.isolates,
        submission_sha256=hand_in.digest,
        limits_met=examined.limits_met,
    )


def _file(notebook: dict) -> bytes:
    """The bytes of the notebook file: one line a cell, since indented JSON takes ten times as long to
    write."""
    cells = [{**cell, "source": _lines(cell["source"])} for cell in notebook["cells"]]
    for cell in cells:
        if "outputs" in cell:
            cell["outputs"] = [_stored(output) for output in cell["outputs"]]
    rest = json.dumps({key: value for key, value in notebook.items() if key != "cells"}, ensure_ascii=False)
    lines = ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in cells)
    return f'{{"cells": [\n{lines}\n],\n{rest[1:]}\n'.encode()


def _stored(output: dict) -> dict:
    if output["output_type"] == "stream":
        return {**output, "text": _lines(output["text"])}
    if "data" in output:
        data = {
            kind: _lines(text) if kind.startswith("text/") else text for kind, text in output["data"].items()
        }
        return {**output, "data": data}
    return output


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
