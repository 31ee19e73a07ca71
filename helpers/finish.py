"""The finish: a page with a student's own pictures and numbers, made when every exercise is right.

It is one HTML file beside the notebook, for the student alone: nothing of it is handed in or sent anywhere.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from helpers import guessing, writing
from helpers.facts import is_number, word
from helpers.lessons import Lesson
from helpers.tables import shown
from helpers.text import CATALOG, FALLBACK, Language, say_in, spoken

MOST_PICTURES, MOST_ROWS, MOST_CHARACTERS = 3, 40, 200
DRAWS = re.compile(r"\bplots\.(\w+)\(")
STYLE = """
body { margin: 0; background: #f5f7f9; color: #1c2733;
  font: 16px/1.6 system-ui, "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.45rem; line-height: 1.3; } h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
section { background: #fff; border: 1px solid #dde3e9; border-radius: 10px; padding: 1rem; margin: 1rem 0;
  overflow-wrap: anywhere; }
ul { list-style: none; padding: 0; margin: 0; } li span { color: #1a7f4b; font-weight: 700; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: #5b6773; }
th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid #dde3e9; }
.figure { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; height: auto; } figure { margin: 0 0 1rem; } .soft { color: #5b6773; }
@media print { section { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Picture:
    """A picture that the session drew: what it is called, what it shows, and its bytes as PNG."""

    title: str
    alt: str
    png: bytes


def file_of(lesson: Lesson) -> str:
    """What the page is called."""
    return f"finish-{lesson.name}.html"


def write(lesson: Lesson, right: Sequence[str], names: Mapping[str, Any], folder: Path) -> Path | None:
    """Write the page of this session, whose exercises `right` are; None where the folder takes no file."""
    path = folder / file_of(lesson)
    try:
        writing.replace(path, page(lesson, right, names, spoken()).encode("utf-8", "replace"))
    except OSError:
        return None
    return path


def page(lesson: Lesson, right: Sequence[str], names: Mapping[str, Any], language: Language) -> str:
    """The page, in this language."""

    def say(key: str, **values: object) -> str:
        return escape(say_in(language, f"finish.{key}", **values))

    promised = next((lesson.promise[one] for one in (language, *FALLBACK) if one in lesson.promise), "")
    title = say("title", number=lesson.number)
    parts = [
        f"<h1>{title}</h1>",
        f"<p>{escape(promised)}{say('stop')}</p>" if promised else "",
        _section(say("right", count=len(right)), _list(word(language, "concept", cell) for cell in right)),
        _section(say("guesses"), _compared(guesses(lesson, names, language), language)),
        *(
            _section(escape(word(language, "concept", cell)), _table(rows, say("decision")))
            for cell, rows in _decisions(lesson, names)
        ),
        _section(say("pictures"), "".join(map(_figure, pictures(names))) or f"<p>{say('no_pictures')}</p>"),
        f'<p class="soft">{say("foot")}</p>',
    ]
    return (
        f'<!doctype html>\n<html lang="{"zh-CN" if language == "zh" else escape(language)}">\n<head>\n'
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body><main>\n"
        + "\n".join(filter(None, parts))
        + "\n</main></body>\n</html>\n"
    )


def pictures(names: Mapping[str, Any]) -> list[Picture]:
    """The last pictures that the session drew, one of each kind at most, in the order of the notebook."""
    ran, results = names.get("In", ()), names.get("Out", {})
    found: dict[str, Picture] = {}
    for number, value in sorted(results.items()) if isinstance(results, dict) else ():
        if hasattr(value, "_repr_png_") and hasattr(value, "get_suptitle"):
            drawn = DRAWS.search(str(ran[number])) if number < len(ran) else None
            kind = drawn[1] if drawn else str(number)
            found.pop(kind, None)
            found[kind] = value
    return [_picture(value) for value in [*found.values()][-MOST_PICTURES:]]


def _picture(figure: Any) -> Picture:
    png, about = figure._repr_png_()
    return Picture(" · ".join(figure.get_suptitle().splitlines()), str(about.get("alt", "")), png)


def _decisions(lesson: Lesson, names: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The exercises whose answer is a dictionary, with its entries."""
    for exercise in lesson.exercises:
        for value in (names.get(name) for name in exercise.names):
            if isinstance(value, Mapping) and value:
                yield exercise.cell, [(_cut(key), _cell(one)) for key, one in _first(value)]


def guesses(lesson: Lesson, names: Mapping[str, Any], language: Language) -> list[tuple[str, object, object]]:
    """Each question, what was guessed and what came out, None for what is not there: as `guessing` keeps
    them, or in the notebook's two dictionaries."""
    asked = lesson.words.get("guess", {})
    kept = [
        (word(language, "guess", key), one.guessed, one.computed)
        for key, one in guessing.read().items()
        if key in asked
    ]
    return kept or _in_dictionaries(names)


def _in_dictionaries(names: Mapping[str, Any]) -> list[tuple[str, object, object]]:
    guessed, came = names.get("guesses"), names.get("computed")
    came = came if isinstance(came, Mapping) else {}
    found = guessed if isinstance(guessed, Mapping) else {}
    return [(_cut(key), value, came.get(key)) for key, value in _first(found)]


def _compared(found: Sequence[tuple[str, object, object]], language: Language) -> str:
    """Guesses and what came out side by side, with the factor between them."""
    if not found:
        return ""
    heads = [_head(language, key) for key in ("question", "guessed", "computed")]
    heads.append(escape(say_in(language, "finish.factor")))
    rows = [(question, _cell(guess), _cell(came), _factor(guess, came)) for question, guess, came in found]
    return _table(rows, escape(say_in(language, "finish.guess_caption")), heads)


def _factor(guessed: object, came: object) -> str:
    if not (is_number(guessed) and is_number(came)) or guessed <= 0 or came <= 0:
        return "–"
    return f"× {max(guessed, came) / min(guessed, came):.3g}"


def _head(language: Language, key: str) -> str:
    """A heading: the general word, else the key."""
    return escape(say_in(language, f"column.{key}") if f"column.{key}" in CATALOG else key)


def _first(values: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return [*values.items()][:MOST_ROWS]


def _table(rows: Sequence[Sequence[str]], caption: str, heads: Sequence[str] = ()) -> str:
    """Rows of plain text under headings, which are HTML already, as the caption is."""
    classes = ["", *[' class="figure"'] * len(heads)]
    head = "".join(f'<th scope="col"{kind}>{one}</th>' for one, kind in zip(heads, classes, strict=False))
    head = f"<thead><tr>{head}</tr></thead>" if heads else ""
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f'<td class="figure">{escape(one)}</td>' for one in others)
        + "</tr>"
        for first, *others in rows
    )
    return f"<table><caption>{caption}</caption>{head}<tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    """A value as tables show it; a dictionary within a decision as its entries."""
    if isinstance(value, Mapping):
        return _cut(", ".join(f"{key}: {_cell(one)}" for key, one in _first(value)))
    return _cut(shown(value))


def _cut(value: object) -> str:
    text = str(value)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _figure(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode()
    return (
        f'<figure><img alt="{escape(picture.alt)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{escape(picture.title)}</figcaption></figure>"
    )


def _list(items: Iterator[str]) -> str:
    return "<ul>" + "".join(f"<li><span>✓</span> {escape(item)}</li>" for item in items) + "</ul>"


def _section(heading: str, content: str) -> str:
    return f"<section><h2>{heading}</h2>{content}</section>" if content else ""
