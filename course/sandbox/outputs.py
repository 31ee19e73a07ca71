"""Runs inside the sandbox: what a cell shows, bounded before it crosses to the trusted side."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

OUTPUT_CHARACTERS = 100_000
OUTPUTS = 200
MIME_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/jpeg")
MESSAGE_CHARACTERS = 500


@dataclass
class Outputs:
    """What a cell shows, bounded; `muted` drops everything."""

    items: list[dict] = field(default_factory=list)
    characters: int = 0
    dropped: int = 0
    muted: bool = False

    def text(self, name: str, text: str) -> None:
        """Text printed to `name`."""
        room = 0 if self.muted else OUTPUT_CHARACTERS - self.characters
        self.dropped += max(0, len(text) - room)
        text = text[:room]
        if not text:
            return
        self.characters += len(text)
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["parts"].append(text)
        elif len(self.items) < OUTPUTS:
            self.items.append({"output_type": "stream", "name": name, "parts": [text]})

    def rich(self, kind: str, data: dict) -> None:
        """A displayed value, in the types that a notebook may show."""
        shown = {mime: value for mime, value in data.items() if mime in MIME_TYPES and isinstance(value, str)}
        size = sum(map(len, shown.values()))
        if self.muted or size > OUTPUT_CHARACTERS - self.characters or len(self.items) >= OUTPUTS:
            self.dropped += size
            return
        self.characters += size
        self.items.append({"output_type": kind, "data": shown})

    def error(self, kind: type, problem: object, lines: list[str]) -> None:
        """An exception that reached the top of the cell."""
        trace = "\n".join(lines)[-5_000:].split("\n")
        self.items.append(
            {
                "output_type": "error",
                "ename": kind.__name__,
                "evalue": message_of(problem),
                "traceback": trace,
            }
        )

    def taken(self) -> list[dict]:
        """All that was shown since the last call."""
        items, self.items, self.characters = self.items, [], 0
        for item in items:
            if "parts" in item:
                item["text"] = "".join(item.pop("parts"))
        return items


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of a notebook."""

    encoding = "utf-8"

    def __init__(self, name: str, outputs: Outputs) -> None:
        self.name, self.outputs = name, outputs

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.outputs.text(self.name, text)
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return 2 if self.name == "stderr" else 1


def message_of(problem: object) -> str:
    """What an exception says, also one whose own way of saying it is broken."""
    try:
        return str.__str__(str(problem))[:MESSAGE_CHARACTERS]
    except Exception:
        return ""
