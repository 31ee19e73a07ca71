"""Grade: every submission of a lesson through the examiner, in parallel; the only writer of the gradebook.

A submission is done when its verdicts are in the gradebook, its graded notebook is in `autograded/`, and
beside that a log names the bytes that were graded. The log is written last, so a run that was cut off goes
on where it stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from course.grading import backup
from course.grading.assessment import Assessment
from course.grading.gradebook import Gradebook, GradeEntry
from course.grading.grading_run import GradingOptions, GradingRun, NotGraded
from course.grading.pool import GradingSettings, Outcome, Pool, WorkerFailure, workers
from course.grading.secret_folders import refuse_to_show, secret_folders
from course.lesson.assignment import Assignment
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.sandbox.sandbox import unavailable
from course.submission.files import RECEIPT, NotRegular, json_object, read_regular
from course.submission.notes import Note
from course.text import Problem, progress, sentence
from helpers import writing

LOG = "graded.json"
LOCK = ".grading.lock"
FLUSH_SECONDS = 0.5
VERSION = 3


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
    hidden = secret_folders(folder.root, database, folder.config(MASTER_LANGUAGE))
    _need_sandbox(hidden, options)
    chosen = _chosen(folder, lesson, options.only)
    with _only_writer(folder), Gradebook(database, lesson) as book:
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
    assignment = folder.assignment(lesson)
    settings = GradingSettings(
        assignment, options.limits, options.trusted, options.every_cell, folder.follow_through, hidden
    )
    session = _GradingSession(folder, lesson, settings, options, book)
    interrupted = session.run(chosen)
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
        records=records,
        max_points=assignment.max_points,
    )


@dataclass
class _GradingSession:
    """One run: what is left to do, and the writing down of what comes back."""

    folder: CourseFolder
    lesson: str
    settings: GradingSettings
    options: GradingOptions
    book: Gradebook
    graded: list[str] = field(default_factory=list)
    done_before: list[str] = field(default_factory=list)
    refused: list[NotGraded] = field(default_factory=list)
    notes: dict[str, tuple[Note, ...]] = field(default_factory=dict)
    pending: list[tuple[Waiting, Assessment]] = field(default_factory=list)
    flushed: float = 0.0

    def run(self, chosen: list[str]) -> bool:
        """Grade; True when the user stopped it, with everything that had come back written down."""
        try:
            with _graders(self.settings, self.options, len(chosen)) as graders:
                self._require_reference(graders)
                self._open_book()
                works = {work.student: work for work in self._works(chosen)}
                with progress.bar(self.lesson, len(works)) as advance:
                    for student, outcome in graders.run(self._read(works)):
                        self._take(works[student], outcome)
                        advance(student)
        except KeyboardInterrupt:
            return True
        finally:
            self._flush()
        return False

    @property
    def assignment(self) -> Assignment:
        return self.settings.assignment

    def _require_reference(self, graders: Any) -> None:
        """Grade the reference solution first: where that fails, nobody may get 0 for it."""
        data = self.folder.master(self.lesson).read_bytes()
        for _, outcome in graders.run([("", data)]):
            if isinstance(outcome, WorkerFailure):
                raise Problem("grade.reference", lesson=self.lesson, cell="-", error=outcome.reason)
            failed = next((verdict for verdict in outcome.verdicts if verdict.facts), None)
            if failed:
                error = sentence(failed.facts)
                raise Problem("grade.reference", lesson=self.lesson, cell=failed.cell, error=error)

    def _open_book(self) -> None:
        """Copy the gradebook, and tell it what the lesson holds now if it does not know."""
        backup.copy(self.book.url, self.folder.root)
        if not self.book.holds(_registered_cells(self.assignment)):
            from course.lesson import generating

            generating.register(self.folder, self.lesson, self.book.url)

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
            if not self.options.regrade and student in recorded and self._is_done(student, data):
                self.done_before.append(student)
                continue
            yield Waiting(student, _stamp(path.parent, data))

    def _read(self, works: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The bytes of each submission, read when a worker is free: a class may not fit into memory."""
        for student in works:
            with contextlib.suppress(NotRegular):
                yield student, read_regular(self.folder.submitted(student, self.lesson), self.folder.root)[0]

    def _is_done(self, student: str, data: bytes) -> bool:
        log = json_object(self.folder.autograded(student, self.lesson).with_name(LOG))
        same = (
            log.get("submission_sha256") == hashlib.sha256(data).hexdigest()
            and log.get("assignment") == self.assignment.digest
        )
        same = same and log.get("follow_through") == self.settings.follow_through
        same = same and log.get("version") == VERSION and log.get("every_cell") == self.options.every_cell
        return same and self.folder.autograded(student, self.lesson).is_file()

    def _take(self, work: Waiting, outcome: Outcome) -> None:
        if isinstance(outcome, WorkerFailure):
            self.refused.append(NotGraded(work.student, "failed", outcome.reason))
            return
        self.pending.append((work, outcome))
        if time.monotonic() - self.flushed > FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        """Write down what has come back: gradebook, notebook, log, in this order."""
        pending, self.pending = self.pending, []
        self.flushed = time.monotonic()
        if not pending:
            return
        self.book.write(GradeEntry(work.student, assessment, work.timestamp) for work, assessment in pending)
        self._settle_lateness(work.student for work, _ in pending)
        for work, assessment in pending:
            path = self.folder.autograded(work.student, self.lesson)
            path.parent.mkdir(parents=True, exist_ok=True)
            writing.replace(path, assessment.notebook, durable=False)
            writing.replace(path.with_name(LOG), self._log(work, assessment), durable=False)
            self.graded.append(work.student)
            self.notes[work.student] = assessment.notes

    def _settle_lateness(self, students: Iterable[str]) -> None:
        """Where somebody was late, nbgrader's plug-in says what that costs; else nbgrader stays unloaded."""
        late = self.book.late(students)
        if late:
            from course.grading import lateness

            lateness.settle(self.folder, self.lesson, late, self.book.url)

    def _log(self, work: Waiting, assessment: Assessment) -> bytes:
        log = {
            "student": work.student,
            "lesson": self.lesson,
            "graded_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "seconds": round(assessment.seconds, 3),
            "points": assessment.points,
            "max_points": assessment.max_points,
            "isolated": assessment.isolated,
            "language": assessment.language,
            "notes": [asdict(note) for note in assessment.notes],
            "submission_sha256": assessment.submission_sha256,
            "assignment": self.assignment.digest,
            "every_cell": self.options.every_cell,
            "follow_through": self.settings.follow_through,
            "version": VERSION,
        }
        return (json.dumps(log, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def _stamp(folder: Path, data: bytes) -> datetime | None:
    """When intake took the file in; a time that anybody else wrote there counts for nothing."""
    receipt = json_object(folder / RECEIPT)
    if receipt.get("sha256") != hashlib.sha256(data).hexdigest():
        return None
    with contextlib.suppress(ValueError, TypeError):
        return datetime.strptime(receipt["time"], "%Y-%m-%d %H:%M:%S UTC")
    return None


def _registered_cells(assignment: Assignment) -> dict[str, str]:
    """The cells that nbgrader keeps of a master, with their sources."""
    master = assignment.masters[MASTER_LANGUAGE]
    kept = (cell for cell in master.cells if "nbgrader" in cell.metadata)
    return {cell.name: cell.released if cell.owner == "solution" else cell.source for cell in kept}


def _need_sandbox(hidden: tuple[Path, ...], options: GradingOptions) -> None:
    """Raise Problem where students' code would run here, and could not be shut in or could see the course."""
    if options.trusted or options.cluster:
        return
    refuse_to_show(hidden)
    if reason := unavailable(hidden):
        raise Problem("grade.no_sandbox", reason=reason)


def _chosen(folder: CourseFolder, lesson: str, students: Iterable[str]) -> list[str]:
    submitted = folder.students(lesson)
    if not submitted:
        raise Problem("grade.nothing", path=folder.root / "submitted", lesson=lesson)
    unknown = next((student for student in students if student not in submitted), None)
    if unknown:
        raise Problem("grade.unknown_student", student=unknown, lesson=lesson)
    return sorted(set(students)) or submitted


def _graders(settings: GradingSettings, options: GradingOptions, tasks: int) -> Any:
    """Whoever does the pure step: workers here, or a cluster."""
    if options.cluster:
        from course.grading.cluster import Cluster

        return Cluster(options.cluster, settings)
    return Pool(settings, min(options.workers or workers(), tasks))


@contextlib.contextmanager
def _only_writer(folder: CourseFolder) -> Iterator[None]:
    """Hold the folder's lock: a second run at the same time is refused. The system lets go of it in any
    case."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder.root / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Problem("grade.running", path=folder.root) from None
        yield
