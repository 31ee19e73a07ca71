"""Failed lines: where a student's cell stopped, as its process says, and what is told of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from course.text import say
from helpers.facts import CheckFacts, clean

MESSAGE_CHARACTERS = 300
SECOND_HALF = re.compile(r"unexpected indent|outside (?:async )?(?:function|loop)|not properly in loop")
# What a keyboard set to Chinese types for the characters that Python knows.
FULL_WIDTH = {
    "：": ("colon", ":"),
    "，": ("comma", ","),
    "、": ("comma", ","),
    "；": ("semicolon", ";"),
    "。": ("full_stop", "."),
    "．": ("full_stop", "."),
    "（": ("bracket", "("),
    "）": ("bracket", ")"),
    "【": ("bracket", "["),
    "】": ("bracket", "]"),
    "［": ("bracket", "["),
    "］": ("bracket", "]"),
    "｛": ("bracket", "{"),
    "｝": ("bracket", "}"),
    "“": ("quotation_mark", '"'),
    "”": ("quotation_mark", '"'),
    "‘": ("quotation_mark", "'"),
    "’": ("quotation_mark", "'"),
    "＝": ("equals_sign", "="),
    "＋": ("plus_sign", "+"),
    "－": ("minus_sign", "-"),
    "×": ("times_sign", "*"),
    "＊": ("times_sign", "*"),
    "／": ("division_sign", "/"),
    "\u3000": ("space", " "),
}


@dataclass(frozen=True)
class FailedLine:
    """A line of a cell that raised; `taken` when what stands below it was taken all the same."""

    line: int
    kind: str
    message: str
    taken: bool

    @classmethod
    def of(cls, reply: Any) -> FailedLine | None:
        """What a process says of the cell it ran, as far as it can be true."""
        said = reply.get("failed") if isinstance(reply, dict) else None
        if not isinstance(said, dict) or type(said.get("line")) is not int:
            return None
        kind, message = (str(said.get(name, ""))[:MESSAGE_CHARACTERS] for name in ("kind", "message"))
        if not kind.isidentifier():
            return None
        return cls(said["line"], kind, clean(message), said.get("taken") is True)

    @property
    def is_syntax(self) -> bool:
        """True where Python could not read the cell at all."""
        return self.kind in ("SyntaxError", "IndentationError", "TabError")

    @property
    def is_second_half(self) -> bool:
        """True for a cell that goes on with what another one began."""
        return self.is_syntax and SECOND_HALF.search(self.message) is not None

    def shown(self, source: str) -> list[dict]:
        """What stands under the cell: the line whose rest was taken, or the character that was refused."""
        character = self.full_width(source)
        if not character and not self.taken:
            return []
        if character:
            text = self._full_width_facts(character)
            text = say(text.key, **text.values)
        else:
            text = say("examiner.went_on", line=self.line, kind=self.kind, message=self.message)
        return [{"output_type": "stream", "name": "stderr", "text": f"{text}\n"}]

    def facts(self, name: str, cell: str, source: str) -> CheckFacts:
        """Why a name that this cell was to define is not defined."""
        if character := self.full_width(source):
            return self._full_width_facts(character)
        return CheckFacts(
            "examiner.line_failed", {"name": name, "cell": cell, "line": self.line, "kind": self.kind}
        )

    def full_width(self, source: str) -> str | None:
        """The full-width character that Python refused in this line."""
        lines = source.split("\n")
        refused = re.search(r"U\+([0-9A-F]{4})\b", self.message)
        if self.kind != "SyntaxError" or not refused or not 0 < self.line <= len(lines):
            return None
        character = chr(int(refused[1], 16))
        return character if character in FULL_WIDTH and character in lines[self.line - 1] else None

    def _full_width_facts(self, character: str) -> CheckFacts:
        what, wanted = FULL_WIDTH[character]
        values = {"line": self.line, "character": character, "wanted": wanted}
        return CheckFacts(f"examiner.full_width_{what}", values)
