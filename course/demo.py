"""The demo: the whole way of a lesson, from masters to the class report, in a folder of its own."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from course.authoring import release
from course.authoring.sample_class import SampleClass, SampleStudent
from course.grading import grade
from course.lesson.folder import CONFIGURATION, CourseFolder
from course.reporting import feedback, marks, report
from course.reporting.marks import Marks
from course.sandbox.sandbox import unavailable
from course.text import Problem, say
from helpers.text import LANGUAGES, speak, spoken

LESSON = "iteration-budget"
MARKER = ".course-demo"
COMPOSED = ("qwen3-0.6b-h200-composed",)
MEASURED = ("smollm2-135m-cpu",)


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


def run(course: CourseFolder, destination: Path) -> list[Line]:
    """Go the whole way in `destination`; returns everyone's points beside those written by hand.

    Its class is our own, so it is trusted where no sandbox can be made.
    """
    demo = _fresh(course, destination)
    sample = SampleClass.of(course, LESSON)
    print(say("demo.release"), flush=True)
    release.release(demo, [LESSON])
    print(say("demo.hand_in", count=len(sample.hand_in(demo, LESSON))), flush=True)
    print(say("demo.grade"), flush=True)
    graded = grade.grade(demo, LESSON, options=grade.Options(trusted=unavailable() is not None))
    grade.show(graded)
    print(say("demo.feedback"), flush=True)
    feedback.write(demo, LESSON)
    pages = [_report(demo, language) for language in LANGUAGES]
    print(say("demo.plots"), flush=True)
    pictures = _pictures(demo)
    lines = _lines(sample, graded)
    _show(lines)
    _show_paths(demo, pages, pictures)
    return lines


def _fresh(course: CourseFolder, destination: Path) -> CourseFolder:
    """An empty folder with the course's masters; only a folder that a demo made is ever emptied."""
    sample = SampleClass.of(course, LESSON)
    if not sample.folder.is_dir():
        raise Problem("demo.no_sample", path=sample.folder)
    if destination.exists() and any(destination.iterdir()) and not (destination / MARKER).is_file():
        raise Problem("demo.not_mine", path=destination)
    if destination.exists():
        shutil.rmtree(destination)
    destination.mkdir(parents=True)
    (destination / MARKER).write_text("course demo\n", encoding="utf-8")
    demo = CourseFolder(destination.resolve())
    for language in LANGUAGES:
        shutil.copytree(course.master(LESSON, language).parent, demo.master(LESSON, language).parent)
    shutil.copy(course.root / CONFIGURATION, demo.root)
    return demo


def _report(demo: CourseFolder, language: str) -> Path:
    before = spoken()
    speak(language)
    try:
        path = report.place(demo, LESSON)
        report.write_html(report.of(demo, LESSON), path)
        return path
    finally:
        speak(before)


def _pictures(demo: CourseFolder) -> list[Path]:
    """The batch × context curves of the recorded measurements, in every language."""
    from helpers import plots, recorded, results

    reports = {name: recorded.report(name) for name in COMPOSED}
    reports |= {name: results.load(recorded.own(name)) for name in MEASURED}
    before, made = spoken(), []
    (demo.root / "plots").mkdir(exist_ok=True)
    for language in LANGUAGES:
        speak(language)
        for name, measurement in reports.items():
            path = demo.root / "plots" / f"{name}.{language}.png"
            plots.batch_context(measurement, phase="decode").savefig(path, bbox_inches="tight")
            made.append(path)
    speak(before)
    return made


def _lines(sample: SampleClass, graded: grade.GradingRun) -> list[Line]:
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


def _show_paths(demo: CourseFolder, pages: list[Path], pictures: list[Path]) -> None:
    print(say("demo.open"))
    for path in (*pages, *pictures, demo.feedback("s04-jonas", LESSON), demo.feedback("s09-liu", LESSON)):
        print(f"  {path}")
    print(say("demo.formgrader", path=demo.root))
