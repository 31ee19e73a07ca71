"""Outputs that came over the border, as a notebook file may hold them: known kinds, bounded, inert."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from course.sandbox.outputs import MIME_TYPES, OUTPUTS
from course.submission import inert
from course.submission.inert import text
from course.text import say

SHOWN_CHARACTERS = 20_000
SHOWN_PER_CELL = 60_000
INERT: dict[str, Callable[[str, str], str]] = {
    "text/plain": lambda value, _: value,
    "text/html": lambda value, _: inert.html(value),
    "text/markdown": lambda value, _: inert.markdown(value),
    "text/latex": lambda value, _: inert.markdown(value),
    **dict.fromkeys(inert.PICTURES, inert.picture),
}


def error(kind: str, message: str) -> dict:
    """An output that says why a cell ended, in our words."""
    return {"output_type": "error", "ename": kind, "evalue": message, "traceback": [f"{kind}: {message}"]}


def printed(text: str) -> dict:
    """An output that says something and is no error."""
    return {"output_type": "stream", "name": "stdout", "text": f"{text}\n"}


def shown(reply: Any) -> list[dict]:
    """A cell's outputs as a notebook file may hold them; whatever else came over the border is left out."""
    outputs, room = [], SHOWN_PER_CELL
    items = reply.get("outputs") if isinstance(reply, dict) else None
    for item in items[:OUTPUTS] if isinstance(items, list) else []:
        output = _output(item) if isinstance(item, dict) else None
        if output is None:
            continue
        room -= size(output)
        if room < 0:
            return [*outputs, _cut()]
        outputs.append(_inert(output))
    return [*outputs, _cut()] if isinstance(reply, dict) and reply.get("dropped") else outputs


def _cut() -> dict:
    return {"output_type": "stream", "name": "stdout", "text": say("examiner.cut")}


def _output(item: dict) -> dict | None:
    """The output with the entries that its kind may have, each of its type; None for an unknown kind."""
    kind = text(item.get("output_type"))
    if kind == "stream":
        name = "stderr" if item.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": text(item.get("text"))[:SHOWN_CHARACTERS]}
    if kind == "error":
        trace = item.get("traceback")
        lines = [text(line) for line in trace[:200]] if isinstance(trace, list) else []
        return {
            "output_type": kind,
            "ename": text(item.get("ename"))[:100],
            "evalue": text(item.get("evalue")),
            "traceback": lines,
        }
    if kind not in ("execute_result", "display_data"):
        return None
    data = item.get("data") if isinstance(item.get("data"), dict) else {}
    output = {
        "output_type": kind,
        "data": {m: text(data[m]) for m in MIME_TYPES if m in data},
        "metadata": {},
    }
    return {**output, "execution_count": None} if kind == "execute_result" else output


def _inert(output: dict) -> dict:
    """The output with what it displays in each type that is left when nothing in it can act."""
    if "data" not in output:
        return output
    displayed = {mime: INERT[mime](value, mime) for mime, value in output["data"].items()}
    return {**output, "data": {mime: value for mime, value in displayed.items() if value}}


def size(output: dict) -> int:
    """The characters that an output holds, and a few for itself."""
    return 50 + sum(len(part) for part in _texts(output))


def _texts(output: dict) -> Iterator[str]:
    yield output.get("text", "")
    yield output.get("evalue", "")
    yield from output.get("traceback", [])
    yield from output.get("data", {}).values()
