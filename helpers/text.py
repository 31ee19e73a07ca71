"""Every message a student sees, in both languages; the bottom of the import graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True)
class Phrase:
    """One message in both languages; `{name}` marks a value to fill in."""

    zh: str
    en: str

    def in_language(self, language: Language, /, **values: object) -> str:
        template = self.zh if language == "zh" else self.en
        return template.format(**values) if values else template


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
    """Phrases by key. `helpers` has one below, `course` has its own for instructors."""

    phrases: Mapping[str, Phrase]

    def say(self, key: str, /, **values: object) -> str:
        """The phrase in the language spoken; an unknown key raises KeyError."""
        return self.phrases[key].in_language(spoken(), **values)

    def both(self, key: str, /, **values: object) -> str:
        """Chinese and English in one line, for whoever has not chosen a language yet."""
        phrase = self.phrases[key]
        return f"{phrase.zh.format(**values)} · {phrase.en.format(**values)}"

    def __contains__(self, key: str) -> bool:
        return key in self.phrases


PHRASES: dict[str, Phrase] = {
    # checks: what was expected, what came
    "check.passed": Phrase("✓ {concept}", "✓ {concept}"),
    "check.expected": Phrase(
        "{what}：应为 {expected}，得到 {got}。",
        "{what}: expected {expected}, got {got}.",
    ),
    "check.idea": Phrase("这正是“{idea}”会得到的结果。", "This is what you get when {idea}."),
    "check.not_a_dict": Phrase(
        "函数应返回字典，得到 {got}。",
        "The function must return a dictionary, got {got}.",
    ),
    "check.missing_key": Phrase(
        "返回的字典里没有键 '{key}'，现有：{keys}。",
        "The returned dictionary has no key '{key}'; it has: {keys}.",
    ),
    "check.did_not_raise": Phrase(
        "{case} 时应抛出 {error}，却返回了 {got}。",
        "{case} must raise {error}, but returned {got}.",
    ),
    "check.raised_other": Phrase(
        "{case} 时应抛出 {error}，却抛出了 {got}。",
        "{case} must raise {error}, but raised {got}.",
    ),
    "check.refused_good": Phrase(
        "合法输入也被拒绝了：{got}。",
        "Valid input was refused too: {got}.",
    ),
    "check.changed_input": Phrase(
        "函数改动了传入的数据；请先复制再排序或修改。",
        "The function changed the data it was given; copy before you sort or modify.",
    ),
}

CATALOG = Catalog(PHRASES)
say = CATALOG.say
both = CATALOG.both
