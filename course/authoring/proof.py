"""Proof: what a lesson must show before students get it, by the examiner that will grade them.

The reference passes every check, each wrong idea is caught, everything has words in every language,
every text is translated, and the lesson's file declares what its exercises define. A master is trusted: it
runs without a sandbox, in an empty folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from course.authoring import guesses, mentions, mutants, telling, translations
from course.authoring.finding import ReleaseFinding
from course.authoring.translations import TranslationGap
from course.grading.examiner import Examined, examine
from course.lesson import cells, files_beside, names, notebooks
from course.lesson.assignment import Assignment
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.lesson.wrong_ideas import Mutant, WrongIdeas
from course.sandbox.limits import ResourceLimits
from course.sandbox.unsandboxed import Unsandboxed
from course.submission.hand_in import HandIn
from course.text import sentence
from helpers.drawing import drawing
from helpers.lessons import Lesson
from helpers.text import CATALOG, clashes

SKIP_TAGS = {"nbval-skip", "raises-exception", "skip-execution"}
STEPS = 3
SEEDS = ("", "a class", "another class")
LIMITS = ResourceLimits(cell_seconds=120.0, call_seconds=30.0, total_seconds=600.0)


def findings(folder: CourseFolder, lesson: str) -> list[ReleaseFinding | TranslationGap]:
    """Everything that is missing; empty for a lesson that may be given out.

    What is written is looked at first, then the reference is run, then the wrong ideas: where one stage
    fails, the next would only repeat it.
    """
    proof = _Proof(folder, lesson)
    written = [
        *translations.check_lesson(folder, lesson),
        *proof.declarations(),
        *proof.words(),
        *proof.hints(),
        *proof.tags(),
    ]
    if written:
        return written
    with files_beside.at_hand(proof.files):
        return [*proof.reference()] or [*proof.draws(), *proof.wrong_ideas(), *proof.guesses()]


@dataclass(frozen=True)
class _Proof:
    folder: CourseFolder
    lesson: str

    @cached_property
    def path(self) -> Path:
        return self.folder.master(self.lesson)

    @cached_property
    def files(self) -> dict[str, bytes]:
        return files_beside.read(self.path)

    @cached_property
    def master(self) -> NotebookNode:
        return notebooks.load(self.path)

    @cached_property
    def public(self) -> Lesson:
        return self.folder.public_half(self.lesson)

    @cached_property
    def ideas(self) -> WrongIdeas:
        return self.folder.secrets(self.lesson).ideas

    @cached_property
    def mentioned(self) -> dict[str, set[str]]:
        return mentions.of(self.master)

    def declarations(self) -> Iterator[ReleaseFinding]:
        """The lesson's file names each exercise and what its reference defines, and no other."""
        declared = {exercise.cell: exercise.names for exercise in self.public.exercises}
        solutions = {cells.name(cell): cell for cell in self.master.cells if cells.is_solution(cell)}
        for name in {**solutions, **declared}:
            bound = names.bound_in(solutions[name].source) if name in solutions else frozenset()
            if name not in declared:
                yield self._found("undeclared", cell=name)
            elif name not in solutions:
                yield self._found("no_exercise", cell=name)
            elif missing := [one for one in declared[name] if one not in bound]:
                yield self._found("not_defined", cell=name, names=", ".join(missing))

    def words(self) -> Iterator[ReleaseFinding]:
        """Every concept, idea and column that the notebook names has words in each language of the course."""
        with_mutant = {mutant.idea for mutant in self.ideas.mutants}
        wanted = {**self.mentioned, "idea": self.mentioned["idea"] | with_mutant}
        for kind, keys in wanted.items():
            for key in sorted(keys):
                missing = [one for one in self.folder.languages if not self._has_words(kind, key, one)]
                if missing:
                    yield self._found("no_words", kind=kind, key=key, languages=", ".join(missing))
        own = {f"{kind}.{key}" for kind, keys in self.public.words.items() for key in keys}
        yield from (self._found("clash", key=key) for key in clashes() if key in own)

    def hints(self) -> Iterator[ReleaseFinding]:
        """Each exercise has its three hints in each language of the course, and none gives the answer."""
        complete, declared = {}, {exercise.cell for exercise in self.public.exercises}
        solutions = {cells.name(cell) for cell in self.master.cells if cells.is_solution(cell)}
        for cell in sorted(declared & solutions):
            own = self.public.hints.get(cell, {})
            given = own if isinstance(own, Mapping) else {}
            lacking = [one for one in self.folder.languages if not _are_hints(given.get(one))]
            if lacking:
                yield self._found("no_hints", cell=cell, languages=", ".join(lacking))
            else:
                complete[cell] = own
        for exercise in sorted(self.public.hints.keys() - declared - solutions):
            yield self._found("no_exercise", cell=exercise)
        for exercise, language, told in telling.of(self.master, complete):
            yield self._found("hint_tells", cell=exercise, language=language, line=told[:60])

    def tags(self) -> Iterator[ReleaseFinding]:
        """No cell that checks an answer is left out by those who run notebooks to test them."""
        for cell in self.master.cells:
            if cells.is_code(cell) and cells.owner(cell) == "instructor":
                for tag in sorted(SKIP_TAGS.intersection(cell.metadata.get("tags", ()))):
                    yield self._found("skipped", cell=cells.name(cell), tag=tag)

    def reference(self) -> Iterator[ReleaseFinding]:
        """The reference solution passes every visible check and every hidden test."""
        examined = self._examined()
        for verdict in examined.verdicts:
            if verdict.facts:
                where = verdict.facts.at(verdict.cell)
                yield self._found("fails", cell=where, error=sentence(verdict.facts))
        graded = {verdict.cell for verdict in examined.verdicts}
        for cell in (cell for cell in examined.notebook["cells"] if cells.name(cell) not in graded):
            for output in (one for one in cell.get("outputs", ()) if one["output_type"] == "error"):
                error = f"{output['ename']}: {output['evalue']}"
                yield self._found("fails", cell=cells.name(cell), error=error)

    def draws(self) -> Iterator[ReleaseFinding]:
        """The reference passes whatever a class draws."""
        references = mutants.references(self.master)
        for seed in SEEDS[1:]:
            for exercise in {
                mutant.exercise: None for mutant in self.ideas.mutants if mutant.exercise in references
            }:
                with drawing(seed):
                    found = mutants.judge(self.master, exercise, references[exercise])
                for cell, facts in found.items():
                    yield self._found("fails", cell=cell, error=sentence(facts))

    def guesses(self) -> Iterator[ReleaseFinding]:
        """Who only guesses earns nothing."""
        for exercise in self.public.exercises:
            for cell, guess in guesses.earning(self.master, exercise.cell):
                yield self._found(f"guess_{guess}", cell=cell)

    def wrong_ideas(self) -> Iterator[ReleaseFinding]:
        """Each mutant fails a hidden test, and each idea has a mutant or says why not."""
        for mutant in self.ideas.mutants:
            problem = self._problem(mutant)
            if problem is not None:
                yield self._found("survives", cell=mutant.exercise, key=mutant.idea, error=problem)
        shown = {mutant.idea for mutant in self.ideas.mutants} | self.ideas.without_mutant
        for idea in sorted(self.mentioned["idea"] - shown):
            yield self._found("no_mutant", key=idea)

    def _problem(self, mutant: Mutant) -> str | None:
        try:
            is_caught = all(self._is_caught(mutant, seed) for seed in SEEDS)
            return None if is_caught else ""
        except KeyError:
            return "no such exercise"
        except Exception as problem:  # an edit that does not fit, or code that does not run
            return f"{type(problem).__name__}: {problem}"

    def _is_caught(self, mutant: Mutant, seed: str) -> bool:
        with drawing(seed):
            return bool(mutants.caught(mutant, self.master))

    def _examined(self) -> Examined:
        assignment = Assignment.read(self.lesson, {MASTER_LANGUAGE: self.path}, {})
        return examined(self.path.read_bytes(), replace(assignment, files=self.files))

    def _has_words(self, kind: str, key: str, language: str) -> bool:
        own: Mapping[str, str] = self.public.words.get(kind, {}).get(key, {})
        return language in own or f"{kind}.{key}" in CATALOG.general(language)

    def _found(self, kind: str, /, **values: object) -> ReleaseFinding:
        about = {"lesson": self.lesson, "path": self.folder.relative(self.path), **values}
        return ReleaseFinding.of(kind, **about, file=self.folder.public_file(self.lesson).name)


def examined(data: bytes, assignment: Assignment) -> Examined:
    """What the examiner says of a notebook that is trusted: it runs without a sandbox, with time to spare."""
    with Unsandboxed(LIMITS, (), assignment.files) as place:
        return examine(HandIn.of(data, assignment).rebuilt, place)


def _are_hints(given: object) -> bool:
    """A question, the step usually missing, the shape of the line."""
    return (
        isinstance(given, list)
        and len(given) == STEPS
        and all(isinstance(t, str) and t.strip() for t in given)
    )
