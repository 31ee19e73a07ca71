"""History: what became of one student's work and points in a lesson, a line for each thing, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from course.grading import audit, graded_log
from course.grading.dates import Dates, shown
from course.grading.gradebook import Gradebook
from course.grading.roster import Roster
from course.grading.student_record import StudentRecord
from course.lesson.folder import CourseFolder
from course.reporting import attendance, marks
from course.submission.files import RECEIPT, json_object
from course.text import Problem, say
from helpers.text import spoken


def in_words(folder: CourseFolder, lesson: str, student: str, database: str | None = None) -> Iterator[str]:
    """Versions that came in, when one was graded, marks by hand, regrades, and what the points are now."""
    url = database or folder.database
    with Gradebook(url, lesson) as book:
        record = book.records([student]).get(student) if book.knows_lesson() else None
    receipt = json_object(folder.submitted(student, lesson).with_name(RECEIPT))
    refused = attendance.refused(folder, lesson, student)
    if record is None and not receipt and refused is None:
        raise Problem("history.nothing", student=student, lesson=lesson)
    log = graded_log.read(folder.autograded(student, lesson))
    yield say("history.heading", student=Roster.read(url).label(student), lesson=lesson)
    yield from _hand_ins(receipt, str(log.get("submission_sha256")))
    if refused is not None:
        yield say("history.refused", why=refused.why)
    if log:
        yield say("history.graded", at=log.get("graded_at"))
    for line in audit.read(url, lesson, student):
        yield say(
            "history.regraded",
            at=line.at,
            concept=_concept(line.concept),
            before=line.points_before,
            after=line.points_after,
            by=line.by,
            why=line.why,
        )
    if record is not None:
        yield from _points(record, Dates.read(url, lesson), student)


def _hand_ins(receipt: Mapping, graded: str) -> Iterator[str]:
    versions = receipt.get("versions")
    for version in versions if isinstance(versions, list) else []:
        key = "history.version_graded" if version.get("sha256") == graded else "history.version"
        about = {name: version.get(name, "-") for name in ("version", "time", "file")}
        yield say(key, **about)


def _points(record: StudentRecord, dates: Dates, student: str) -> Iterator[str]:
    for concept, grade in record.grades.items():
        if grade.manual_score is not None:
            yield say(
                "history.by_hand",
                concept=_concept(concept),
                points=grade.points,
                examiner=grade.auto_score or 0.0,
            )
    if (due := dates.due_for(student)) is not None:
        yield say("history.due", due=shown(due), penalty=record.late_penalty)
    most = sum(grade.max_points for grade in record.grades.values())
    yield say("history.points", points=record.points, most=most)


def _concept(name: str) -> str:
    return marks.concept_name(name, spoken())
