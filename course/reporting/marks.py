"""Marks: what a graded submission came to, concept by concept, from the gradebook and the graded notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from course.lesson import cells, notebooks
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.submission.notes import Note
from course.text import progress
from helpers.text import CATALOG, LANGUAGES, Language

if TYPE_CHECKING:
    from nbgrader.api import Grade, Gradebook

CHECK_FAILED = "CheckFailed"
IDEA = "idea."
SHOWN_CHARACTERS = 20_000
SOURCE_NAME = re.compile(r"\(<[^<>]*>, (line \d+)\)")


@dataclass(frozen=True)
class ConceptMark:
    """One concept of one student: points, and what the check said when it failed."""

    concept: str
    exercise: str
    points: float
    max_points: float
    needs_review: bool = False
    error: str = ""
    sentence: str = ""
    comment: str = ""

    @property
    def passed(self) -> bool:
        """True for full points."""
        return self.points >= self.max_points

    @property
    def ideas(self) -> tuple[str, ...]:
        """The wrong ideas that the check named."""
        return ideas_in(self.sentence)


@dataclass(frozen=True)
class GradedAnswer:
    """What a student wrote in one exercise, what it printed, and the error that it ended in; bounded."""

    source: str
    output: str = ""
    error: str = ""


@dataclass(frozen=True)
class Marks:
    """One student's verdicts on one lesson, and the answers, by exercise: small, since classes are large."""

    student: str
    language: Language
    notes: tuple[Note, ...]
    verdicts: tuple[ConceptMark, ...]
    answers: Mapping[str, GradedAnswer]
    late_penalty: float = 0.0

    @property
    def points(self) -> float:
        """The points earned, less what being late costs."""
        return max(0.0, sum(verdict.points for verdict in self.verdicts) - self.late_penalty)

    @property
    def max_points(self) -> float:
        """The points that could be earned."""
        return sum(verdict.max_points for verdict in self.verdicts)

    @property
    def readable(self) -> bool:
        """False when the file handed in was no notebook."""
        return not any(note.unreadable for note in self.notes)


@contextmanager
def gradebook(folder: CourseFolder, database: str | None = None) -> Iterator[Gradebook]:
    """The course's gradebook, or the one at this database URL, closed again at the end."""
    from nbgrader.api import Gradebook

    directory = folder.directory("", MASTER_LANGUAGE)
    with Gradebook(database or directory.db_url, directory.course_id) as book:
        yield book


def of_lesson(folder: CourseFolder, lesson: str, database: str | None = None) -> list[Marks]:
    """Everyone whose submission was graded, by student id."""
    return list(of_students(folder, lesson, graded(folder, lesson), database))


def graded(folder: CourseFolder, lesson: str) -> list[str]:
    """The ids of everyone whose submission was graded."""
    found = (folder.root / "autograded").glob(f"*/{lesson}/{lesson}.ipynb")
    return sorted(path.parent.parent.name for path in found if path.is_file())


def of_students(
    folder: CourseFolder, lesson: str, students: Sequence[str], database: str | None = None
) -> Iterator[Marks]:
    """The marks of these, one after the other, under a bar."""
    with gradebook(folder, database) as book:
        for student in progress.over(students, lesson):
            yield of_student(folder, lesson, student, book)
            book.db.expunge_all()  # else the session keeps the grades of the whole class


def of_student(folder: CourseFolder, lesson: str, student: str, book: Gradebook) -> Marks:
    """One student's marks."""
    notebook = notebooks.load(folder.autograded(student, lesson))
    language = notebooks.language(notebook) or MASTER_LANGUAGE
    record = book.find_submission_notebook(lesson, lesson, student)
    grades = {grade.name: grade for grade in record.grades}
    comments = {comment.name: comment.manual_comment or "" for comment in record.comments}
    graded = {cells.name(cell): cell for cell in notebook.cells if cells.is_grade(cell)}
    return Marks(
        student=student,
        language=language,
        notes=_notes(notebook),
        verdicts=tuple(
            _verdict(
                concept, exercise, grades[concept], graded.get(concept), comments.get(exercise, ""), language
            )
            for concept, exercise in notebooks.exercise_of(master(folder, lesson)).items()
            if concept in grades
        ),
        answers={cells.name(cell): _answer(cell) for cell in notebook.cells if cells.is_solution(cell)},
        late_penalty=float(record.late_submission_penalty or 0.0),
    )


