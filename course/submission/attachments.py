"""Result files and guesses that travel with a notebook: in its metadata, so that a submission stays one file.

A student who measured hands in the result JSON beside the notebook or in its pack. Collecting puts it into
the notebook; grading lays it out where the experiment looks for it, inside the sandbox and nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath

from course.submission.files import FILE_BYTES, NotRegular, read_regular
from course.submission.foreign_json import parsed
from course.submission.reading import read
from helpers import guessing
from helpers.guessing import Guess

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,118}\.json")
SCHEMA = "inference-mechanism-gpu/"
MOST_FILES = 4
MOST_CHARACTERS = 1_000_000
MOST_CONTAINERS, MOST_VALUES = 50_000, 100_000  # a result has some ten lists and objects a shape
MOST_LOOKED_AT = 50


def results_in(files: Iterable[tuple[PurePosixPath, bytes]]) -> dict[str, str]:
    """The result files of an experiment among these, by name: a few, of bounded size, in UTF-8."""
    found: dict[str, str] = {}
    for path, data in islice(files, MOST_LOOKED_AT):
        text = _result(data) if may_be_result(path, len(data)) else None
        if text is not None:
            found[path.name] = text
        if len(found) == MOST_FILES:
            break
    return found


def may_be_result(path: PurePosixPath, size: int) -> bool:
    """True for a file that is worth reading: its name and its size are a result's."""
    return size <= MOST_CHARACTERS and NAME.fullmatch(path.name) is not None


def attach(notebook: bytes, results: Mapping[str, str]) -> bytes:
    """The notebook with these result files in its metadata; as it was where it is no JSON object."""
    return _with(notebook, "results", dict(sorted(results.items())))


def attach_guesses(notebook: bytes, guesses: Mapping[str, Guess]) -> bytes:
    """The notebook with these guesses in its metadata."""
    return _with(notebook, "guesses", guessing.dumped(guesses).decode())


def _with(notebook: bytes, key: str, value: object) -> bytes:
    try:
        content = parsed(notebook.decode("utf-8-sig"))
        about = content.setdefault("metadata", {}).setdefault("iteration_budget", {})
        about[key] = value
        text = json.dumps(content, ensure_ascii=False) + "\n"  # an indent would multiply what is deep
    except (ValueError, AttributeError, TypeError, RecursionError):
        return notebook
    data = text.encode("utf-8", "replace")
    return data if len(data) <= FILE_BYTES else notebook


def attached(notebook: Mapping) -> dict[str, str]:
    """The result files in a notebook's metadata, checked again: metadata are the student's."""
    given = _about(notebook).get("results")
    pairs = given.items() if isinstance(given, Mapping) else ()
    texts = ((PurePosixPath(name), text) for name, text in pairs if isinstance(name, str))
    return results_in(
        (path, text.encode("utf-8", "replace")) for path, text in texts if isinstance(text, str)
    )


def carrier(path: Path, root: Path) -> Mapping:
    """The notebook that lies at `path` below `root`, for what travels in it; empty where none can be read."""
    try:
        data, _ = read_regular(path, root)
    except NotRegular:
        return {}
    return read(data).notebook


def guesses_in(notebook: Mapping) -> dict[str, Guess]:
    """The guesses in a notebook's metadata, checked again."""
    given = _about(notebook).get("guesses")
    return guessing.parsed(given.encode("utf-8", "replace")) if isinstance(given, str) else {}


def _about(notebook: Mapping) -> Mapping:
    about = notebook.get("metadata")
    about = about.get("iteration_budget") if isinstance(about, Mapping) else None
    return about if isinstance(about, Mapping) else {}


def _result(data: bytes) -> str | None:
    if SCHEMA.encode() not in data or data.count(b",") > MOST_VALUES:
        return None
    try:
        content = parsed(data.decode("utf-8-sig"), MOST_CONTAINERS)
    except ValueError:
        return None
    known = isinstance(content, dict) and str(content.get("schema_version", "")).startswith(SCHEMA)
    return data.decode("utf-8-sig") if known else None
