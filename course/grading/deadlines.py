"""Deadlines: a lesson's date and who has longer, set in nbgrader's own tables; penalties follow."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone, tzinfo

from course.grading import lateness
from course.grading.dates import Dates, shown
from course.grading.roster import Roster, nbgraders_gradebook, require_known
from course.lesson.folder import CourseFolder
from course.text import Problem, say


def set_due(folder: CourseFolder, lesson: str, due: datetime | None, database: str | None = None) -> None:
    """Set the lesson's date, or take it away together with the extensions; penalties follow."""
    with nbgraders_gradebook(folder, database) as book:
        moment = due and due.astimezone(timezone.utc).replace(tzinfo=None)
        assignment = book.update_or_create_assignment(lesson, duedate=moment)
        if moment is None:
            for submission in assignment.submissions:
                submission.extension = None
            book.db.commit()
    lateness.refresh(folder, lesson, database)


def extend(
    folder: CourseFolder,
    lesson: str,
    students: Iterable[str],
    by: timedelta | None = None,
    until: datetime | None = None,
    database: str | None = None,
) -> dict[str, datetime]:
    """Give these students longer, or the common date again; returns their dates. Extensions do not add up."""
    url, students = database or folder.database, list(dict.fromkeys(students))
    dates = Dates.read(url, lesson)
    if dates.due is None:
        raise Problem("dates.no_due", lesson=lesson)
    longer = by if until is None else until.astimezone(timezone.utc) - dates.due
    if longer is None or longer < timedelta():
        raise Problem("dates.earlier", due=shown(dates.due))
    require_known(Roster.read(url), {*folder.students(lesson), *dates.handed_in}, students)
    with nbgraders_gradebook(folder, database) as book:
        for student in students:
            _submission(book, lesson, student).extension = longer or None
        book.db.commit()
    lateness.refresh(folder, lesson, database)
    return dict.fromkeys(students, dates.due + longer)


def in_words(
    folder: CourseFolder, lesson: str, zone: tzinfo | None = None, database: str | None = None
) -> list[str]:
    """When the lesson is due, and who has longer, in sentences that name the zone."""
    url = database or folder.database
    found, roster = Dates.read(url, lesson), Roster.read(url)
    if found.due is None:
        return [say("dates.none", lesson=lesson)]
    longer = [
        say("dates.extended", student=roster.label(name), due=shown(found.due + found.extensions[name], zone))
        for name in sorted(found.extensions)
    ]
    return [
        say("dates.due", lesson=lesson, due=shown(found.due, zone), utc=shown(found.due, timezone.utc)),
        *longer,
    ]


def _submission(book: object, lesson: str, student: str) -> object:
    """The student's row for this lesson; a bare one where nothing was handed in yet."""
    from nbgrader.api import MissingEntry, Student, SubmittedAssignment

    try:
        return book.find_submission(lesson, student)
    except MissingEntry:
        known = book.db.merge(Student(id=student))
        made = SubmittedAssignment(assignment=book.find_assignment(lesson), student=known)
        book.db.add(made)
        return made
