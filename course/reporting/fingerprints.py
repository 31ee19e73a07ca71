"""Fingerprints: of a text without its names, comments and layout a sample of its k-grams.

The method is winnowing (Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting,
SIGMOD 2003): of every window of hashes the smallest is kept, so two texts that share WINDOW + GRAM - 1 tokens
in a row share a fingerprint, wherever these stand.

Nothing here parses. Python's own parser takes a nesting of brackets for a reason to end the process, and some
of its errors the time of every way to read them; tokens are found one after the other, each looked at once.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

GRAM = 8  # tokens
WINDOW = 5  # hashes
TOKENS_A_FINGERPRINT = (WINDOW + 1) / 2  # of a text without repeats, on average
BUILTINS = frozenset(dir(builtins))
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
WORD = re.compile(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+")


class Token(NamedTuple):
    """One token, the line it begins in, and whether it is a name that its author could choose."""

    text: str
    line: int
    is_own: bool = False


class Fingerprint(NamedTuple):
    """The hash of some tokens in a row, and the lines from the first to the last of them."""

    value: int
    first_line: int
    last_line: int


def of_code(source: str, exercise: str = "") -> Iterator[Fingerprint]:
    """Of an answer in Python: the same for other names, comments, docstrings, layout and grouping."""
    return _winnowed(_hashed(_without_grouping(_tokens(source)), exercise))


def of_words(text: str, exercise: str = "") -> Iterator[Fingerprint]:
    """Of an answer in words: the same for other punctuation, case and layout."""
    lines = enumerate(text.split("\n"), 1)
    words = (Token(word.lower(), number) for number, line in lines for word in WORD.findall(line))
    return _winnowed(_hashed(words, exercise))


def _tokens(source: str) -> Iterator[Token]:
    line, counted = 1, 0
    for found in TOKEN.finditer(source):
        kind, text = found.lastgroup, found.group()
        line += source.count("\n", counted, found.start())
        counted = found.start()
        if kind not in ("comment", "docstring") and text != "pass":
            is_own = kind == "name" and not keyword.iskeyword(text) and text not in BUILTINS
            yield Token(text, line, is_own)


def _without_grouping(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens without the parentheses that are no call's: most of them change nothing."""
    calls: list[bool] = []
    before = ""
    for token in tokens:
        if token.text == "(":
            is_name = before.isidentifier() and not keyword.iskeyword(before)
            calls.append(is_name or before[-1:] in (")", "]"))
        is_call = calls[-1] if calls and token.text in ("(", ")") else True
        if token.text == ")" and calls:
            calls.pop()
        if is_call:
            yield token
        before = token.text


def _hashed(tokens: Iterable[Token], exercise: str) -> Iterator[Fingerprint]:
    """Each GRAM of tokens; of a shorter text all of it."""
    gram: deque[Token] = deque(maxlen=GRAM)
    is_whole = False
    for token in tokens:
        gram.append(token)
        if len(gram) == GRAM:
            is_whole = True
            yield _of_gram(gram, exercise)
    if gram and not is_whole:
        yield _of_gram(gram, exercise)


def _of_gram(gram: deque[Token], exercise: str) -> Fingerprint:
    """Names are told by the order of their first use in it, so it is the same wherever it stands."""
    names: dict[str, str] = {}
    words = [names.setdefault(t.text, f"\0{len(names)}") if t.is_own else t.text for t in gram]
    text = "\n".join((exercise, *words)).encode("utf-8", "replace")
    value = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
    return Fingerprint(value, gram[0].line, gram[-1].line)


def _winnowed(hashes: Iterable[Fingerprint]) -> Iterator[Fingerprint]:
    """The smallest hash of each window, the last of equal ones; of a shorter text the smallest of all."""
    window: deque[Fingerprint] = deque(maxlen=WINDOW)
    kept = None
    for found in hashes:
        window.append(found)
        if len(window) == WINDOW:
            least = min(reversed(window), key=lambda one: one.value)
            if least is not kept:
                kept = least
                yield least
    if window and kept is None:
        yield min(window, key=lambda one: one.value)
