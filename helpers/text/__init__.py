"""Every message a student sees, in both languages; the bottom of the import graph.

Each module here holds the phrases of one reader, by key; `say` gives one in the language spoken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from helpers.text import (
    checks,
    columns,
    concepts,
    experiment,
    handin,
    ideas,
    plots,
    programs,
    recorded,
    results,
)
from helpers.text.phrase import LANGUAGES, Language, Phrase

__all__ = [
    "CATALOG",
    "LANGUAGES",
    "PHRASES",
    "Catalog",
    "Language",
    "Phrase",
    "both",
    "say",
    "say_in",
    "speak",
    "spoken",
]


class _Voice:
    """The language that messages and plots use; a notebook sets it once, in the cell tagged `language`."""

    language: Language = "zh"


def speak(language: Language) -> None:
    """Set the language of messages and plots to "zh" or "en"; anything else raises ValueError."""
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    _Voice.language = language


def spoken() -> Language:
    """The language set by `speak`; "zh" until then."""
    return _Voice.language


@dataclass(frozen=True)
class Catalog:
    """Phrases by key. `helpers` has one below, `course` has its own for instructors on top of it."""

    phrases: Mapping[str, Phrase]

    def say(self, key: str, /, **values: object) -> str:
        """The phrase in the language spoken; an unknown key raises KeyError."""
        return self.say_in(spoken(), key, **values)

    def say_in(self, language: Language, key: str, /, **values: object) -> str:
        """The phrase in this language, whatever is spoken; an unknown key raises KeyError."""
        return self.phrases[key].in_language(language, **values)

    def both(self, key: str, /, **values: object) -> str:
        """Chinese and English in one line, for whoever has not chosen a language yet."""
        phrase = self.phrases[key]
        return f"{phrase.zh.format(**values)} · {phrase.en.format(**values)}"

    def __contains__(self, key: str) -> bool:
        return key in self.phrases


PHRASES: dict[str, Phrase] = {
    key: phrase
    for module in (checks, columns, concepts, experiment, handin, ideas, plots, programs, recorded, results)
    for key, phrase in module.PHRASES.items()
}
CATALOG = Catalog(PHRASES)
say = CATALOG.say
say_in = CATALOG.say_in
both = CATALOG.both
