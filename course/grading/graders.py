"""Graders: whoever does the pure step, workers here or a cluster, and the reference that they grade first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course.grading import sittings
from course.grading.examiner import Verdict
from course.grading.grading_run import GradingOptions
from course.grading.pool import GradingSettings, Pool, WorkerFailure, workers
from course.grading.secret_folders import refuse_to_show, secret_folders
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.sandbox.sandbox import unavailable
from course.text import Problem, sentence


def hidden_folders(folder: CourseFolder, options: GradingOptions, database: str) -> tuple[Path, ...]:
    """What students' code may not see; a Problem where it would."""
    hidden = secret_folders(folder.root, database, folder.config(MASTER_LANGUAGE))
    if not (options.trusted or options.cluster):
        refuse_to_show(hidden)
    return hidden


def settings(
    folder: CourseFolder, lesson: str, options: GradingOptions, database: str, hidden: tuple[Path, ...]
) -> GradingSettings:
    """How this class's submissions of the lesson are graded."""
    assignment = folder.assignment(lesson).at(sittings.sitting(database, lesson))
    return GradingSettings(
        assignment, options.limits, options.trusted, options.every_cell, folder.follow_through, hidden
    )


def of(settings: GradingSettings, options: GradingOptions, tasks: int) -> Any:
    """Workers here, or a cluster; a context manager."""
    if options.cluster:
        from course.grading.cluster import Cluster

        return Cluster(options.cluster, settings, tasks)
    return Pool(settings, min(options.workers or workers(), tasks))


def failed_by_reference(
    graders: Any, folder: CourseFolder, settings: GradingSettings, options: GradingOptions
) -> list[Verdict]:
    """Grade the reference solution first: nobody may get 0 for a test that it fails itself. Where it fails
    them all, it is the course or this machine that is at fault."""
    lesson = settings.assignment.lesson
    ((_, outcome),) = graders.run([("", folder.master(lesson).read_bytes())])
    if isinstance(outcome, WorkerFailure):
        _need_sandbox(settings, options)
        raise Problem("grade.reference", lesson=lesson, cell="-", error=outcome.reason)
    failed = [verdict for verdict in outcome.verdicts if verdict.facts]
    if failed and all(verdict.facts or verdict.score is None for verdict in outcome.verdicts):
        where, error = failed[0].facts.at(failed[0].cell), sentence(failed[0].facts)
        raise Problem("grade.reference", lesson=lesson, cell=where, error=error)
    return failed


def _need_sandbox(settings: GradingSettings, options: GradingOptions) -> None:
    """Raise Problem where students' code would run here, and could not be shut in."""
    if options.trusted or options.cluster:
        return
    if reason := unavailable(settings.hidden):
        raise Problem("grade.no_sandbox", reason=reason)
