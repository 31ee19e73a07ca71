"""What cells of a lesson's Chinese master define: its reference solutions, and the data beside them."""

import json
from typing import Any

import small


def defined(lesson: str, *cells: str) -> dict[str, Any]:
    """The names of these cells, run one after the other behind the imports."""
    path = small.ROOT / "source" / "zh" / lesson / f"{lesson}.ipynb"
    sources = {cell["id"]: "".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]}
    found: dict[str, Any] = {}
    for cell in ("imports", *cells):
        exec(compile(sources[cell], cell, "exec"), found)
    return found
