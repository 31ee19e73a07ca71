"""Feedback: one self-contained page for each student, in the language of the student's notebook.

Everything on it is either ours or escaped: what a student wrote or printed is shown as text, never as HTML.
The source of a check never stands on it, and of a failed check only the sentence written for students.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.roster import Roster
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.lesson.wrong_ideas import WrongIdeas
from course.reporting import comments, marks
from course.reporting.marks import ConceptMark, GradedAnswer, Marks
from course.reporting.reasons import Explainer
from course.submission.notes import in_words
from course.text import Problem, say_in
from helpers import writing
from helpers.text import Language

if TYPE_CHECKING:
    from jinja2 import Environment

PAGES = Path(__file__).parent / "pages"


def write(
    folder: CourseFolder, lesson: str, students: Sequence[str] = (), database: str | None = None
) -> list[Path]:
    """Write the page of these students, or of everyone whose submission was graded; returns the pages."""
    graded = on_roster(folder, lesson, database)
    missing = sorted({*students} - {*marks.graded(folder, lesson)})
    if missing or not graded:
        raise Problem("feedback.not_graded", student=", ".join(missing) or "*", lesson=lesson)
    chosen = marks.of_students(folder, lesson, sorted({*students}) or graded, database)
    roster = Roster.read(database or folder.database)
    return [_write(folder, lesson, found, roster.name(found.student)) for found in chosen]


def written(folder: CourseFolder, lesson: str, database: str | None = None) -> dict[str, Path]:
    """The pages that were written, by student."""
    found = {name: folder.feedback(name, lesson) for name in on_roster(folder, lesson, database)}
    return {name: path for name, path in found.items() if path.is_file()}


def on_roster(folder: CourseFolder, lesson: str, database: str | None = None) -> list[str]:
    """Everyone whose submission was graded and who is on the roster, if there is one."""
    graded = marks.graded(folder, lesson)
    outside = Roster.read(database or folder.database).outside(graded)
    if outside and len(outside) == len(graded):
        raise Problem("roster.all_outside", count=len(outside), student=outside[0])
    return [name for name in graded if name not in outside]


def page(folder: CourseFolder, lesson: str, student: str) -> str:
    """One student's page."""
    (found,) = marks.of_students(folder, lesson, [student])
    return render(folder, lesson, found, Roster.read(folder.database).name(student))


def render(folder: CourseFolder, lesson: str, found: Marks, name: str = "") -> str:
    """The page for these marks."""
    say = speaker(found.language)
    master = marks.master(folder, lesson, found.language)
    explainer = Explainer(master, _wrong_ideas(folder, lesson), found.language, say)
    return (
        pages()
        .get_template("feedback.html")
        .render(
            say=say,
            language=found.language,
            style=style(),
            title=notebooks.title(master) or lesson,
            student=f"{found.student} {name}".strip(),
            readable=found.readable,
            points=found.points,
            max_points=found.max_points,
            late_penalty=found.late_penalty,
            notes=in_words(found.notes, say),
            waiting=[marks.concept_name(one.concept, found.language) for one in found.waiting],
            exercises=_exercises(found, explainer) if found.readable else [],
        )
    )


def speaker(language: Language) -> Callable[..., str]:
    """`say` in one language, whatever the command speaks."""
    return partial(say_in, language)


@cache
def pages() -> Environment:
    """The templates, escaping everything."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(PAGES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["markdown"] = comments.html
    environment.filters["signed"] = lambda value: f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
    environment.filters["number"] = lambda value: f"{value:g}"
    return environment


@cache
def style(name: str = "style.css") -> str:
    """A style sheet, the pages' own unless named, to be put into each."""
    return verbatim((PAGES / name).read_text(encoding="utf-8"))


def verbatim(text: str) -> str:
    """Our own text, which a template is not to escape."""
    from markupsafe import Markup

    return Markup(text)


def _write(folder: CourseFolder, lesson: str, found: Marks, name: str) -> Path:
    path = folder.feedback(found.student, lesson)
    writing.replace(path, render(folder, lesson, found, name).encode("utf-8", "replace"), durable=False)
    return path


@lru_cache(maxsize=8)
def _wrong_ideas(folder: CourseFolder, lesson: str) -> WrongIdeas:
    return folder.secrets(lesson).ideas


def _exercises(found: Marks, explainer: Explainer) -> list[dict]:
    return [
        _exercise(exercise, list(concepts), found, explainer)
        for exercise, concepts in groupby(found.concepts, key=lambda mark: mark.exercise)
    ]


def _exercise(exercise: str, concepts: list[ConceptMark], found: Marks, explainer: Explainer) -> dict:
    """What is right comes first, then what kept its points, then what failed."""
    answer = found.answers.get(exercise, GradedAnswer(""))
    diagnosis = found.diagnoses.get(exercise, Diagnosis())
    ordered = sorted(concepts, key=lambda mark: (not mark.passed, mark.kept))
    rows = [_row(mark, diagnosis, explainer) for mark in ordered]
    return {
        "name": exercise,
        "title": marks.concept_name(exercise, found.language),
        "points": sum(mark.points for mark in concepts),
        "max_points": sum(mark.max_points for mark in concepts),
        "said": _said_once(rows),
        "concepts": rows,
        "reasons": explainer.reasons(diagnosis, exercise, answer.source),
        "comment": concepts[0].comment,
        "source": answer.source,
        "output": answer.output,
        "error": answer.error,
    }


def _row(mark: ConceptMark, diagnosis: Diagnosis, explainer: Explainer) -> dict:
    """A check's own values stand here only where a small case does not say more, the idea only elsewhere."""
    say, language = explainer.say, explainer.language
    is_explained = mark.concept in diagnosis.reasons
    said = "" if is_explained and diagnosis.example else mark.said(language, with_idea=not is_explained)
    said = say("page.review") if mark.needs_review else said
    return {
        "name": marks.concept_name(mark.concept, language),
        "kept": mark.kept and mark.passed,
        "passed": mark.passed,
        "waits": mark.needs_review,
        "points": mark.points,
        "max_points": mark.max_points,
        "said": "" if mark.passed else said,
    }


def _said_once(rows: list[dict]) -> str:
    """The one sentence that all failed checks of an exercise say, taken out of its rows; else nothing."""
    sentences = {row["said"] for row in rows if not row["passed"]}
    if len(sentences) != 1 or sum(not row["passed"] for row in rows) < 2:
        return ""
    for row in rows:
        row["said"] = ""
    return sentences.pop()
