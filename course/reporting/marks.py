"""Marks: what a graded submission came to, concept by concept, from the gradebook and the graded notebook."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from nbformat import NotebookNode

from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.gradebook import Gradebook
from course.grading.grading_run import GradingRun
from course.grading.student_record import StudentRecord
from course.lesson import cells, notebooks
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.submission.notes import Note
from course.text import Problem, progress, sentence
from helpers.facts import CheckFacts, said, word
from helpers.text import Language

SHOWN_CHARACTERS = 20_000
AT_ONCE = 100  # students, of whom the gradebook is asked together
SOURCE_NAME = re.compile(r"\(<[^<>]*>, (line \d+)\)")


@dataclass(frozen=True)
class ConceptMark:
    """One concept of one student: points, and what the check found when it failed.

    `kept` says that it failed for a wrong idea already paid for, and kept its points; `changed` that a person
    marked it and the answer is another one since.
    """

    concept: str
    exercise: str
    points: float
    max_points: float
    needs_review: bool = False
    facts: CheckFacts | None = None
    comment: str = ""
    kept: bool = False
    changed: bool = False

    @property
    def passed(self) -> bool:
        """True for full points."""
        return self.points >= self.max_points

    @property
    def failed(self) -> bool:
        """True for less than full points that no person has to give yet."""
        return not self.passed and not self.needs_review

    @property
    def idea(self) -> str | None:
        """The wrong idea that the check named."""
        return self.facts.idea if self.facts else None

    def said(self, language: Language, *, with_idea: bool = True) -> str:
        """What the check found, as a sentence under the concept's own heading."""
        if self.facts is None:
            return ""
        facts = self.facts if with_idea else replace(self.facts, idea=None)
        return sentence(facts, language, with_concept=False)


@dataclass(frozen=True)
class GradedAnswer:
    """What a student wrote in one exercise, what it printed, and the error that it ended in; bounded."""

    source: str
    output: str = ""
    error: str = ""


@dataclass(frozen=True)
class Marks:
    """One student's marks in one lesson, and the answers, by exercise: small, since classes are large."""

    student: str
    language: Language
    notes: tuple[Note, ...]
    concepts: tuple[ConceptMark, ...]
    answers: Mapping[str, GradedAnswer]
    late_penalty: float = 0.0
    diagnoses: Mapping[str, Diagnosis] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """The points earned, less what being late costs."""
        return max(0.0, sum(mark.points for mark in self.concepts) - self.late_penalty)

    @property
    def max_points(self) -> float:
        """The points that could be earned."""
        return sum(mark.max_points for mark in self.concepts)

    @property
    def waiting(self) -> tuple[ConceptMark, ...]:
        """What a person still has to look at."""
        return tuple(mark for mark in self.concepts if mark.needs_review)

    @property
    def ideas(self) -> tuple[str, ...]:
        """The wrong ideas that checks named, each once."""
        return tuple(dict.fromkeys(mark.idea for mark in self.concepts if mark.idea))

    @property
    def readable(self) -> bool:
        """False when the file handed in was no notebook."""
        return not any(note.unreadable for note in self.notes)

    def without_answers(self) -> Marks:
        """The same without what the student wrote: most of what a large class would hold in memory."""
        return replace(self, answers={})


def of_lesson(folder: CourseFolder, lesson: str, database: str | None = None) -> list[Marks]:
    """Everyone whose submission was graded, by student id."""
    return list(of_students(folder, lesson, graded(folder, lesson), database))


def graded(folder: CourseFolder, lesson: str) -> list[str]:
    """The ids of everyone whose submission was graded."""
    return folder.graded(lesson)


def of_students(
    folder: CourseFolder, lesson: str, students: Sequence[str], database: str | None = None
) -> Iterator[Marks]:
    """The marks of these, one after the other, under a bar."""
    with Gradebook(database or folder.database, lesson) as book:
        shown = iter(progress.over(students, lesson))
        while some := list(itertools.islice(shown, AT_ONCE)):
            records = book.records(some)
            yield from (of_student(folder, student, lesson, records.get(student)) for student in some)


def of_run(run: GradingRun) -> list[Marks]:
    """The marks of everyone whom this run of the grader found or made graded."""
    return list(of_students(run.folder, run.lesson, run.students, run.database or None))


