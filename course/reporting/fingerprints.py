"""Fingerprints: what is left of a source when names, comments and layout are taken away.

Nothing here parses. Python's own parser takes a nesting of brackets for a reason to end the process, and some
of its errors the time of every way to read them; tokens are found one after the other, each looked at once.
"""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Iterator

# Every alternative, once begun, ends somewhere: a string that is not closed ends with its line or the source.
TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
    | (?P<docstring>^[ \t]*[rRuU]?(?:\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)))
    | (?P<string>\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)
        |\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?)
    | (?P<attribute>(?<=\.)[^\W\d]\w*)
    | (?P<name>[^\W\d]\w*)
    | (?P<number>\d[\w.]*)
    | (?P<sign>[^\s\w])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


def fingerprint(source: str) -> str:
    """Two sources with the same one differ in names, comments, docstrings and layout only."""
    digest = hashlib.sha256()
    for token in _tokens(source):
        digest.update(f"{token} ".encode("utf-8", "replace"))
    return digest.hexdigest()


def _tokens(source: str) -> Iterator[str]:
    """The tokens of a source, each name replaced by its number in the order of their first use."""
    numbers: dict[str, str] = {}
    for token in TOKEN.finditer(source):
        kind, text = token.lastgroup, token.group()
        if kind == "name" and not keyword.iskeyword(text):
            yield numbers.setdefault(text, f"n{len(numbers)}")
        elif kind not in ("comment", "docstring"):
            yield text
