"""Earlier sentences: what a failed check said in a notebook that was graded before facts were kept.

Such a notebook holds the sentence only. Concept and idea are taken out of it once more, until its lesson is
graded again; whatever is graded today brings its facts along and never comes here.
"""

from __future__ import annotations

from collections.abc import Iterator

from nbformat import NotebookNode

from course.lesson import cells
from course.text import CATALOG, say_in
from helpers.facts import SAID, CheckFacts, word
from helpers.text import LANGUAGES, Language

OUR_ERROR = "CheckFailed"
IDEA = "idea."


def facts_of(notebook: NotebookNode) -> dict[str, CheckFacts]:
    """What each failed check found, by the name of its cell; of an error that is not ours, its kind only."""
    return {
        cells.name(cell): _facts(cells.name(cell), output)
        for cell in notebook.cells
        if cells.is_code(cell) and cells.is_grade(cell)
        for output in cell.outputs
        if output.output_type == "error"
    }


def _facts(concept: str, output: NotebookNode) -> CheckFacts:
    if output.ename != OUR_ERROR:
        return CheckFacts("page.not_run", {"error": output.ename})
    message, idea = _without_idea(_without_concept(output.evalue, concept))
    return CheckFacts(SAID, {"message": message}, idea)


def _without_concept(sentence: str, concept: str) -> str:
    for language in LANGUAGES:
        named = word(language, "concept", concept)
        sentence = sentence.removeprefix(say_in(language, "check.in_concept", concept=named, message=""))
    return sentence.strip()


def _without_idea(sentence: str) -> tuple[str, str | None]:
    for said, idea in _ideas():
        if sentence.endswith(said):
            return sentence.removesuffix(said).rstrip(), idea
    return sentence, None


def _ideas() -> Iterator[tuple[str, str]]:
    """How a sentence names each idea in each language, and the idea."""
    ideas = [key.removeprefix(IDEA) for key in CATALOG if key.startswith(IDEA)]
    for language in LANGUAGES:
        yield from ((_named(language, idea), idea) for idea in ideas)


def _named(language: Language, idea: str) -> str:
    return say_in(language, "check.idea", idea=word(language, "idea", idea))
