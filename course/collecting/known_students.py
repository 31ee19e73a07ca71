"""Known students: who of the roster a name, a number or an address means, if it means one person only.

Whoever is on the roster of `grading`, looked up by what downloads call people.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from course.collecting.owners import DIGITS, Owner
from course.grading.roster import Roster
from course.text import Problem


@dataclass(frozen=True)
class KnownStudents:
    """Everyone on the roster, by whatever may stand for them: ids and numbers, and names."""

    numbers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    lms: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, database: str) -> KnownStudents:
        """From a gradebook; one that does not exist yet holds nobody. Raises Problem where it cannot be
        read."""
        from sqlalchemy import make_url
        from sqlalchemy.exc import SQLAlchemyError

        try:
            return cls.of(map(vars, Roster.read(database).students.values()))
        except SQLAlchemyError as problem:
            reason = str(problem.__cause__ or type(problem).__name__)
            raise Problem("intake.gradebook", url=make_url(database), reason=reason) from None

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, str | None]]) -> KnownStudents:
        """From rows as nbgrader has them: `id`, `first_name`, `last_name`, `email`, `lms_user_id`."""
        numbers, names, lms = defaultdict(set), defaultdict(set), {}
        for row in rows:
            email = row.get("email") or ""
            for number in (row["id"], email, email.partition("@")[0], row.get("lms_user_id")):
                numbers[_key(number or "")].add(row["id"])
            for name in _names(row.get("first_name") or "", row.get("last_name") or ""):
                names[_key(name)].add(row["id"])
            if row.get("lms_user_id"):
                lms[str(row["lms_user_id"])] = row["id"]
        return cls(
            *({key: frozenset(ids) for key, ids in one.items() if key} for one in (numbers, names)), lms
        )

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def find(self, text: str) -> str | None:
        """The one student whom this text means: by an id, a number or a whole name in it."""
        whole, words = _key(text), [_key(word) for word in re.split(r"[\s_,，、()（）+-]+", text)]
        parts = [_key(part) for word in words for part in re.findall(r"[a-z0-9]+|[^\Wa-z0-9]+", word)]
        return (
            self._one([whole], self.numbers)
            or self._one([word for word in words if len(word) >= DIGITS or not word.isdigit()], self.numbers)
            or self._one([part for part in parts if len(part) >= DIGITS], self.numbers)
            or self._one([whole], self.names)
            or self._one([word for word in (*words, *parts) if not word.isascii()], self.names)
            or self._one(_runs(words), self.names)
        )

    def settled(self, owner: Owner) -> Owner:
        """The owner by the roster, where it knows who that is; one that it does not know says so."""
        if not self or owner.certainty == "told":
            return replace(owner, on_roster=not self or owner.id in self._ids)
        found = self.lms.get(owner.number) or self.find(owner.number) if owner.number else None
        found = found or self.find(owner.name) or self.find(owner.id)
        if found is None:
            return replace(owner, on_roster=False)
        certainty = "roster" if owner.certainty in ("guess", "typed") else owner.certainty
        return replace(owner, id=found, certainty=certainty if owner.certainty != "typed" else "typed")

    @property
    def _ids(self) -> frozenset[str]:
        return frozenset().union(*self.numbers.values())

    @staticmethod
    def _one(keys: Iterable[str], among: Mapping[str, frozenset[str]]) -> str | None:
        found = frozenset().union(*(among.get(key, frozenset()) for key in keys if key))
        return next(iter(found)) if len(found) == 1 else None


def _names(first: str, last: str) -> Iterator[str]:
    """A name in the orders in which it is written."""
    if first and last:
        yield from (f"{first} {last}", f"{last} {first}")
    elif first or last:
        yield first or last


def _runs(words: list[str]) -> list[str]:
    """Neighbouring words together, longest first: a name among other words."""
    words = [word for word in words if word][:12]
    return [
        "".join(words[start : start + size])
        for size in range(len(words), 1, -1)
        for start in range(len(words) - size + 1)
    ]


def _key(text: str) -> str:
    """What is left of a text when writing it differs: letters and digits without case, accents composed."""
    return "".join(
        letter for letter in unicodedata.normalize("NFKC", text[:300]).casefold() if letter.isalnum()
    )
