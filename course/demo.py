"""The demo: the whole way of a lesson, from masters to the class report, in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from course.authoring import release
from course.authoring.sample_class import SampleClass, SampleStudent
from course.grading import grade, grading_run
from course.grading.grading_run import GradingOptions, GradingRun
from course.lesson.folder import CONFIGURATION, CourseFolder
from course.reporting import feedback, marks, report
from course.reporting.marks import Marks
from course.sandbox.sandbox import unavailable
from course.text import Problem, say
from helpers.text import Language, speaking, spoken

MARKER = ".course-demo"


@dataclass(frozen=True)
class Line:
    """One student's points beside those written by hand."""

    student: SampleStudent
    expected: float
    marks: Marks | None

    @property
    def agrees(self) -> bool:
        """True when the student got what the class's author expected."""
        return self.marks is not None and self.marks.points == self.expected


@dataclass(frozen=True)
class _Tour:
    """What one lesson's way through the demo left behind."""

    lines: list[Line]
    pages: list[Path]


def run(course: CourseFolder, destination: Path, lessons: Sequence[str] = ()) -> list[Line]:
    """Go the whole way in `destination`, with the first lesson unless told otherwise; everyone's points.

    Its class is our own, so it is trusted where no sandbox can be made.
    """
    wanted = list(lessons) or (_with_sample(course) or course.lessons())[:1]
    demo = _fresh(course, destination, wanted)
    tours = [_tour(course, demo, lesson) for lesson in wanted]
    print(say("demo.plots"), flush=True)
    pictures = _pictures(demo, wanted)
    lines = [line for tour in tours for line in tour.lines]
    _show(lines)
    _show_paths(demo, [*(page for tour in tours for page in tour.pages), *pictures])
    return lines


def _with_sample(course: CourseFolder) -> list[str]:
    return [lesson for lesson in course.lessons() if SampleClass.of(course, lesson).folder.is_dir()]


def _tour(course: CourseFolder, demo: CourseFolder, lesson: str) -> _Tour:
    """Release, hand in, grade, feedback and reports of one lesson."""
    sample = SampleClass.of(course, lesson)
    print(say("demo.release"), flush=True)
    release.release(demo, [lesson])
    print(say("demo.hand_in", count=len(sample.hand_in(demo, lesson))), flush=True)
    print(say("demo.grade"), flush=True)
    graded = grade.grade(demo, lesson, options=GradingOptions(trusted=unavailable() is not None))
    grading_run.show(graded)
    print(say("demo.feedback"), flush=True)
    feedback.write(demo, lesson)
    lines = _lines(sample, graded)
    reports = [_report(demo, lesson, language) for language in demo.languages]
    return _Tour(lines, [*reports, *(demo.feedback(student, lesson) for student in _worth_a_look(lines))])


def _worth_a_look(lines: list[Line]) -> Iterator[str]:
    """In each language the first student who lost a point by a wrong idea."""
    seen: set[str] = set()
    for line in lines:
        student = line.student
        if student.language not in seen and line.marks and line.marks.ideas:
            seen.add(student.language)
            yield student.id


def _fresh(course: CourseFolder, destination: Path, lessons: list[str]) -> CourseFolder:
    """An empty folder with the lessons' masters; only a folder that a demo made is ever emptied."""
    missing = next((lesson for lesson in lessons if lesson not in _with_sample(course)), None)
    if missing:
        raise Problem("demo.no_sample", path=SampleClass.of(course, missing).folder)
    if destination.exists() and any(destination.iterdir()) and not (destination / MARKER).is_file():
        raise Problem("demo.not_mine", path=destination)
    if destination.exists():
        shutil.rmtree(destination)
    destination.mkdir(parents=True)
    (destination / MARKER).write_text("course demo\n", encoding="utf-8")
    demo = CourseFolder(destination.resolve())
    for lesson in lessons:
        for language in course.languages:
            shutil.copytree(course.master(lesson, language).parent, demo.master(lesson, language).parent)
        file = course.public_file(lesson)
        if file.is_file() and not demo.public_file(lesson).is_file():  # not one of the installed lessons
            demo.public_halves.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, demo.public_halves)
    shutil.copy(course.root / CONFIGURATION, demo.root)
    return demo


def _report(demo: CourseFolder, lesson: str, language: Language) -> Path:
    with speaking(language):
        path = report.place(demo, lesson)
        report.write_html(report.of(demo, lesson), path)
        return path


def _pictures(demo: CourseFolder, lessons: list[str]) -> list[Path]:
    """The batch × context curves of the measurements that the lessons name, in every language."""
    from helpers import plots, recorded, results

    names = [name for lesson in lessons for name in demo.public_half(lesson).pictures]
    measured = {
        name: recorded.report(name) if name in recorded.reports() else results.load(recorded.own(name))
        for name in names
    }
    made = []
    (demo.root / "plots").mkdir(exist_ok=True)
    for language in demo.languages:
        with speaking(language):
            for name, measurement in measured.items():
                path = demo.root / "plots" / f"{name}.{language}.png"
                plots.batch_context(measurement, phase="decode").savefig(path, bbox_inches="tight")
                made.append(path)
    return made


def _lines(sample: SampleClass, graded: GradingRun) -> list[Line]:
    expected = sample.expected()
    found = {found.student: found for found in marks.of_run(graded)}
    return [
        Line(student, expected[student.id]["total"], found.get(student.id)) for student in sample.students()
    ]


def _show(lines: list[Line]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=say("demo.title"))
    for header in ("report.student", "report.language", "demo.story"):
        table.add_column(say(header))
    for header in ("demo.expected", "demo.got"):
        table.add_column(say(header), justify="right")
    table.add_column("")
    for line in lines:
        got = f"{line.marks.points:g}" if line.marks else "-"
        story = line.student.story(spoken())
        mark = "[green]✓[/green]" if line.agrees else "[red]✗[/red]"
        table.add_row(line.student.id, line.student.language, story, f"{line.expected:g}", got, mark)
    Console().print(table)


def _show_paths(demo: CourseFolder, paths: list[Path]) -> None:
    print(say("demo.open"))
    for path in paths:
        print(f"  {path}")
    print(say("demo.formgrader", path=demo.root))
