"""Regrading: one concept graded anew for everybody, after its test was mended; nothing else is touched.

Everyone is graded in memory first, so what would change can be looked at before anything is written. What is
graded are the very bytes that were graded before. Where nothing but the concept differs, the graded notebook
and its log are the new ones, and a plain `course grade` finds the work done; where other concepts differ
too, those stay as they are until that command grades the student anew.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path

from course.grading import audit, graded_log, graders, lateness, marked_answers, registration
from course.grading.assessment import Assessment
from course.grading.audit import AuditLine
from course.grading.gradebook import Gradebook
from course.grading.graded_log import LOG, GradedBy
from course.grading.grading_run import GradingOptions, NotGraded
from course.grading.pool import GradingSettings, Outcome, WorkerFailure
from course.grading.student_record import CellGrade, StudentRecord
from course.lesson import cells
from course.lesson.assignment import Assignment
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.lesson.notebooks import METADATA
from course.submission.files import NotRegular, read_regular
from course.text import Problem, progress, sentence
from helpers import writing
from helpers.facts import word
from helpers.text import spoken


@dataclass(frozen=True)
class Regraded:
    """One student: what the concept came to, and what it comes to now."""

    student: str
    concept: str
    record: StudentRecord
    assessment: Assessment

    @property
    def grade(self) -> CellGrade:
        """The concept in the gradebook."""
        return self.record.grades[self.concept]

    @cached_property
    def scores(self) -> dict[str, float | None]:
        """What the examiner says of each cell now."""
        return {verdict.cell: verdict.score for verdict in self.assessment.verdicts}

    @property
    def is_other(self) -> bool:
        """True when the examiner's score of the concept is another one now."""
        return self.scores[self.concept] != self.grade.auto_score

    @property
    def points_before(self) -> float:
        return self.grade.points

    @property
    def points_after(self) -> float:
        """The points that count: a mark by hand stays."""
        return self.grade.with_auto(self.scores[self.concept])

    @property
    def gain(self) -> float:
        """How many points more; negative where some are lost."""
        return self.points_after - self.points_before

    @property
    def elsewhere(self) -> list[str]:
        """Other concepts that would come to another score than the gradebook holds."""
        known = self.record.grades
        others = (name for name in self.scores if name != self.concept and name in known)
        return [name for name in others if self.scores[name] != known[name].auto_score]


@dataclass(frozen=True)
class Regrading:
    """What regrading a concept comes to; nothing is written yet."""

    folder: CourseFolder
    lesson: str
    concept: str
    database: str
    settings: GradingSettings
    students: tuple[Regraded, ...]
    left_out: tuple[NotGraded, ...]

    @property
    def changes(self) -> list[Regraded]:
        """Everyone who gains or loses, those who lose first."""
        return sorted((one for one in self.students if one.gain), key=lambda one: (one.gain, one.student))

    @property
    def by_hand(self) -> list[Regraded]:
        """Everyone whose mark was given by hand and stays, although the examiner says something else now."""
        return [one for one in self.students if one.is_other and one.grade.manual_score is not None]

    @property
    def elsewhere(self) -> dict[str, list[str]]:
        """By other concepts, whose score there would change too, and does not here."""
        found: dict[str, list[str]] = {}
        for one in self.students:
            for concept in one.elsewhere:
                found.setdefault(concept, []).append(one.student)
        return found


def work_out(folder: CourseFolder, lesson: str, concept: str, options: GradingOptions) -> Regrading:
    """Grade everybody's graded submission in memory, and see what the concept comes to."""
    database = options.gradebook or folder.database
    hidden = graders.hidden_folders(folder, options, database)
    with Gradebook(database, lesson) as book:
        if not book.knows_lesson() or not folder.graded(lesson):
            raise Problem("feedback.not_graded", student="*", lesson=lesson)
        settings = graders.settings(folder, lesson, options, database, hidden)
        _require_concept(settings.assignment, concept, book)
        records = book.records(folder.graded(lesson))
    works, left_out = _works(folder, lesson, concept, records)
    settings, outcomes = _graded(folder, settings, options, concept, works)
    failed = {who: found for who, found in outcomes.items() if isinstance(found, WorkerFailure)}
    left_out += [NotGraded(who, "failed", found.reason) for who, found in failed.items()]
    students = (Regraded(who, concept, records[who], outcomes[who]) for who in works if who not in failed)
    return Regrading(folder, lesson, concept, database, settings, tuple(students), tuple(left_out))


