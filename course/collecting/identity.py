"""Identity: whether the id that a student typed into a pack is somebody else's than the file's name says.

A typed number beside a name says nothing against it; another person of the class, or another name, does.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from course.collecting.branching import Placed
from course.collecting.known_students import KnownStudents
from course.collecting.owners import DIGITS, Owner, student_id

SHARED = 3  # letters that a login and a name have in common


@dataclass(frozen=True)
class Identity:
    """Everybody's ids, names and numbers, here and among those who handed in before."""

    ids: Mapping[str, frozenset[str]]
    known: KnownStudents

    @classmethod
    def of(cls, placed: Iterable[Placed], submitted: Path, known: KnownStudents) -> Identity:
        """From what came in, what was there, and the roster."""
        found: dict[str, set[str]] = defaultdict(set)
        owners = {one.owner for one in placed if one.owner is not None and one.owner.certainty != "typed"}
        for owner in owners.union(*(one.group for one in owners)):
            for text in (owner.id, owner.name, owner.number):
                found[_key(text)].add(owner.id)
        for path in submitted.glob("*"):
            found[_key(path.name)].add(path.name)
        return cls({key: frozenset(ids) for key, ids in found.items() if key}, known)

    def is_anothers(self, owner: Owner, typed: str) -> bool:
        """True when what was typed names somebody else than the owner."""
        if not typed.strip() or owner.certainty in ("told", "typed"):
            return False
        people = owner.group or (owner,)
        of_roster = self.known.find(typed)
        if of_roster is not None:
            return all(of_roster != one.id for one in people)
        own = [_key(text) for one in people for text in (one.id, one.name, one.number)]
        key = _key(typed)
        if key in own:
            return False
        others = self.ids.get(key, frozenset()) | self.ids.get(_key(student_id(typed)), frozenset())
        if others - {owner.id}:
            return owner.id not in others
        return owner.certainty == "guess" and _contradict(owner.name, typed)


def _contradict(name: str, typed: str) -> bool:
    """True for two names of one kind that have nothing in common: letters, Chinese letters or numbers."""
    one, other = _key(name), _key(typed)
    if one.isdigit() and other.isdigit():
        return one != other and min(len(one), len(other)) >= DIGITS
    if any(letter.isdigit() for letter in one + other) or one.isascii() != other.isascii():
        return False
    words = [_key(word) for text in (name, typed) for word in re.split(r"[\s_.,-]+", text)]
    shared = [word for word in words if len(word) >= min(SHARED, len(one), len(other))]
    return one not in other and other not in one and not any(word in one and word in other for word in shared)


def _key(text: str) -> str:
    """Letters and digits without case and accents."""
    plain = unicodedata.normalize("NFKD", text[:300]).casefold()
    return "".join(letter for letter in plain if letter.isalnum())
