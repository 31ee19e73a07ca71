"""Disclosure: what a student may read of a hidden test that failed.

A function knows the arguments that a hidden test calls it with, and all that it returns is the student's: its
texts and keys could hold every call. So numbers stay, and a few words that the lesson itself uses; of any
other value the type is told, of an exception the class. Of a decision, which is data and can be copied, the
right value is not told before the deadline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from helpers.facts import SAID, CheckFacts

if TYPE_CHECKING:
    from course.lesson.assignment import Master
    from course.lesson.hidden_tests import HiddenTest

LONGEST_VALUE = {"got": 40, "expected": 80}
SAID_CHARACTERS = 300
EXACT_INTEGER = 10**16
WORD = re.compile(r"\w+")
NUMBER = re.compile(r"\d{1,17}(?:e\d{0,3})?|nan|inf", re.ASCII)
ITEM = r"'?[-+]?\w+(?:[ .-]\w+){0,3}'?"
LIST = re.compile(rf"[\[({{]?(?:{ITEM}(?:, {ITEM})*,?)?[\])}}]?")
UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
OURS = ("unit", "error")
KINDS = {"Opaque": "object", "Function": "function"}
UNTOLD = "…"
WITHOUT_KEYS = {"check.missing_key": "check.lacks_key"}


@dataclass(frozen=True)
class Disclosure:
    """What may be told, given the words of the lesson; `withholds` what would have been right."""

    words: frozenset[str]
    withholds: bool = False

    def of(self, facts: CheckFacts) -> CheckFacts:
        """These facts without any text of the student's own."""
        if not facts.key.startswith("check."):
            return facts
        if facts.key == SAID:
            return replace(facts, values={"message": self._told(str(facts.values.get("message", "")))})
        is_withheld = self.withholds and "expected" in facts.values
        untold = {"keys", "expected"} if is_withheld else {"keys"}
        values = {
            name: self._value(name, value) for name, value in facts.values.items() if name not in untold
        }
        key = "check.withheld" if is_withheld else WITHOUT_KEYS.get(facts.key, facts.key)
        return replace(facts, key=key, values=values)

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            text, kind = str(value.get("repr", "")), str(value.get("type", "object"))
            undefined = UNDEFINED.fullmatch(text)
            is_told = self._is_known(undefined[1]) if undefined else self._is_told(name, text)
            is_told = is_told and bool(undefined or "raised" not in value)
            return {"repr": text if is_told else value.get("raised", KINDS.get(kind, kind))}
        if isinstance(value, str) and name not in OURS:
            return self._told(value) if name not in LONGEST_VALUE else self._name(name, value)
        if type(value) is int and abs(value) >= EXACT_INTEGER:
            return float(value)
        return value

    def _name(self, name: str, text: str) -> Any:
        return text if self._is_told(name, text) else {"repr": "str"}

    def _is_told(self, name: str, text: str) -> bool:
        """True for a short name, and for a short list of names and numbers."""
        is_short = len(text) <= LONGEST_VALUE.get(name, SAID_CHARACTERS)
        return is_short and bool(LIST.fullmatch(text)) and self._told(text) == text

    def _told(self, text: str) -> str:
        """The text, cut, with dots for each word that is not the lesson's."""
        return WORD.sub(lambda word: word[0] if self._is_known(word[0]) else UNTOLD, text[:SAID_CHARACTERS])

    def _is_known(self, word: str) -> bool:
        return word in self.words or bool(NUMBER.fullmatch(word))


def disclosure(test: HiddenTest, master: Master) -> Disclosure:
    """Of a decision the right value is told when nobody can hand in any more."""
    return Disclosure(master.words, withholds=test.is_of_decision and not master.sitting.is_over)
