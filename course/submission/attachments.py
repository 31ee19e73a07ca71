"""Result files that travel with a notebook: in its metadata, so that a submission stays one file.

A student who measured hands in the result JSON beside the notebook or in its pack. Collecting puts it into
the notebook; grading lays it out where the experiment looks for it, inside the sandbox and nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,118}\.json")
SCHEMA = "inference-mechanism-gpu/"
MOST_FILES = 4
MOST_CHARACTERS = 1_000_000


def results_in(files: Iterable[tuple[PurePosixPath, bytes]]) -> dict[str, str]:
    """The result files of an experiment among these, by name: a few, of bounded size, in UTF-8."""
    found: dict[str, str] = {}
    for path, data in files:
        text = _result(data) if NAME.fullmatch(path.name) else None
        if text is not None and len(found) < MOST_FILES:
            found[path.name] = text
    return found


def attach(notebook: bytes, results: Mapping[str, str]) -> bytes:
    """The notebook with these result files in its metadata; as it was where it is no JSON object."""
    try:
        content = json.loads(notebook.decode("utf-8-sig"))
        about = content.setdefault("metadata", {}).setdefault("iteration_budget", {})
        about["results"] = dict(sorted(results.items()))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return notebook
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def attached(notebook: Mapping) -> dict[str, str]:
    """The result files in a notebook's metadata, checked again: metadata are the student's."""
    about = notebook.get("metadata")
    about = about.get("iteration_budget") if isinstance(about, Mapping) else None
    given = about.get("results") if isinstance(about, Mapping) else None
    pairs = given.items() if isinstance(given, Mapping) else ()
    texts = ((PurePosixPath(name), text) for name, text in pairs if isinstance(name, str))
    return results_in(
        (path, text.encode("utf-8", "replace")) for path, text in texts if isinstance(text, str)
    )


def _result(data: bytes) -> str | None:
    if len(data) > MOST_CHARACTERS or SCHEMA.encode() not in data:
        return None
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    known = isinstance(content, dict) and str(content.get("schema_version", "")).startswith(SCHEMA)
    return data.decode("utf-8-sig") if known else None
