"""Columns: which of a table's rows is the header, and what each column holds, by the words in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["id", "login", "lms", "name", "last", "first", "email", "grade", "most", "section"]
WORDS: dict[Kind, str] = {
    "id": "学号 学生学号 学生编号 学工号 学籍号 学号/工号 id号 "
    "idnumber studentid studentnumber studentno sisuserid",
    "login": "sisloginid username 用户名 登录名 账号 loginid login",
    "lms": "identifier 标识符 canvasid canvasuserid",
    "name": "姓名 学生姓名 全名 学生 fullname name studentname student",
    "last": "姓 姓氏 lastname surname familyname",
    "first": "名 名字 firstname givenname",
    "email": "电子邮件地址 电子邮件 电子邮箱 邮箱 email地址 email emailaddress e-mail",
    "grade": "成绩 得分 分数 总评 总评成绩 总成绩 grade score points mark",
    "most": "maximumgrade 最高成绩 最高分 最大成绩 最高评分 满分",
    "section": "section",
}
WHO: tuple[Kind, ...] = ("id", "login", "lms", "email", "name", "last")
LOOKED_AT = 30
BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class Column:
    """One column: where it stands (from 0), its title, with that of the row above or below, and its kind."""

    place: int
    title: str
    kind: Kind | None


@dataclass(frozen=True)
class Columns:
    """A table's header: its row (from 0), the first row below it, and its columns."""

    row: int
    first_row: int
    columns: tuple[Column, ...]

    def of(self, kind: Kind) -> Column | None:
        """The first column of a kind."""
        return next((column for column in self.columns if column.kind == kind), None)

    def named(self, title: str) -> list[Column]:
        """The columns with this title, or with this part in it, or with this letter (B, AC)."""
        wanted = plain(title)
        exact = [column for column in self.columns if wanted in _titles(column)]
        parts = [column for column in self.columns if wanted and wanted in plain(column.title)]
        return exact or parts or [column for column in self.columns if letters(column.place) == title.upper()]

    @property
    def is_canvas(self) -> bool:
        """True for the gradebook of Canvas, where ID is Canvas's own number."""
        return self.of("section") is not None and plain(self.columns[0].title) in ("student", "lastname")


def find(rows: Sequence[Sequence[str]], known: Sequence[str] = ()) -> Columns | None:
    """The header of a table: the first row with a word for a person and another known word, or with one of
    the titles in `known`."""
    asked = {plain(title) for title in known if title}
    for number, row in enumerate(rows[:LOOKED_AT]):
        kinds = [_kind(text) for text in row]
        if len({kind for kind in kinds if kind}) > 1 and any(kind in WHO for kind in kinds):
            return _columns(rows, number, asked)
        if asked & {plain(text) for text in row}:
            return _columns(rows, number, asked)
    return None


def plain(text: str) -> str:
    """A title without space, case, stars and colons, so that 学 号 and 学号* are 学号."""
    return re.sub(r"[\s*:]", "", unicodedata.normalize("NFKC", text)).casefold()


def letters(place: int) -> str:
    """A column's letters in a spreadsheet: A for 0."""
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def _columns(rows: Sequence[Sequence[str]], number: int, asked: set[str]) -> Columns:
    """The columns under a header's row; a row below it that says nothing of a person belongs to it."""
    row = rows[number]
    kinds = [_kind(text) for text in row]
    below = list(rows[number + 1]) if number + 1 < len(rows) else []
    who = [place for place, text in enumerate(row) if kinds[place] in WHO or plain(text) in asked]
    is_second = bool(any(below)) and all(
        place >= len(below) or not below[place] or plain(below[place]) == plain(row[place]) for place in who
    )
    titles = [
        _joined(text, below[place] if is_second and place < len(below) else "")
        for place, text in enumerate(row)
    ]
    if is_second:
        kinds = [
            kind or _kind(below[place] if place < len(below) else "") for place, kind in enumerate(kinds)
        ]
    columns = tuple(
        Column(place, title, kind) for place, (title, kind) in enumerate(zip(titles, kinds, strict=True))
    )
    found = Columns(number, number + 1 + is_second, columns)
    return found if not any(plain(text) == "id" for text in row) else _with_id(found)


def _with_id(found: Columns) -> Columns:
    """A column that only says ID: Canvas's own number in its gradebook, else the student's."""
    kind: Kind = "lms" if found.is_canvas else "id"
    changed = (
        Column(one.place, one.title, kind) if plain(one.title) == "id" else one for one in found.columns
    )
    return Columns(found.row, found.first_row, tuple(changed))


def _joined(above: str, below: str) -> str:
    return above if not below or plain(below) == plain(above) else f"{above} {below}".strip()


def _titles(column: Column) -> set[str]:
    whole = plain(column.title)
    return {whole, BRACKETS.sub("", whole), *map(plain, column.title.split())}


def _kind(text: str) -> Kind | None:
    whole = plain(text)
    for word in (whole, BRACKETS.sub("", whole)):
        for kind, words in WORDS.items():
            if word in words.split():
                return kind
    return None
