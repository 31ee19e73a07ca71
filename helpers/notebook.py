"""The notebook's own file, as far as the kernel can find it: its cells, and what each defines."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers import lessons
from helpers.lessons import Exercise, Lesson
from helpers.names import defined

MAX_FILE_BYTES = 16_000_000
NOTEBOOK_METADATA = ("iteration_budget", "kernelspec", "language_info")
CELL_METADATA = ("nbgrader", "tags")


@dataclass(frozen=True)
class Notebook:
    """The notebook's file: where it is and its cells, without outputs."""

    path: Path
    content: Mapping[str, Any]

    @property
    def cells(self) -> list[Mapping[str, Any]]:
        return list(self.content["cells"])

    @property
    def lesson(self) -> Lesson | None:
        """The lesson that the notebook's metadata names."""
        stated = self.content["metadata"].get("iteration_budget")
        return lessons.named(str(stated.get("lesson"))) if isinstance(stated, dict) else None

    @property
    def sources(self) -> list[str]:
        """The code of its cells, in order."""
        return [cell["source"] for cell in self.cells if cell["cell_type"] == "code"]

    def source_of(self, exercise: Exercise) -> str | None:
        """The exercise's cell, found by its id or its grade id, else by what it defines."""
        for cell in self.cells:
            if exercise.cell in (cell.get("id"), cell["metadata"].get("nbgrader", {}).get("grade_id")):
                return cell["source"]
        return "\n\n".join(defining(self.sources, exercise.names)) or None


def find(
    namespace: Mapping[str, Any],
    folder: Path,
    running: Lesson | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Notebook | None:
    """The notebook's own file: as the editor names it, else the newest one of the lesson in the folder."""
    named = (namespace.get("__vsc_ipynb_file__"), environ.get("JPY_SESSION_NAME"))
    paths = [Path(name) for name in named if isinstance(name, str) and name.endswith(".ipynb")]
    found = next(filter(None, map(read, paths)), None)
    return found or next(_beside(folder, running), None)


def _beside(folder: Path, running: Lesson | None) -> Iterator[Notebook]:
    for path in _newest_first(folder.glob("*.ipynb")):
        found = read(path)
        if found is not None and found.lesson and running in (None, found.lesson):
            yield found


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)


def read(path: Path) -> Notebook | None:
    """The notebook in a file, without outputs and what editors note about people; None if it is none."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None
        content = json.loads(path.read_text(encoding="utf-8-sig"))
        return Notebook(path, _cleaned(content))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _cleaned(content: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook with its text and its names, without outputs, times and users."""
    return {
        "cells": [_cleaned_cell(cell) for cell in content["cells"]],
        "metadata": _only(content["metadata"], NOTEBOOK_METADATA),
        "nbformat": content["nbformat"],
        "nbformat_minor": content["nbformat_minor"],
    }


def _cleaned_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    source = cell["source"]
    kept: dict[str, Any] = {
        "cell_type": cell["cell_type"],
        "metadata": _only(cell["metadata"], CELL_METADATA),
        "source": source if isinstance(source, str) else "".join(source),
    }
    if isinstance(cell.get("id"), str):
        kept["id"] = cell["id"]
    return {**kept, "outputs": [], "execution_count": None} if cell["cell_type"] == "code" else kept


def _only(metadata: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: metadata[key] for key in keys if key in metadata}


def defining(sources: Sequence[str], names: Iterable[str]) -> list[str]:
    """For each name the last source that defines it and could run, in order and without repetition."""
    last = {
        name: number
        for number, source in enumerate(sources)
        if _could_run(source)
        for name in defined(source)
    }
    return [sources[number] for number in sorted({last[name] for name in names if name in last})]


def _could_run(source: str) -> bool:
    """False for a cell that Python refused whole: what it was to define was not defined."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