def master(folder: CourseFolder, lesson: str, language: Language = MASTER_LANGUAGE) -> NotebookNode:
    """The lesson's master, to be looked at only: read once, however large the class."""
    path = folder.master(lesson, language)
    return _master(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _master(path: Path, changed_ns: int) -> NotebookNode:
    return notebooks.load(path)


def concept_name(concept: str, language: Language) -> str:
    """The concept as a person calls it; its key where the catalog has no name for it."""
    key = f"concept.{concept}"
    return CATALOG.phrases[key].in_language(language) if key in CATALOG else concept


def idea_name(idea: str, language: Language) -> str:
    """The wrong idea as a person calls it."""
    return CATALOG.phrases[f"{IDEA}{idea}"].in_language(language)


def ideas_in(sentence: str) -> tuple[str, ...]:
    """The wrong ideas that a check's sentence names, in whichever language it speaks."""
    return tuple(idea for idea, named in _named_ideas().items() if any(name in sentence for name in named))


def _notes(notebook: NotebookNode) -> tuple[Note, ...]:
    recorded = notebook.metadata.get(notebooks.METADATA, {}).get("notes", [])
    return tuple(Note(note["key"], note["cell"]) for note in recorded)


def _verdict(
    concept: str,
    exercise: str,
    grade: Grade,
    cell: NotebookNode | None,
    comment: str,
    language: Language,
) -> ConceptMark:
    error, sentence = _said(cell)
    return ConceptMark(
        concept=concept,
        exercise=exercise,
        points=float(grade.score),
        max_points=float(grade.max_score),
        needs_review=bool(grade.needs_manual_grade),
        error=error,
        sentence=_without_concept(sentence, concept),
        comment=comment,
    )


def _answer(cell: NotebookNode) -> GradedAnswer:
    outputs = cell.outputs if cells.is_code(cell) else []
    printed = "".join(output.text for output in outputs if output.output_type == "stream")
    return GradedAnswer(cell.source[:SHOWN_CHARACTERS], printed[:SHOWN_CHARACTERS], _error(outputs))


def _error(outputs: Iterable[NotebookNode]) -> str:
    """The error that the student's own cell ended in, as Python names it; the empty stub's is none."""
    for output in outputs:
        if output.output_type == "error" and output.ename != "NotImplementedError":
            where = SOURCE_NAME.sub(r"(\1)", output.evalue)
            return f"{output.ename}: {where}"
    return ""


def _said(cell: NotebookNode | None) -> tuple[str, str]:
    """The error that a check ended in, and its sentence if that is ours: others could hold test code."""
    for output in cell.outputs if cell is not None and cells.is_code(cell) else []:
        if output.output_type == "error":
            return output.ename, output.evalue if output.ename == CHECK_FAILED else ""
    return "", ""


def _without_concept(sentence: str, concept: str) -> str:
    for language in LANGUAGES:
        named = CATALOG.phrases["check.in_concept"].in_language(
            language, concept=concept_name(concept, language), message=""
        )
        sentence = sentence.removeprefix(named)
    return sentence.strip()


@cache
def _named_ideas() -> dict[str, tuple[str, ...]]:
    said = CATALOG.phrases["check.idea"]
    return {
        key.removeprefix(IDEA): tuple(
            said.in_language(language, idea=phrase.in_language(language)) for language in LANGUAGES
        )
        for key, phrase in CATALOG.phrases.items()
        if key.startswith(IDEA)
    }
