"""Every message an instructor sees, one JSON file a language, and the choice between them.

Imports: nothing.
"""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import helpers.facts
import helpers.text
from helpers.text import LANGUAGES, Catalog, Language

LANGUAGE_VARIABLE = "COURSE_LANGUAGE"


SHOWN_IN_A_LINE = 5


class Problem(Exception):
    """Something the user can put right: one sentence with the way out, and never a traceback."""

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(say(key, **values))
        self.key = key


def few(names: Sequence[str]) -> str:
    """The names as a line has room for them."""
    shown = ", ".join(names[:SHOWN_IN_A_LINE])
    more = len(names) - SHOWN_IN_A_LINE
    return f"{shown} … +{more}" if more > 0 else shown


def chosen_language(option: str | None = None, environment: Mapping[str, str] = os.environ) -> Language:
    """The language of the command: `--language`, else COURSE_LANGUAGE, else the locale's (zh* is Chinese)."""
    wanted = option or environment.get(LANGUAGE_VARIABLE)
    if not wanted:
        return "zh" if _locale(environment).lower().startswith("zh") else "en"
    if wanted not in LANGUAGES:
        raise Problem("language.unknown", got=wanted, known=", ".join(LANGUAGES))
    return wanted


def _locale(environment: Mapping[str, str]) -> str:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            return environment[variable]
    return (locale.getlocale()[0] or "") if environment is os.environ else ""


CATALOG = Catalog((Path(__file__).parent, *helpers.text.CATALOG.folders))
say = CATALOG.say
say_in = CATALOG.say_in
sentence = partial(helpers.facts.sentence, catalog=CATALOG)
both = CATALOG.both
missing = CATALOG.missing