def write(found: Regrading, by: str, why: str) -> None:
    """Write the concept's scores with a line of audit for everybody whose points change, then the graded
    notebooks and their logs; the gradebook is copied first, penalties for being late follow."""
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    lines = [
        AuditLine(now, by, found.lesson, found.concept, one.student, one.points_before, one.points_after, why)
        for one in found.changes
    ]
    scores = {one.student: one.scores[found.concept] for one in found.students if one.is_other}
    with contextlib.ExitStack() as parts, Gradebook(found.database, found.lesson) as book:
        registration.open_book(found.folder, found.settings.assignment, book)
        written = [
            (parts.enter_context(writing.part(path, data, durable=False)), path)
            for path, data in _files(found)
        ]
        if scores:
            book.set_scores(found.concept, scores, lambda connection: audit.write(connection, lines))
        for part, path in written:
            os.replace(part, path)
    lateness.refresh(found.folder, found.lesson, found.database)


def _require_concept(assignment: Assignment, concept: str, book: Gradebook) -> None:
    """Raise Problem unless this is a graded cell that the examiner scores and that the gradebook knows."""
    master = assignment.masters[MASTER_LANGUAGE]
    graded = [cell.name for cell in master.cells if cell.graded]
    if concept not in graded:
        known = ", ".join(f"{name} ({word(spoken(), 'concept', name)})" for name in graded)
        raise Problem("regrade.unknown", concept=concept, known=known)
    if concept not in master.tests:
        raise Problem("regrade.by_hand", concept=concept)
    registration.require_same_cells(assignment, book)


def _works(
    folder: CourseFolder, lesson: str, concept: str, records: Mapping[str, StudentRecord]
) -> tuple[dict[str, bytes], list[NotGraded]]:
    """The bytes that were graded, by student, and who is left out since they are no longer there."""
    works: dict[str, bytes] = {}
    left_out = []
    for student in sorted(records):
        try:
            data, _ = read_regular(folder.submitted(student, lesson), folder.root)
        except NotRegular as problem:
            left_out.append(NotGraded(student, str(problem)))
            continue
        is_graded = concept in records[student].grades
        if is_graded and graded_log.came_of(folder.autograded(student, lesson), data):
            works[student] = data
        else:
            left_out.append(NotGraded(student, "newer"))
    return works, left_out


def _graded(
    folder: CourseFolder,
    settings: GradingSettings,
    options: GradingOptions,
    concept: str,
    works: Mapping[str, bytes],
) -> tuple[GradingSettings, dict[str, Outcome]]:
    """What each work comes to; other tests that the reference fails are stopped, as `course grade` does."""
    with graders.of(settings, options, max(1, len(works))) as workers:
        failed = graders.failed_by_reference(workers, folder, settings, options)
        if not failed:
            outcomes: dict[str, Outcome] = {}
            with progress.bar(settings.assignment.lesson, len(works)) as advance:
                for student, outcome in workers.run(works.items()):
                    outcomes[student] = outcome
                    advance(student)
            return settings, outcomes
    for verdict in failed:
        if verdict.cell == concept:
            raise Problem("regrade.reference", concept=concept, error=sentence(verdict.facts))
    stopped = settings.assignment.with_stopped({verdict.cell for verdict in failed})
    return _graded(folder, replace(settings, assignment=stopped), options, concept, works)


def _files(found: Regrading) -> Iterator[tuple[Path, bytes]]:
    """Everyone's graded notebook and, where nothing else differs, its log: where each belongs, and what is
    in it."""
    graded_by = GradedBy.of(found.folder, found.lesson, found.settings)
    for one in found.students:
        path = found.folder.autograded(one.student, found.lesson)
        if one.elsewhere:
            yield path, _with_concept(marked_answers.notebook(path), one)
        else:
            yield path, one.assessment.notebook
            yield path.with_name(LOG), graded_by.log(one.student, one.assessment)


def _with_concept(before: Mapping, one: Regraded) -> bytes:
    """The graded notebook as it was, with what the concept's test found now."""
    now = json.loads(one.assessment.notebook)
    own = {cells.name(cell): cell for cell in now["cells"]}
    about, found = dict(before["metadata"].get(METADATA, {})), now["metadata"].get(METADATA, {})
    failed = {name: facts for name, facts in about.get("failed", {}).items() if name != one.concept}
    failed |= {name: facts for name, facts in found.get("failed", {}).items() if name == one.concept}
    content = [own[one.concept] if cells.name(cell) == one.concept else cell for cell in before["cells"]]
    metadata = {**before["metadata"], METADATA: {**about, "failed": failed}}
    return json.dumps({**before, "cells": content, "metadata": metadata}, ensure_ascii=False).encode()
