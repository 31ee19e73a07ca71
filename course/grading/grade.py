"""Grade: every submission of a lesson through the examiner, in parallel; the only writer of the gradebook.

A submission is done when its verdicts are in the gradebook, its graded notebook is in `autograded/`, and
beside that a log names what was graded. The log comes last, so a run that was cut off goes on where it
stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from course.grading import graders, hand_in_times, lateness, marked_answers, registration
from course.grading.assessment import Assessment
from course.grading.examiner import Verdict
from course.grading.gradebook import Gradebook, GradeEntry
from course.grading.graded_log import LOG, GradedBy
from course.grading.grading_run import GradingOptions, GradingRun, NotGraded
from course.grading.marked_answers import MarkedAnswers
from course.grading.pool import GradingSettings, Outcome, WorkerFailure
from course.grading.student_record import StudentRecord
from course.grading.writer_lock import only_writer
from course.lesson import files_beside
from course.lesson.assignment import Assignment
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.submission.files import NotRegular, read_regular
from course.submission.notes import Note
from course.text import Problem, progress
from helpers import writing

FLUSH_SECONDS = 0.5


@dataclass(frozen=True)
class Waiting:
    """One submission as it lies in `submitted/`."""

    student: str
    timestamp: datetime | None = None


def grade(
    folder: CourseFolder, lesson: str, students: Sequence[str] = (), options: GradingOptions | None = None
) -> GradingRun:
    """Grade these students' submissions, or everyone's that is new; manual scores stay, the gradebook is
    copied first."""
    options = options or GradingOptions(only=tuple(students))
    if students and not options.only:
        options = GradingOptions(**{**vars(options), "only": tuple(students)})
    database = options.gradebook or folder.database
    hidden = graders.hidden_folders(folder, options, database)
    chosen = _chosen(folder, lesson, options.only)
    with only_writer(folder), Gradebook(database, lesson) as book:
        _sweep(folder, lesson)
        return _grade(folder, lesson, chosen, options, hidden, book)


def _grade(
    folder: CourseFolder,
    lesson: str,
    chosen: list[str],
    options: GradingOptions,
    hidden: tuple[Path, ...],
    book: Gradebook,
) -> GradingRun:
    started = time.monotonic()
    settings = graders.settings(folder, lesson, options, book.url, hidden)
    graded_by = GradedBy.of(folder, lesson, settings)
    session = _GradingSession(folder, lesson, settings, options, book, graded_by)
    interrupted = session.run(chosen)
    places = [folder.autograded(student, lesson).parent for student in session.graded]
    files_beside.copy(folder.master(lesson), places)
    lateness.refresh(folder, lesson, book.url)
    seconds = time.monotonic() - started
    records = book.records({*session.graded, *session.done_before})
    return GradingRun(
        folder=folder,
        lesson=lesson,
        graded=tuple(sorted(session.graded)),
        done_before=tuple(session.done_before),
        refused=tuple(session.refused),
        seconds=seconds,
        trusted=options.trusted,
        database=book.url,
        interrupted=interrupted,
        notes=tuple(sorted(session.notes.items())),
        stopped=tuple(session.stopped),
        records=records,
        max_points=settings.assignment.max_points,
    )


@dataclass
class _GradingSession:
    """One run: what is left to do, and the writing down of what comes back."""

    folder: CourseFolder
    lesson: str
    settings: GradingSettings
    options: GradingOptions
    book: Gradebook
    graded_by: GradedBy
    graded: list[str] = field(default_factory=list)
    done_before: list[str] = field(default_factory=list)
    refused: list[NotGraded] = field(default_factory=list)
    notes: dict[str, tuple[Note, ...]] = field(default_factory=dict)
    stopped: list[Verdict] = field(default_factory=list)
    pending: list[tuple[Waiting, Assessment]] = field(default_factory=list)
    flushed: float = 0.0

    def run(self, chosen: list[str]) -> bool:
        """Grade; True when the user stopped it, with everything that had come back written down."""
        try:
            while not self._is_graded(chosen):
                pass  # with fewer tests each time
        except KeyboardInterrupt:
            return True
        finally:
            self._flush()
        return False

    def _is_graded(self, chosen: list[str]) -> bool:
        """Grade these; False where tests that the reference fails have to be stopped first."""
        with graders.of(self.settings, self.options, len(chosen)) as workers:
            self.book.open()  # while the workers start
            failed = graders.failed_by_reference(workers, self.folder, self.settings, self.options)
            if failed:
                self._stop(failed)
                return False
            registration.open_book(self.folder, self.assignment, self.book)
            works = {work.student: work for work in self._works(chosen)}
            with progress.bar(self.lesson, len(works)) as advance:
                for student, outcome in workers.run(self._read(works)):
                    self._take(works[student], outcome)
                    advance(student)
        return True

    @property
    def assignment(self) -> Assignment:
        return self.settings.assignment

    def _stop(self, failed: list[Verdict]) -> None:
        """Go on without these tests: what they were to grade waits for a person."""
        self.stopped += failed
        assignment = self.assignment.with_stopped({verdict.cell for verdict in failed})
        self.settings = replace(self.settings, assignment=assignment)
        self.graded_by = replace(self.graded_by, settings=self.settings)

    def _works(self, chosen: list[str]) -> Iterator[Waiting]:
        """What has to be graded: everything chosen that is not done, read safely."""
        recorded = self.book.students()
        for student in chosen:
            path = self.folder.submitted(student, self.lesson)
            try:
                data, changed = read_regular(path, self.folder.root)
            except NotRegular as problem:
                self.refused.append(NotGraded(student, str(problem)))
                continue
            if self.options.since is not None and changed < self.options.since:
                continue
            notebook = self.folder.autograded(student, self.lesson)
            is_done = student in recorded and self.graded_by.has_graded(notebook, data)
            if is_done and not self.options.regrade:
                self.done_before.append(student)
                continue
            yield Waiting(student, hand_in_times.received(path.parent, hashlib.sha256(data).hexdigest()))

    def _read(self, works: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The bytes of each submission, read when a worker is free: a class may not fit into memory."""
        for student in works:
            with contextlib.suppress(NotRegular):
                yield student, read_regular(self.folder.submitted(student, self.lesson), self.folder.root)[0]

    def _take(self, work: Waiting, outcome: Outcome) -> None:
        if isinstance(outcome, WorkerFailure):
            self.refused.append(NotGraded(work.student, "failed", outcome.reason))
            return
        self.pending.append((work, outcome))
        if time.monotonic() - self.flushed > FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        """Write down what has come back: gradebook, notebook, log, in this order.

        Every file is on the disk before the gradebook hears of it: where there is no room, nothing changes.
        """
        pending, self.pending = self.pending, []
        self.flushed = time.monotonic()
        if not pending:
            return
        records = self.book.records(work.student for work, _ in pending)
        entries = [self._entry(*one, records.get(one[0].student)) for one in pending]
        with contextlib.ExitStack() as parts:
            written = [file for entry in entries for file in self._written(entry, parts)]
            self.book.write(entries)
            for part, path in written:
                os.replace(part, path)
        self.graded += [entry.student for entry in entries]
        self.notes |= {entry.student: entry.assessment.notes for entry in entries}

    def _entry(self, work: Waiting, assessment: Assessment, record: StudentRecord | None) -> GradeEntry:
        """What is to be written down, and what it means for marks that a person gave."""
        entry = GradeEntry(work.student, assessment, work.timestamp)
        if record is None or all(grade.manual_score is None for grade in record.grades.values()):
            return entry
        before = marked_answers.notebook(self.folder.autograded(work.student, self.lesson))
        exercises = self.assignment.masters[MASTER_LANGUAGE].exercise_of
        found = MarkedAnswers(record, before, assessment, exercises)
        return replace(entry, same=found.same, changed=found.changed)

    def _written(self, entry: GradeEntry, parts: contextlib.ExitStack) -> Iterator[tuple[Path, Path]]:
        """The graded notebook and its log, finished, and where each belongs."""
        path = self.folder.autograded(entry.student, self.lesson)
        log = self.graded_by.log(entry.student, entry.assessment)
        for place, data in ((path, entry.assessment.notebook), (path.with_name(LOG), log)):
            yield parts.enter_context(writing.part(place, data, durable=False)), place


def _chosen(folder: CourseFolder, lesson: str, students: Iterable[str]) -> list[str]:
    submitted = folder.students(lesson)
    if not submitted:
        raise Problem("grade.nothing", path=folder.root / "submitted", lesson=lesson)
    unknown = next((student for student in students if student not in submitted), None)
    if unknown:
        raise Problem("grade.unknown_student", student=unknown, lesson=lesson)
    return sorted(set(students)) or submitted


def _sweep(folder: CourseFolder, lesson: str) -> None:
    """Take away what a run that was cut off had begun to write."""
    for part in (folder.root / "autograded").glob(f"*/{lesson}/.*.part"):
        part.unlink()
