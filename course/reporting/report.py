"""ClassReport: what the instructor looks at: points by concept, failure rates, wrong ideas, look-alikes."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from course.grading.gradebook import Gradebook
from course.grading.roster import Roster
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.reporting import attendance, before_after, feedback, groups, idea_count, items, marks, similarity
from course.reporting.attendance import Attendance
from course.reporting.before_after import BeforeAfter
from course.reporting.idea_count import IdeaCount
from course.reporting.items import ItemAnalysis
from course.reporting.marks import Marks
from course.reporting.similarity import AlikeAnswers, SharedMeasurement
from course.submission.notes import in_words
from course.text import Problem, few, say
from helpers import writing
from helpers.text import spoken

if TYPE_CHECKING:
    from rich.table import Table


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
class ClassReport:
    """The class on one lesson."""

    lesson: str
    title: str
    marks: tuple[Marks, ...]
    concepts: tuple[ConceptRate, ...]
    ideas: tuple[IdeaCount, ...]
    look_alikes: tuple[AlikeAnswers, ...]
    shared_measurements: tuple[SharedMeasurement, ...]
    attendance: Attendance = field(default_factory=lambda: Attendance(Roster()))
    follow_through: bool = True
    items: ItemAnalysis = field(default_factory=lambda: ItemAnalysis(0))
    pages: Mapping[str, Path] = field(default_factory=dict)
    guesses: tuple[BeforeAfter, ...] = ()

    def label(self, student: str) -> str:
        """The student's id and name."""
        return self.attendance.roster.label(student)

    @property
    def waiting(self) -> dict[str, list[str]]:
        """Everyone who waits for a person, by the concept that has to be looked at."""
        found: dict[str, list[str]] = {}
        for one in self.marks:
            for mark in one.waiting:
                found.setdefault(mark.concept, []).append(one.student)
        return found

    @property
    def changed(self) -> dict[str, list[str]]:
        """Everyone who has changed an answer since a person marked it, by concept."""
        found: dict[str, list[str]] = {}
        for one in self.marks:
            for mark in one.concepts:
                if mark.changed:
                    found.setdefault(mark.concept, []).append(one.student)
        return found

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
    if not marks.graded(folder, lesson):
        raise Problem("feedback.not_graded", student="*", lesson=lesson)
    graded, alike = _compared(folder, lesson, database)
    master = marks.master(folder, lesson, spoken())
    students = [found.student for found in graded]
    together = groups.of(folder, lesson, students)
    shared = similarity.measurements(folder, lesson, students)
    return ClassReport(
        lesson=lesson,
        title=notebooks.title(master) or lesson,
        marks=graded,
        concepts=_concepts(graded),
        ideas=idea_count.of(graded),
        items=items.of(graded),
        pages=feedback.written(folder, lesson, database),
        look_alikes=tuple(one for one in alike if not groups.are_one(one.students, together)),
        shared_measurements=tuple(one for one in shared if not groups.are_one(one.students, together)),
        attendance=attendance.of(folder, lesson, marks.graded(folder, lesson), database),
        follow_through=folder.follow_through,
        guesses=before_after.of(folder, lesson, students),
    )


def _compared(
    folder: CourseFolder, lesson: str, database: str | None
) -> tuple[tuple[Marks, ...], tuple[AlikeAnswers, ...]]:
    """Everyone's marks, and the answers that are alike: looked at as they are read, and not kept."""
    kept: list[Marks] = []

    def read() -> Iterator[Marks]:
        for found in marks.of_students(
            folder, lesson, feedback.on_roster(folder, lesson, database), database
        ):
            kept.append(found.without_answers())
            yield found

    def again(student: str) -> Marks:
        with Gradebook(database or folder.database, lesson) as book:
            return marks.of_student(folder, student, lesson, book.records([student]).get(student))

    master = marks.master(folder, lesson, spoken())
    look_alikes = similarity.answers(read(), master, _released(folder, lesson, master), again)
    return tuple(kept), look_alikes


def place(folder: CourseFolder, lesson: str) -> Path:
    """Where the page goes unless told otherwise: a folder of its own, which git ignores."""
    reports = folder.root / "reports"
    writing.write_if_changed(reports / ".gitignore", b"*\n")
    return reports / f"{lesson}.{spoken()}.html"


def show(report: ClassReport) -> None:
    """Print the report in the terminal."""
    from rich.console import Console

    console = Console()
    for table in (_scores(report), _rates(report), _idea_counts(report)):
        console.print(table)
    console.print(report.followed)
    for line in _items(report):
        console.print(line, markup=False)
    for concept, students in report.waiting.items():
        name, shown = _concept(concept), few(students)
        console.print(say("grade.waiting", concept=name, count=len(students), students=shown), markup=False)
    for line in _changed(report):
        console.print(line, markup=False)
    for group in report.look_alikes:
        console.print(_alike(group), markup=False)
    for shared in report.shared_measurements:
        console.print(_shared(shared))
    for heading, people in attendance.lines(report.attendance):
        console.print(heading, ", ".join(people), markup=False)
    console.print(
        say("report.mean", mean=report.mean, max=report.marks[0].max_points, count=len(report.marks))
    )


