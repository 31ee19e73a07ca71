"""Layers: imports run downwards only, helpers knows nothing of the course, heavy libraries stay unloaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import small

# From the bottom up: a module imports what stands in a lower line only. Others just may not close a circle.
HELPERS = (
    {"text", "writing"},
    {"checks", "hardware", "models", "workload", "tables", "lessons", "absent", "platform_facts"},
    {"platforms", "timing", "notebook"},
    {"preflight"},
    {"results"},
    {"recorded", "experiment", "serving", "handin"},
    {"plots"},
)
COURSE = (
    {"regions"},
    {"text", "exchange", "bundle", "evidence"},
    {"student", "proxy", "rebuild", "packs"},
    {"nursery", "handin"},
    {"sandbox"},
    {"examiner"},
    {"assessment"},
    {"pool", "record"},
    {"cluster"},
    {"folder", "wheel", "progress"},
    {"notebooks", "links"},
    {"twins", "release", "submission"},
    {"marks"},
    {"feedback", "mutants", "publish"},
    {"grade"},
    {"alike"},
    {"report", "steps", "sample", "intake", "browser"},
    {"demo", "doctor"},
    {"cli"},
)


def modules(package: str) -> list[Path]:
    return sorted((small.ROOT / package).rglob("*.py"))


def layer_of(path: Path, package: str) -> str:
    """The module of the package that a file belongs to; "" for the package itself."""
    inside = path.relative_to(small.ROOT / package)
    name = inside.parts[0] if len(inside.parts) > 1 else inside.stem
    return "" if name == "__init__" else name


def imported(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, wherever in the file that stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def height(name: str, layers: tuple[set[str], ...]) -> int:
    return next(number for number, layer in enumerate(layers) if name in layer)


def graph(package: str) -> dict[str, set[str]]:
    """Which module of the package imports which other."""
    own = {layer_of(path, package) for path in modules(package)} - {""}
    result: dict[str, set[str]] = {name: set() for name in own}
    for path in modules(package):
        parts = [name.split(".") for name in imported(path)]
        found = {part[1] for part in parts if part[0] == package and len(part) > 1}
        result.setdefault(layer_of(path, package), set()).update(found & own)
    return {name: others - {name} for name, others in result.items() if name}


@pytest.mark.parametrize("package", ["helpers", "course"])
def test_no_module_imports_itself_through_others(package):
    try:
        list(TopologicalSorter(graph(package)).static_order())
    except CycleError as cycle:
        pytest.fail(" imports ".join(reversed(cycle.args[1])))


@pytest.mark.parametrize(("package", "layers"), [("helpers", HELPERS), ("course", COURSE)])
def test_every_layer_exists(package, layers):
    assert set().union(*layers) <= set(graph(package))


@pytest.mark.parametrize(("package", "layers"), [("helpers", HELPERS), ("course", COURSE)])
def test_imports_run_downwards_only(package, layers):
    found = graph(package)
    placed = set().union(*layers)
    upwards = [
        f"{name} imports {other}"
        for name in placed
        for other in found[name] & placed
        if height(other, layers) >= height(name, layers)
    ]
    assert upwards == []


def test_helpers_knows_nothing_of_the_course():
    named = {name.split(".")[0] for path in modules("helpers") for name in imported(path)}
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
    assert subprocess.run([sys.executable, "-c", program], cwd=small.ROOT, check=False).returncode == 0


def test_importing_helpers_is_quick_and_light():
    """Every notebook's first cell does it. The quickest of three: a busy machine is no failure."""
    command = [sys.executable, "-X", "importtime", "-c", "import helpers"]
    reports = [
        subprocess.run(command, cwd=small.ROOT, capture_output=True, text=True, check=True).stderr
        for _ in range(3)
    ]
    rows = [
        [[part.strip() for part in line.split(":", 1)[1].split("|")] for line in report.splitlines()[1:]]
        for report in reports
    ]
    took_us = [int(total) for found in rows for _, total, name in found if name == "helpers"]
    assert len(took_us) == 3
    assert min(took_us) < 50_000
    assert {"torch", "matplotlib", "numpy", "pydantic"}.isdisjoint(name for _, _, name in rows[0])
