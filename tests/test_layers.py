"""The plan of the house, read from its folders: imports run downwards only, heavy libraries stay unloaded.

A room is a package; its docstring names the rooms that it may import ("Imports: …"), and that is the plan.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from course.lesson.toml import load_toml

ROOT = Path(__file__).parents[1]
PACKAGES = ("helpers", "course")
LONGEST_MODULE, LONGEST_FUNCTION = 400, 40


@cache
def modules(package: str) -> dict[str, Path]:
    """Every module of a package by its dotted name; answers of made-up students are none."""
    found = (path for path in (ROOT / package).rglob("*.py") if "sample_class" not in path.parts)
    paths = {path: path.relative_to(ROOT).with_suffix("") for path in found}
    return {".".join(p.parts[:-1] if p.name == "__init__" else p.parts): path for path, p in paths.items()}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, wherever in the file that stands."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def target(name: str, known: dict[str, Path]) -> str:
    """The module behind an imported name: the name itself, or what it was taken from."""
    return name if name in known else name.rpartition(".")[0]


def graph(package: str) -> dict[str, set[str]]:
    """Which module of the package imports which other; importing a room's `__init__` is the room's affair."""
    known = modules(package)
    found = {name: {target(other, known) for other in imported(path)} for name, path in known.items()}
    return {
        name: {o for o in others if o in known and o != package} - {name} for name, others in found.items()
    }


def room(name: str) -> str:
    """The room that a module stands in; a module beside the rooms is one of its own."""
    return name.split(".")[1]


def rooms(package: str) -> dict[str, set[str]]:
    """Which room imports which other."""
    result: dict[str, set[str]] = {}
    for name, others in graph(package).items():
        if name != package:
            result.setdefault(room(name), set()).update(map(room, others))
    return {name: others - {name} for name, others in result.items()}


def said(package: str) -> dict[str, set[str]]:
    """For each room that says so, the rooms that it may import."""
    found = {}
    for path in sorted((ROOT / package).glob("*/__init__.py")):
        words = re.search(r"^Imports: ([^.]+)\.", ast.get_docstring(tree(path)) or "", re.MULTILINE)
        found[path.parent.name] = set(re.findall(r"\w+", words[1])) if words else None
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_says_what_it_imports_and_keeps_to_it(package):
    actual, plan = rooms(package), said(package)
    assert [name for name, words in plan.items() if words is None] == []
    assert {name: actual[name] - words for name, words in plan.items() if actual[name] - words} == {}


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("level", [rooms, graph], ids=["rooms", "modules"])
def test_all_arrows_point_down(package, level):
    try:
        list(TopologicalSorter(level(package)).static_order())
    except CycleError as cycle:
        pytest.fail(" imports ".join(reversed(cycle.args[1])))


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_and_functions_are_short(package):
    long = [
        name for name, path in modules(package).items() if len(path.read_text().splitlines()) > LONGEST_MODULE
    ]
    functions = [
        f"{name}.{node.name}"
        for name, path in modules(package).items()
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert (long, functions) == ([], [])


def test_lint_settings_of_a_folder_extend_those_of_the_project():
    """A `ruff.toml` takes the place of pyproject.toml's settings unless it says that it extends them."""
    paths = [path for folder in (*PACKAGES, "tests") for path in (ROOT / folder).rglob("ruff.toml")]
    extended = [(path.parent / load_toml(path).get("extend", "")).resolve() for path in paths]
    assert extended == [ROOT / "pyproject.toml"] * len(paths)


def test_no_public_class_name_is_used_twice():
    places: dict[str, list[str]] = {}
    for package in PACKAGES:
        for name, path in modules(package).items():
            for node in tree(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places.setdefault(node.name, []).append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_helpers_knows_nothing_of_the_course():
    named = {name.split(".")[0] for path in modules("helpers").values() for name in imported(path)}
    assert named.isdisjoint({"course", "nbgrader", "nbformat", "nbconvert", "nbclient"})


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import helpers.text, helpers.checks, helpers.results, helpers.serving, helpers.recorded", "torch"),
        ("import helpers.text, helpers.checks, helpers.results, helpers.serving", "matplotlib"),
        ("import helpers.plots", "torch"),
        ("import helpers.plots", "matplotlib.pyplot"),
        ("import helpers.experiment", "torch"),
        ("import course.cli", "nbgrader"),
        ("import course.cli", "nbformat"),
        ("import course.cli", "matplotlib"),
        ("import course.doctor", "nbgrader"),
    ],
)
def test_an_import_leaves_heavy_libraries_alone(statement, absent):
    program = f"import sys; {statement}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_importing_helpers_is_quick_and_light():
    """Every notebook's first cell does it. The quickest of three: a busy machine is no failure."""
    command = [sys.executable, "-X", "importtime", "-c", "import helpers"]
    reports = [
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr for _ in range(3)
    ]
    rows = [
        [[part.strip() for part in line.split(":", 1)[1].split("|")] for line in report.splitlines()[1:]]
        for report in reports
    ]
    took_us = [int(total) for found in rows for _, total, name in found if name == "helpers"]
    assert len(took_us) == 3
    assert min(took_us) < 50_000
    assert {"torch", "matplotlib", "numpy", "pydantic"}.isdisjoint(name for _, _, name in rows[0])
