"""The dialogue of a regrade: who gains and who loses is listed before anything is written."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator

from course.grading import regrading
from course.grading.grading_run import GradingOptions
from course.grading.regrading import Regraded, Regrading
from course.grading.writer_lock import only_writer
from course.lesson.folder import CourseFolder
from course.text import Problem, few, say
from helpers.facts import word
from helpers.text import spoken


def run(
    folder: CourseFolder,
    lesson: str,
    concept: str,
    options: GradingOptions,
    why: str | None,
    by: str | None,
    *,
    dry_run: bool,
    yes: bool,
) -> int:
    """List what would change, ask unless told `yes`, write; 1 if the answer was no."""
    if not dry_run:
        _require_why(why)
        _require_answer(yes)
    with only_writer(folder):
        found = regrading.work_out(folder, lesson, concept, options)
        for line in in_words(found):
            print(line, flush=True)
        if dry_run:
            print(say("regrade.dry_run"))
            return 0
        if found.changes and not yes and not _agreed():
            print(say("regrade.not_written"))
            return 1
        regrading.write(found, by or _user(), why or "")
        print(say("regrade.written", lesson=lesson, count=len(found.changes)))
    return 0


def in_words(found: Regrading) -> Iterator[str]:
    """Who gains, who loses, whose mark by hand stays, who is left out, and what else would change."""
    name = _concept(found.concept)
    for one in found.left_out:
        key = "regrade.newer" if one.reason == "newer" else f"grade.{one.reason}"
        yield say(key, student=one.student, lesson=found.lesson, detail=one.detail)
    for one in found.changes:
        yield say("regrade.gains" if one.gain > 0 else "regrade.loses", **_values(one))
    for one in found.by_hand:
        yield say("regrade.by_hand_stays", **_values(one), examiner=one.scores[found.concept] or 0.0)
    for concept, students in found.elsewhere.items():
        yield say(
            "regrade.elsewhere",
            concept=_concept(concept),
            count=len(students),
            students=few(students),
            lesson=found.lesson,
        )
    gains = sum(one.gain > 0 for one in found.changes)
    loses = len(found.changes) - gains
    stay = len(found.students) - len(found.changes)
    yield say("regrade.sum", concept=name, gains=gains, loses=loses, stay=stay)


def _values(one: Regraded) -> dict[str, object]:
    return {"student": one.student, "before": one.points_before, "after": one.points_after}


def _concept(name: str) -> str:
    return word(spoken(), "concept", name)


def _require_why(why: str | None) -> None:
    if not (why or "").strip():
        raise Problem("regrade.why")


def _require_answer(yes: bool) -> None:
    """Refuse before the work what could only end in a question that nobody hears."""
    if not yes and not sys.stdin.isatty():
        raise Problem("regrade.nobody_answers")


def _agreed() -> bool:
    try:
        return input(f"{say('regrade.question')} ").strip().casefold() in ("y", "yes", "是", "好")
    except EOFError:
        return False


def _user() -> str:
    """Who is at work here; a container may have no name for its user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "-"