def of_student(folder: CourseFolder, student: str, lesson: str, recorded: StudentRecord | None) -> Marks:
    """One student's marks from what the gradebook holds; without a row there a Problem."""
    if recorded is None:
        raise Problem("feedback.not_graded", student=student, lesson=lesson)
    notebook = notebooks.graded(folder.autograded(student, lesson))
    exercises = notebooks.exercise_of(notebook)  # of the master that graded, which may not be today's
    failed, diagnoses = _failed(notebook), _diagnoses(notebook)
    kept = {concept for found in diagnoses.values() for concept in found.kept}
    return Marks(
        student=student,
        language=notebooks.language(notebook) or MASTER_LANGUAGE,
        notes=_notes(notebook),
        concepts=tuple(
            _mark(concept, exercise, recorded, failed, concept in kept)
            for concept, exercise in exercises.items()
            if concept in recorded.grades
        ),
        answers={cells.name(cell): _answer(cell) for cell in notebook.cells if cells.is_solution(cell)},
        late_penalty=recorded.late_penalty,
        diagnoses=diagnoses,
    )


def master(folder: CourseFolder, lesson: str, language: Language = MASTER_LANGUAGE) -> NotebookNode:
    """The lesson's master, to be looked at only: read once, however large the class."""
    path = folder.master(lesson, language)
    return _master(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _master(path: Path, changed_ns: int) -> NotebookNode:
    return notebooks.load(path)


def concept_name(concept: str, language: Language) -> str:
    """The concept as a person calls it; its key where nobody has named it."""
    return word(language, "concept", concept)


def idea_name(idea: str, language: Language) -> str:
    """The wrong idea as a person calls it."""
    return word(language, "idea", idea)


def _about(notebook: NotebookNode) -> Mapping:
    return notebook.metadata.get(notebooks.METADATA, {})


def _notes(notebook: NotebookNode) -> tuple[Note, ...]:
    return tuple(Note(note["key"], note["cell"]) for note in _about(notebook).get("notes", []))


def _diagnoses(notebook: NotebookNode) -> dict[str, Diagnosis]:
    """What is behind failed checks, by exercise."""
    return {name: Diagnosis.from_dict(data) for name, data in _about(notebook).get("diagnoses", {}).items()}


def _failed(notebook: NotebookNode) -> dict[str, CheckFacts]:
    """What failed checks found, by cell; of a notebook graded before that was kept, what its cells show."""
    kept = _about(notebook).get("failed")
    if kept is None:
        return dict(_failed_before(notebook))
    found = {name: CheckFacts.from_dict(facts) for name, facts in kept.items()}
    return {name: facts for name, facts in found.items() if facts is not None}


def _failed_before(notebook: NotebookNode) -> Iterator[tuple[str, CheckFacts]]:
    """The sentence of each failed check, if it is ours: another error could hold test code."""
    for cell in notebook.cells:
        shown = cell.outputs if cells.is_code(cell) and cells.is_grade(cell) else []
        for output in (output for output in shown if output.output_type == "error"):
            is_ours = output.ename == "CheckFailed"
            yield (
                cells.name(cell),
                said(output.evalue) if is_ours else CheckFacts("page.not_run", {"error": output.ename}),
            )


def _mark(
    concept: str,
    exercise: str,
    recorded: StudentRecord,
    failed: Mapping[str, CheckFacts],
    kept: bool,
) -> ConceptMark:
    grade = recorded.grades[concept]
    plain = _plain_mark(concept, exercise, grade.points, grade.max_points, grade.needs_review)
    facts, comment = failed.get(concept), recorded.comments.get(exercise, "")
    changed = grade.needs_review and grade.manual_score is not None and exercise in recorded.changed
    if not (facts or comment or kept or changed):
        return plain
    return replace(plain, facts=facts, comment=comment, kept=kept, changed=changed)


@lru_cache(maxsize=4096)
def _plain_mark(
    concept: str, exercise: str, points: float, max_points: float, needs_review: bool
) -> ConceptMark:
    """One object for equal marks that nothing is said of: a large class holds millions of few kinds."""
    return ConceptMark(concept, exercise, points, max_points, needs_review)


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
