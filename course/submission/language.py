"""The language of a submission, and so the master that it is rebuilt around."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from course.lesson.assignment import Assignment, Master
from course.submission.submitted_cells import SubmittedCell
from course.submission.untouched import squeezed

SPEAKS = re.compile(r"^[ \t]*(?:text\.)?speak\(['\"](\w{2})['\"]\)", re.MULTILINE)


def language_of(notebook: Mapping, given: Iterable[SubmittedCell], assignment: Assignment) -> str:
    """What the notebook speaks, else what its metadata says, else whose text it has most of."""
    for cell in given:
        spoken = SPEAKS.search(cell.source) if cell.kind == "code" else None
        if spoken and spoken.group(1) in assignment.masters:
            return spoken.group(1)
    stated = notebook.get("metadata")
    stated = stated.get("iteration_budget") if isinstance(stated, Mapping) else None
    stated = stated.get("language") if isinstance(stated, Mapping) else None
    if isinstance(stated, str) and stated in assignment.masters:
        return stated
    own = {cell.squeezed for cell in given if cell.kind != "code"}
    return max(assignment.masters, key=lambda language: _shared(assignment.masters[language], own))


def _shared(master: Master, own: set[str]) -> int:
    return sum(squeezed(cell.released) in own for cell in master.cells if cell.kind != "code")
