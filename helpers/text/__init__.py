"""Every message a student sees: one JSON file a language beside this module, read when it is first needed.

A key that a language lacks is said in English, else in Chinese. The words of a lesson (`concept.X`, `idea.X`,
`case.X`, `column.X`, `fault.X`) stand in the lesson's own file, `helpers/lessons/NAME.json`; one that has no
entry is said by its key, so that no student ever meets a KeyError.

A new language is one new file here, with whatever keys it has; `missing` names those that it lacks.

Imports: nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = [
    "CATALOG",
    "LANGUAGES",
    "WORDS",
    "Catalog",
    "Language",
    "Phrase",
    "both",
    "clashes",
    "is_chosen",
    "missing",
    "read_lessons",
    "say",
    "say_in",
    "speak",
    "speaking",
    "spoken",
]

Language = str
FOLDER = Path(__file__).parent
FALLBACK: tuple[Language, ...] = ("en", "zh")
WORDS = ("concept", "idea", "case", "column", "fault", "guess")


def _languages() -> tuple[Language, ...]:
    """The languages of messages, Chinese first, then by name."""
    return tuple(sorted((path.stem for path in FOLDER.glob("*.json")), key=lambda name: (name != "zh", name)))


LANGUAGES: tuple[Language, ...] = _languages()


class _Voice:
    """The language that messages and plots use (a notebook sets it once, in the cell tagged `language`), and
    the folders in which the files of lessons lie."""

    language: Language = "zh"
    is_chosen: bool = False
    lessons: tuple[Path, ...] = (FOLDER.parent / "lessons",)


def speak(language: Language) -> None:
    """Set the language of messages and plots; one that has no file raises ValueError."""
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    _Voice.language, _Voice.is_chosen = language, True


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak this language for a while."""
    before = _Voice.language
    speak(language)
    try:
        yield
    finally:
        speak(before)


def spoken() -> Language:
    """The language set by `speak`; "zh" until then."""
    return _Voice.language


def is_chosen() -> bool:
    """Whether `speak` has set a language."""
    return _Voice.is_chosen


def read_lessons(folder: Path) -> None:
    """Know the words of the lessons in this folder as well, before those of the package's own lessons."""
    _Voice.lessons = tuple(dict.fromkeys((folder, *_Voice.lessons)))


@dataclass(frozen=True)
class Phrase:
    """A few words of a lesson's data in the languages of the course."""

    zh: str
    en: str

    def in_language(self, language: Language, /, **values: object) -> str:
        """The words in Chinese, or in English for everyone else."""
        template = self.zh if language == "zh" else self.en
        return template.format(**values) if values else template


@dataclass(frozen=True)
class Catalog:
    """Messages by key, from folders that hold a file a language; `course` puts its own before ours."""

    folders: tuple[Path, ...]

    def say(self, key: str, /, **values: object) -> str:
        """The message in the language spoken; an unknown key raises KeyError, but for a lesson's word."""
        return self.say_in(spoken(), key, **values)

    def say_in(self, language: Language, key: str, /, **values: object) -> str:
        """The message in this language, whatever is spoken."""
        template = self._template(language, key)
        return template.format(**values) if values else template

    def both(self, key: str, /, **values: object) -> str:
        """Chinese and English in one line, for whoever has not chosen a language yet."""
        return f"{self.say_in('zh', key, **values)} · {self.say_in('en', key, **values)}"

    def messages(self, language: Language) -> Mapping[str, str]:
        """What this language says by itself, by key."""
        return _messages(self.folders, _Voice.lessons, language)

    def general(self, language: Language) -> Mapping[str, str]:
        """What this language says by itself, the words of lessons left out."""
        return _messages(self.folders, (), language)

    def missing(self, language: Language) -> tuple[str, ...]:
        """The keys that some language has and this one lacks."""
        return tuple(sorted(set(self) - set(self.messages(language))))

    def _template(self, language: Language, key: str) -> str:
        for candidate in (language, *FALLBACK):
            if key in self.messages(candidate):
                return self.messages(candidate)[key]
        kind, _, word = key.partition(".")
        if kind in WORDS:
            return word
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter({key: None for language in LANGUAGES for key in self.messages(language)})

    def __contains__(self, key: str) -> bool:
        return any(key in self.messages(language) for language in LANGUAGES)


@cache
def _messages(folders: tuple[Path, ...], lessons: tuple[Path, ...], language: Language) -> Mapping[str, str]:
    """The first folder that has a key says it; the words of lessons come last."""
    found = dict(_words(lessons, language))
    for path in (folder / f"{language}.json" for folder in reversed(folders)):
        found |= json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _words(folders: tuple[Path, ...], language: Language) -> Iterator[tuple[str, str]]:
    """Every lesson's words in this language by key; those of the first folder come last, and so win."""
    for path in (path for folder in reversed(folders) for path in sorted(folder.glob("*.json"))):
        for kind, words in json.loads(path.read_text(encoding="utf-8")).get("words", {}).items():
            yield from ((f"{kind}.{key}", said[language]) for key, said in words.items() if language in said)


def clashes() -> tuple[str, ...]:
    """The words to which two lessons, or a lesson and the general messages, give different meanings."""
    meanings: dict[tuple[str, Language], set[str]] = {}
    for language in LANGUAGES:
        general = _messages((FOLDER,), (), language)
        for key, word in _words(_Voice.lessons, language):
            meanings.setdefault((key, language), {general.get(key, word)}).add(word)
    return tuple(sorted({key for (key, _), words in meanings.items() if len(words) > 1}))


CATALOG = Catalog((FOLDER,))
say = CATALOG.say
say_in = CATALOG.say_in
both = CATALOG.both
missing = CATALOG.missing
