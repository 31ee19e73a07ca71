"""ClassReport: what the instructor looks at: points by concept, failure rates, wrong ideas, look-alikes."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.reporting import feedback, marks, similarity
from course.reporting.marks import Marks
from course.reporting.similarity import SharedMeasurement
from course.submission.notes import in_words
from course.text import Problem, say
from helpers import writing
from helpers.text import spoken


@dataclass(frozen=True)
class ConceptRate:
    """One concept in the whole class."""

    name: str
    exercise: str
    students: int
    failed: int

    @property
    def failure_rate(self) -> float:
        """The share of students who did not get full points."""
        return self.failed / self.students if self.students else 0.0


@dataclass(frozen=True)
class IdeaCount:
    """One wrong idea and who had it."""

    name: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class ClassReport:
    """The class on one lesson."""

    lesson: str
    title: str
    marks: tuple[Marks, ...]
    concepts: tuple[ConceptRate, ...]
    ideas: tuple[IdeaCount, ...]
    look_alikes: tuple[tuple[str, ...], ...]
    shared_measurements: tuple[SharedMeasurement, ...]
    follow_through: bool = True

    @property
    def followed(self) -> str:
        """Whether a wrong idea costs once, and how many checks kept their points so."""
        kept = sum(mark.kept for found in self.marks for mark in found.concepts)
        return say("report.followed", count=kept) if self.follow_through else say("report.not_followed")

    @property
    def mean(self) -> float:
        """The mean of the points."""
        return sum(found.points for found in self.marks) / len(self.marks)


def of(folder: CourseFolder, lesson: str, database: str | None = None) -> ClassReport:
    """The report on everyone whose submission was graded."""
    graded = tuple(marks.of_lesson(folder, lesson, database))
    if not graded:
        raise Problem("feedback.not_graded", student="*", lesson=lesson)
    master = marks.master(folder, lesson, spoken())
    return ClassReport(
        lesson=lesson,
        title=notebooks.title(master) or lesson,
        marks=graded,
        concepts=_concepts(graded),
        ideas=_ideas(graded),
        look_alikes=similarity.answers(graded, master),
        shared_measurements=similarity.measurements(folder, lesson, [found.student for found in graded]),
        follow_through=folder.follow_through,
    )


def place(folder: CourseFolder, lesson: str) -> Path:
    """Where the page goes unless told otherwise: a folder of its own, which git ignores."""
    reports = folder.root / "reports"
    reports.mkdir(exist_ok=True)
    (reports / ".gitignore").write_text("*\n", encoding="utf-8")
    return reports / f"{lesson}.{spoken()}.html"


def show(report: ClassReport) -> None:
    """Print the report in the terminal."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    scores = Table(title=say("report.scores", title=report.title))
    for header in ("report.student", "report.language", "report.points", "report.failed_concepts"):
        scores.add_column(say(header), justify="right" if header == "report.points" else "left")
    for found in report.marks:
        failed = [_concept(mark.concept) for mark in found.concepts if not mark.passed]
        points = f"{found.points:g}/{found.max_points:g}"
        scores.add_row(found.student, found.language, points, _few(found, failed))
    console.print(scores)

    rates = Table(title=say("report.rates"))
    for header in ("report.exercise", "report.concept", "report.rate", "report.students"):
        rates.add_column(say(header), justify="right" if header == "report.rate" else "left")
    for concept in sorted(report.concepts, key=lambda concept: -concept.failure_rate):
        rate = f"{concept.failure_rate:.0%}"
        count = f"{concept.failed}/{concept.students}"
        rates.add_row(_concept(concept.exercise), _concept(concept.name), rate, count)
    console.print(rates)

    ideas = Table(title=say("report.ideas"))
    for header in ("report.idea", "report.count", "report.students"):
        ideas.add_column(say(header), justify="right" if header == "report.count" else "left")
    for idea in report.ideas:
        ideas.add_row(_idea(idea.name), str(len(idea.students)), ", ".join(idea.students))
    console.print(ideas)
    console.print(report.followed)
    for group in report.look_alikes:
        console.print(say("report.look_alike", students=", ".join(group)))
    for shared in report.shared_measurements:
        console.print(_shared(shared))
    console.print(
        say("report.mean", mean=report.mean, max=report.marks[0].max_points, count=len(report.marks))
    )


def write_html(report: ClassReport, path: Path) -> None:
    """Write the report as one self-contained page in the language spoken."""
    page = feedback.pages().get_template("report.html")
    text = page.render(
        say=say,
        language=spoken(),
        style=feedback.style(),
        report=report,
        concept=_concept,
        idea=_idea,
        in_words=in_words,
        shared=_shared,
        exercises=_exercises(report),
    )
    writing.replace(path, text.encode("utf-8", "replace"))


def write_csv(report: ClassReport, path: Path) -> None:
    """Write one row a student: points of each concept, the total, the wrong ideas named."""
    names = [concept.name for concept in report.concepts]
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(["student", "language", "points", "max_points", "late_penalty", *names, "ideas", "notes"])
    writer.writerows(_row(found, names) for found in report.marks)
    writing.replace(path, table.getvalue().encode("utf-8-sig", "replace"))


def _row(found: Marks, names: list[str]) -> list[str]:
    points = {mark.concept: f"{mark.points:g}" for mark in found.concepts}
    return [
        _harmless(found.student),
        found.language,
        f"{found.points:g}",
        f"{found.max_points:g}",
        f"{found.late_penalty:g}",
        *(points.get(name, "") for name in names),
        " ".join(sorted(found.ideas)),
        " ".join(note.key for note in found.notes),
    ]


def _concepts(graded: tuple[Marks, ...]) -> tuple[ConceptRate, ...]:
    every = [mark for found in graded for mark in found.concepts]
    exercises = {mark.concept: mark.exercise for mark in every}
    students = Counter(mark.concept for mark in every)
    failed = Counter(mark.concept for mark in every if not mark.passed)
    return tuple(ConceptRate(name, exercises[name], students[name], failed[name]) for name in exercises)


def _ideas(graded: tuple[Marks, ...]) -> tuple[IdeaCount, ...]:
    who: dict[str, list[str]] = {}
    for found in graded:
        for idea in found.ideas:
            who.setdefault(idea, []).append(found.student)
    return tuple(
        IdeaCount(name, tuple(who[name])) for name in sorted(who, key=lambda name: (-len(who[name]), name))
    )


def _shared(shared: SharedMeasurement) -> str:
    own = similarity.COURSE in shared.students
    students = ", ".join(student for student in shared.students if student != similarity.COURSE)
    return say("report.course_measurement" if own else "report.shared", students=students, share=shared.share)


def _exercises(report: ClassReport) -> dict[str, list[ConceptRate]]:
    result: dict[str, list[ConceptRate]] = {}
    for concept in report.concepts:
        result.setdefault(concept.exercise, []).append(concept)
    return result


def _few(found: Marks, failed: list[str]) -> str:
    if not found.readable:
        return say(found.notes[0].key)
    shown = ", ".join(failed[:3])
    return f"{shown} … +{len(failed) - 3}" if len(failed) > 3 else shown


def _concept(name: str) -> str:
    return marks.concept_name(name, spoken())


def _idea(name: str) -> str:
    return marks.idea_name(name, spoken())


def _harmless(text: str) -> str:
    """The text as a spreadsheet shows it, not as it computes it."""
    return f"'{text}" if text[:1] in "=+-@" else text