def _scores(report: ClassReport) -> Table:
    from rich.markup import escape

    names = ("report.student", "report.language", "report.points", "report.failed_concepts")
    table = _table("report.scores", names, right="report.points", title=report.title)
    for found in report.marks:
        failed = [_concept(mark.concept) for mark in found.concepts if mark.failed]
        points = f"{found.points:g}/{found.max_points:g}"
        table.add_row(escape(report.label(found.student)), found.language, points, _few(found, failed))
    return table


def _rates(report: ClassReport) -> Table:
    names = ("report.exercise", "report.concept", "report.rate", "report.students")
    table = _table("report.rates", names, right="report.rate")
    for concept in sorted(report.concepts, key=lambda concept: -concept.failure_rate):
        rate, count = f"{concept.failure_rate:.0%}", f"{concept.failed}/{concept.students}"
        table.add_row(_concept(concept.exercise), _concept(concept.name), rate, count)
    return table


def _idea_counts(report: ClassReport) -> Table:
    table = _table("report.ideas", ("report.idea", "report.count", "report.students"), right="report.count")
    for idea in report.ideas:
        table.add_row(_idea(idea.name), str(len(idea.students)), ", ".join(idea.students))
    return table


def _items(report: ClassReport) -> list[str]:
    """How far the points tell students apart, and the checks to look at."""
    pointed = [
        say(f"items.{item.verdict}", concept=_concept(item.concept)) for item in report.items.pointed_at
    ]
    return [*_reliability(report.items), *pointed]


def _reliability(found: ItemAnalysis) -> list[str]:
    if found.students < items.SMALLEST_CLASS:
        return [say("items.too_small", students=found.students, least=items.SMALLEST_CLASS)]
    if not found.items:
        return [say("items.none")]
    if found.reliability is None or found.error_points is None:
        return [say("items.all_alike")]
    value = found.reliability
    name = say("items.kr20" if found.is_kr20 else "items.alpha")
    size = "high" if value.value >= 0.8 else "middle" if value.value >= 0.6 else "low"
    return [
        say("items.reliability", name=name, value=value.value, low=value.low, high=value.high),
        say(f"items.reliability_{size}"),
        say("items.error", points=found.error_points),
    ]


def _table(heading: str, columns: Sequence[str], right: str, **words: object) -> Table:
    from rich.table import Table

    table = Table(title=say(heading, **words))
    for column in columns:
        table.add_column(say(column), justify="right" if column == right else "left")
    return table


def write_html(report: ClassReport, path: Path) -> None:
    """Write the report as one self-contained page in the language spoken."""
    page = feedback.pages().get_template("report.html")
    text = page.render(
        say=say,
        language=spoken(),
        style=feedback.style(),
        print_style=feedback.style("print.css"),
        report=report,
        path=path,
        reliability=_reliability(report.items),
        concept=_concept,
        idea=_idea,
        in_words=in_words,
        shared=_shared,
        alike=_alike,
        changed=_changed(report),
        exercises=_exercises(report),
        attendance=attendance.lines(report.attendance),
    )
    writing.replace(path, text.encode("utf-8", "replace"))


def write_csv(report: ClassReport, path: Path) -> None:
    """Write one row a student: points of each concept, the total, the wrong ideas named."""
    names = [concept.name for concept in report.concepts]
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(
        ["student", "name", "language", "points", "max_points", "late_penalty", *names, "ideas", "notes"]
    )
    writer.writerows(
        _row(found, report.attendance.roster.name(found.student), names) for found in report.marks
    )
    writing.replace(path, table.getvalue().encode("utf-8-sig", "replace"))


def _row(found: Marks, name: str, names: list[str]) -> list[str]:
    points = {mark.concept: f"{mark.points:g}" for mark in found.concepts}
    return [
        _harmless(found.student),
        _harmless(name),
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
    failed = Counter(mark.concept for mark in every if mark.failed)
    return tuple(ConceptRate(name, exercises[name], students[name], failed[name]) for name in exercises)


def _released(folder: CourseFolder, lesson: str, master: NotebookNode) -> NotebookNode:
    """What students were given; of a lesson that is not released, what its master shows."""
    path = folder.released(lesson, spoken())
    return notebooks.load(path) if path.is_file() else master


def _alike(group: AlikeAnswers) -> str:
    return say("report.look_alike", students=", ".join(group.students), share=group.share)


def _changed(report: ClassReport) -> list[str]:
    """What was marked by hand and is another answer now."""
    return [
        say("report.changed", concept=_concept(name), count=len(students), students=", ".join(students))
        for name, students in report.changed.items()
    ]


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
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
