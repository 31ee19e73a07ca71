"""Reasons: what a page says of the wrong ideas behind an exercise: each once, what to read, a small case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from course.grading.diagnosis.diagnosis import Diagnosis
from course.lesson import notebooks
from course.lesson.wrong_ideas import WrongIdeas
from course.reporting.marks import concept_name, idea_name
from course.text import sentence
from helpers.text import Language

Say = Callable[..., str]
COMPUTES = re.compile(r"\w\s*(?:[-+*/%(]|\bif\b)")


@dataclass(frozen=True)
class OwnLine:
    """A line of the student's own."""

    number: int
    text: str


@dataclass(frozen=True)
class Reasons:
    """One exercise's diagnosis as its page tells it, in one language."""

    ideas: tuple[str, ...]
    example: str
    line: OwnLine | None


@dataclass(frozen=True)
class Explainer:
    """What is needed to tell the reasons of a lesson's exercises."""

    master: NotebookNode
    wrong_ideas: WrongIdeas
    language: Language
    say: Say

    def reasons(self, found: Diagnosis, exercise: str, source: str) -> Reasons:
        """The ideas, each once and with what it costs; the smallest case, and the line it comes from."""
        example = found.example
        return Reasons(
            tuple(self._ideas(found, exercise)),
            sentence(example, self.language) if example else "",
            own_line(source, str(example.values.get("what", ""))) if example else None,
        )

    def _ideas(self, found: Diagnosis, exercise: str) -> Iterator[str]:
        if found.either:
            ideas = " / ".join(idea_name(idea, self.language) for idea in found.either)
            yield self._told(self.say("page.either", ideas=ideas), found, found.either, exercise)
        for idea in found.ideas:
            concept = found.charged.get(idea)
            about = {"idea": idea_name(idea, self.language)}
            said = self.say("page.has_idea", **about)
            if concept:
                said = self.say("page.paid", concept=concept_name(concept, self.language), **about)
            yield self._told(said, found, (idea,), exercise)

    def _told(self, said: str, found: Diagnosis, ideas: tuple[str, ...], exercise: str) -> str:
        """With what kept its points for the same reason, and what to read again."""
        count = sum(idea in ideas for idea in found.kept.values())
        parts = [said]
        if count:
            parts.append(self.say("page.kept_one" if count == 1 else "page.kept", count=count))
        heading = notebooks.heading(self.master, self.wrong_ideas.to_read(ideas[0]) or exercise)
        if heading:
            parts.append(self.say("page.read", heading=heading))
        return ("" if self.language == "zh" else " ").join(parts)


def own_line(source: str, name: str) -> OwnLine | None:
    """The only line that computes this entry of the result, if there is just one."""
    entry = name.rpartition(".")[2]
    if not entry.isidentifier():
        return None
    gives = re.compile(rf"(?<![\w.]){entry}[\"']?\]?\s*(?::(?!=)|=(?!=))(?P<value>[^,]*(?:\(.*)?)")
    found = [
        OwnLine(number, line.strip())
        for number, line in enumerate(source.split("\n"), start=1)
        for given in gives.finditer(_code(line))
        if COMPUTES.search(given["value"])
    ]
    return found[0] if len(found) == 1 else None


def _code(line: str) -> str:
    """The line without a comment; nothing of the head of a function, and of a line that only returns."""
    return "" if re.match(r"\s*(?:def|return|#)\b|\s*#", line) else line.split(" #")[0]
