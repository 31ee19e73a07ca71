"""The commands of a term: roster, dates, grades back to the university."""

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


def say_who_is_outside(key: str, folder: CourseFolder, lesson: str, gradebook: str | None) -> None:
    """Say whose work was graded without standing on the roster, if there is one."""
    from course.grading.roster import Roster

    outside = Roster.read(gradebook or folder.database).outside(folder.graded(lesson))
    if outside:
        print(say(key, count=len(outside), names=", ".join(outside)))


COMMANDS = (_roster, _due, _extend, _export)
