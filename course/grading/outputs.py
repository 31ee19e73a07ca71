"""Outputs that came over the border, as a notebook file may hold them: known kinds, bounded, cleaned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from course.sandbox.outputs import MIME_TYPES, OUTPUTS
from course.text import say

SHOWN_CHARACTERS = 20_000
SHOWN_PER_CELL = 60_000
KINDS = {"execute_result", "display_data", "stream", "error"}


def error(kind: str, message: str) -> dict:
    """An output that says why a cell ended, in our words."""
    return {"output_type": "error", "ename": kind, "evalue": message, "traceback": [f"{kind}: {message}"]}


def shown(reply: Any) -> list[dict]:
    """A cell's outputs as a notebook file may hold them; whatever else came over the border is left out."""
    outputs, room = [], SHOWN_PER_CELL
    items = reply.get("outputs") if isinstance(reply, dict) else None
    for item in items[:OUTPUTS] if isinstance(items, list) else []:
        if not isinstance(item, dict) or item.get("output_type") not in KINDS:
            continue
        output = _output(item)
        room -= size(output)
        if room < 0:
            outputs.append({"output_type": "stream", "name": "stdout", "text": say("examiner.cut")})
            return outputs
        outputs.append(output)
    if isinstance(reply, dict) and reply.get("dropped"):
        outputs.append({"output_type": "stream", "name": "stdout", "text": say("examiner.cut")})
    return outputs


def _output(item: dict) -> dict:
    kind = item["output_type"]
    if kind == "stream":
        name = "stderr" if item.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": clean(item.get("text"))[:SHOWN_CHARACTERS]}
    if kind == "error":
        trace = item.get("traceback")
        lines = [clean(line) for line in trace[:200]] if isinstance(trace, list) else []
        return {
            "output_type": kind,
            "ename": clean(item.get("ename"))[:100],
            "evalue": clean(item.get("evalue")),
            "traceback": lines,
        }
    data = item.get("data") if isinstance(item.get("data"), dict) else {}
    shown = {mime: clean(data[mime]) for mime in MIME_TYPES if mime in data}
    output = {"output_type": kind, "data": shown, "metadata": {}}
    return {**output, "execution_count": None} if kind == "execute_result" else output


def size(output: dict) -> int:
    """The characters that an output holds, and a few for itself."""
    return 50 + sum(len(part) for part in _texts(output))


def _texts(output: dict) -> Iterator[str]:
    yield output.get("text", "")
    yield output.get("evalue", "")
    yield from output.get("traceback", [])
    yield from output.get("data", {}).values()


def clean(value: object) -> str:
    """Text that a file can hold; of anything else nothing."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""
