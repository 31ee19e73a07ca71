"""A message in both languages."""

from __future__ import annotations

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
