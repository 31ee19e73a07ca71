"""The commands of a term: roster, dates, a concept graded anew, points for the university, the archive."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from course.arguments import Folder, Lesson, option, print_lines
from course.lesson.folder import CourseFolder
from course.text import Problem, say


def _roster(folder: Folder) -> Callable[..., int]:
    def roster(
        source: Annotated[str, typer.Argument(metavar="FILE")],
        id_column: Annotated[str | None, option("cli.roster.id", "--id", metavar="COLUMN")] = None,
        name_column: Annotated[str | None, option("cli.roster.name", "--name", metavar="COLUMN")] = None,
        sheet: Annotated[str | None, option("cli.sheet", metavar="NAME")] = None,
        drop_others: Annotated[bool, option("cli.roster.drop_others", "--drop-others")] = False,
        gradebook: Annotated[str | None, option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.collecting import roster

        named = {kind: title for kind, title in (("id", id_column), ("name", name_column)) if title}
        change = roster.take(folder(), Path(source), sheet, named, drop_others, gradebook)
        roster.show(change)
        return 1 if change.without_id else 0

    return roster


def _due(folder: Folder) -> Callable[..., int]:
    def due(
        lesson: Lesson,
        date: Annotated[str | None, typer.Argument(metavar="[DATE|none]")] = None,
        zone: Annotated[str | None, option("cli.zone", metavar="ZONE")] = None,
        gradebook: Annotated[str | None, option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.grading import dates, deadlines

        here, where = folder(), dates.zone(zone)
        here.lesson(lesson)
        if date is not None:
            moment = None if dates.is_none(date) else dates.moment(date, where)
            deadlines.set_due(here, lesson, moment, gradebook)
        print_lines(deadlines.in_words(here, lesson, where, gradebook))
        return 0

    return due


def _extend(folder: Folder) -> Callable[..., int]:
    def extend(
        lesson: Lesson,
        students: Annotated[list[str], typer.Argument(metavar="ID...")],
        until: Annotated[str | None, option("cli.extend.until", metavar="DATE")] = None,
        days: Annotated[float | None, option("cli.extend.days", metavar="N", min=0)] = None,
        zone: Annotated[str | None, option("cli.zone", metavar="ZONE")] = None,
        gradebook: Annotated[str | None, option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.grading import dates, deadlines

        here, where = folder(), dates.zone(zone)
        here.lesson(lesson)
        if (until is None) == (days is None):
            raise Problem("dates.until_or_days")
        by = None if days is None else timedelta(days=days)
        moment = None if until is None else dates.moment(until, where)
        deadlines.extend(here, lesson, students, by, moment, gradebook)
        print_lines(deadlines.in_words(here, lesson, where, gradebook))
        return 0

    return extend


def _export(folder: Folder) -> Callable[..., int]:
    def export(
        lesson: Lesson,
        into: Annotated[str, option("cli.export.into", "--into", metavar="SHEET")],
        to: Annotated[str | None, option("cli.export.to", metavar="FILE")] = None,
        in_place: Annotated[bool, option("cli.export.in_place", "--in-place")] = False,
        column: Annotated[str | None, option("cli.export.column", metavar="COLUMN")] = None,
        id_column: Annotated[str | None, option("cli.roster.id", "--id", metavar="COLUMN")] = None,
        sheet: Annotated[str | None, option("cli.sheet", metavar="NAME")] = None,
        out_of: Annotated[float | None, option("cli.export.out_of", metavar="POINTS", min=0.01)] = None,
        missing: Annotated[float | None, option("cli.export.missing", metavar="POINTS", min=0)] = None,
        gradebook: Annotated[str | None, option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.grading import lateness
        from course.reporting import export

        here = folder()
        here.lesson(lesson)
        lateness.refresh(here, lesson, gradebook)
        options = export.ExportOptions(
            Path(to) if to else None, in_place, sheet, id_column, column, out_of, missing
        )
        export.show(export.fill(here, lesson, Path(into), options, gradebook))
        return 0

    return export


def _regrade(folder: Folder) -> Callable[..., int]:
    def regrade(
        lesson: Lesson,
        concept: Annotated[str, option("cli.regrade.concept", "--concept", metavar="CONCEPT")],
        why: Annotated[str | None, option("cli.regrade.why", "--why", metavar="TEXT")] = None,
        dry_run: Annotated[bool, option("cli.regrade.dry_run", "--dry-run")] = False,
        yes: Annotated[bool, option("cli.regrade.yes", "--yes")] = False,
        by: Annotated[str | None, option("cli.regrade.by", "--by", metavar="NAME")] = None,
        workers: Annotated[int | None, option("cli.grade.workers", metavar="N", min=1)] = None,
        gradebook: Annotated[str | None, option("cli.gradebook", metavar="URL")] = None,
        cell_seconds: Annotated[float, option("cli.grade.cell_seconds", min=0.1)] = 20.0,
        call_seconds: Annotated[float, option("cli.grade.call_seconds", min=0.1)] = 5.0,
        trust: Annotated[bool, option("cli.grade.trust", "--trust-submissions")] = False,
    ) -> int:
        from course.grading import regrade_dialogue
        from course.grading.grading_run import GradingOptions
        from course.sandbox.limits import ResourceLimits

        here = folder()
        here.lesson(lesson)
        options = GradingOptions(
            trusted=trust,
            workers=workers,
            gradebook=gradebook,
            limits=ResourceLimits.allowing(cell_seconds, call_seconds),
        )
        return regrade_dialogue.run(here, lesson, concept, options, why, by, dry_run=dry_run, yes=yes)

    return regrade


def _archive(folder: Folder) -> Callable[..., int]:
    def archive(
        lesson: Annotated[str | None, typer.Argument(metavar="[LESSON]")] = None,
        to: Annotated[str | None, option("cli.archive.to", "--to", metavar="FILE")] = None,
        verify: Annotated[str | None, option("cli.archive.verify", "--verify", metavar="FILE")] = None,
        trust: Annotated[bool, option("cli.grade.trust", "--trust-submissions")] = False,
        gradebook: Annotated[str | None, option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.archiving import archive, verification

        if (lesson is None) == (verify is None):
            raise Problem("archive.lesson_or_verify")
        if verify is not None:
            found = verification.verify(Path(verify), trusted=trust)
            verification.show(found)
            return 0 if found.agrees else 1
        here = folder()
        here.lesson(lesson)
        made = archive.write(here, lesson, Path(to) if to else None, gradebook)
        print_lines(archive.in_words(made))
        return 0

    return archive


def feedback_for(folder: Folder, lesson: str, platform: str, like: str | None, gradebook: str | None) -> int:
    """Pack the pages that `course feedback` wrote for a platform; 1 if somebody's place is not known."""
    from course.reporting import feedback, upload

    here = folder()
    pages = feedback.written(here, lesson, gradebook)
    made = upload.pack(here, lesson, pages, platform, Path(like) if like else None, gradebook)
    if made.unknown:
        print(say("upload.unknown", count=len(made.unknown), names=", ".join(made.unknown)))
    print(say("upload.written", count=len(made.packed), path=made.path))
    return 1 if made.unknown else 0


def history_of(folder: CourseFolder, lesson: str, student: str, gradebook: str | None) -> int:
    """Print what became of a student's work and points in a lesson."""
    from course.reporting import history

    print_lines(history.in_words(folder, lesson, student, gradebook))
    return 0


def say_who_is_outside(key: str, folder: CourseFolder, lesson: str, gradebook: str | None) -> None:
    """Say whose work was graded without standing on the roster, if there is one."""
    from course.grading.roster import Roster

    outside = Roster.read(gradebook or folder.database).outside(folder.graded(lesson))
    if outside:
        print(say(key, count=len(outside), names=", ".join(outside)))


COMMANDS = (_roster, _due, _extend, _regrade, _export, _archive)
