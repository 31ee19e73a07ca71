"""No general module names a lesson, an exercise, what it defines, a concept or a wrong idea: those are data.

The lessons' own files say which names those are. In the modules of `helpers` and `course` outside the lessons
every string (docstrings too), name, attribute and keyword is searched, and every message. The rule:

- A name of several words ("cost-units", "estimate_cost") stands nowhere, not even inside a sentence. It may
  only if general code itself defines that name, as a field, function or parameter, and a lesson took it over.
- A name of one word ("cost", "decision") is plain English too: it may stand in a sentence or name a variable,
  but no string consists of it alone, unless general code defines it or the key of a general message has it
  as a part.
- The project's own name, as pyproject.toml has it, is allowed: the first lesson is called after it, and so
  are the wheel, the packs, and the entry in a notebook's metadata.

Tests of general code (those outside `tests/lessons`) have lessons of their own or find one by what they need:
no string in them holds a name of several words, but for those listed here.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import small

from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.lesson.toml import load_toml

COURSE = CourseFolder(small.ROOT)
PROJECT = load_toml(small.ROOT / "pyproject.toml")["project"]["name"]
MESSAGES = [small.ROOT / package / "text" for package in ("helpers", "course")]
WORD = re.compile(r"\w+(?:-\w+)*")


def names_of(lesson: str) -> set[str]:
    """Everything that a lesson calls by a name."""
    public, ideas = COURSE.public_half(lesson), COURSE.secrets(lesson).ideas
    defined = {name for exercise in public.exercises for name in (exercise.cell, *exercise.names)}
    words = {key for kind in ("concept", "idea", "fault") for key in public.words.get(kind, ())}
    graded = notebooks.concepts(notebooks.load(COURSE.master(lesson)))
    wrong = (mutant.idea for mutant in ideas.mutants)
    return {lesson, *public.experiments, *defined, *words, *graded, *wrong, *ideas.without_mutant}


LESSONS_NAMES = {name for lesson in COURSE.lessons() for name in names_of(lesson)} - {PROJECT}
SEVERAL_WORDS = {name for name in LESSONS_NAMES if re.search("[-_]", name)}


def general_modules() -> dict[str, ast.Module]:
    """All modules outside the lessons; the answers of made-up students are data, the template's too."""
    paths = [path for package in ("helpers", "course") for path in (small.ROOT / package).rglob("*.py")]
    paths = [path for path in paths if "sample_class" not in path.parts]
    shown = {path.relative_to(small.ROOT).as_posix(): path for path in paths}
    general = {name: path for name, path in shown.items() if name.split("/")[1] != "lessons"}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in general.items()}


def messages() -> dict[str, str]:
    """Every general message by its file and key."""
    return {
        f"{path.relative_to(small.ROOT)} {key}": said
        for folder in MESSAGES
        for path in folder.glob("*.json")
        for key, said in json.loads(path.read_text(encoding="utf-8")).items()
    }


def defined_by(tree: ast.Module) -> Iterator[str]:
    """The functions, fields and parameters that a module defines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def named_in(tree: ast.AST) -> Iterator[str]:
    """The names of lessons in a module, by the rule above."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = {node.value, *(SEVERAL_WORDS & set(WORD.findall(node.value)))}
        else:
            spelled = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
            found = SEVERAL_WORDS & {spelled}
        yield from found & LESSONS_NAMES


MODULES = general_modules()
GENERAL = {name for tree in MODULES.values() for name in defined_by(tree)}
OF_MESSAGES = {part for place in messages() for part in re.split(r"[._]", place.split()[1])} - SEVERAL_WORDS


TESTS = {
    path.relative_to(small.ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in Path(__file__).parent.glob("*.py")
    if path != Path(__file__)  # it holds the exceptions, and shows that the search finds
}
# By test module: the names that it may hold, and why.
EXCEPTIONS: dict[str, set[str]] = {
    # The older folder's small lesson called its concepts and its idea as the first lesson does; its older
    # release is read with the first lesson's words.
    "tests/test_older_course.py": {
        "cost-tie",
        "decision-choice",
        "decision-evidence",
        "measured-choice",
        "ms_forgotten",
    },
    # Writes this lesson into a copy of the checkout, where this test runs too.
    "tests/test_new_lesson.py": {"batch-pacing"},
}


@pytest.mark.parametrize("module", MODULES)
def test_a_general_module_names_nothing_of_a_lesson(module):
    assert sorted(set(named_in(MODULES[module])) - GENERAL - OF_MESSAGES) == []


def test_no_message_names_anything_of_a_lesson():
    said = {place: set(WORD.findall(f"{place} {message}")) for place, message in messages().items()}
    assert [(place, words) for place, words in said.items() if words & SEVERAL_WORDS - GENERAL] == []


def words_in(tree: ast.Module) -> set[str]:
    """Every word in the strings of a module."""
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {word for string in strings if isinstance(string, str) for word in WORD.findall(string)}


@pytest.mark.parametrize("module", TESTS)
def test_a_test_of_general_code_names_nothing_of_a_lesson(module):
    assert words_in(TESTS[module]) & SEVERAL_WORDS - GENERAL - EXCEPTIONS.get(module, set()) == set()


def test_no_exception_is_older_than_what_it_allows():
    stale = {name: names - words_in(TESTS[name]) for name, names in EXCEPTIONS.items()}
    assert {name: names for name, names in stale.items() if names} == {}


def test_the_search_finds_what_it_is_for():
    assert {"cost-units", "estimate_iteration_cost", "measure_three_ways"} <= SEVERAL_WORDS
    program = ast.parse('"""Calls `estimate_iteration_cost`."""\nprint(cost, x.cost_units, "cost")')
    assert sorted(named_in(program)) == ["cost", "estimate_iteration_cost"]
    assert len(MODULES) > 80
    assert set() == SEVERAL_WORDS & GENERAL  # a name of both kinds would be looked for in vain
