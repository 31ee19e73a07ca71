"""Names in zips: those without the UTF-8 mark are in a code page that nobody names.

One is chosen for the whole archive: the first in which every name is plausible.
"""

from __future__ import annotations

import unicodedata
import zipfile
from collections.abc import Callable, Iterable

UTF8_FLAG = 0x800
ASSUMED = "cp437"  # in which the zipfile module has read them
CODE_PAGES = ("utf-8", ASSUMED, "gb18030", "cp850")
EAST_ASIAN = ("W", "F")


def code_page(entries: Iterable[zipfile.ZipInfo]) -> str:
    """The code page of an archive's unmarked names; empty where no name asks for one."""
    raw = [name for entry in entries if (name := _raw(entry)) is not None]
    if not raw:
        return ""
    return next((page for page in CODE_PAGES if _fits(raw, page)), ASSUMED)


def name_of(entry: zipfile.ZipInfo, page: str) -> str:
    """The entry's name, read in this code page if it has no mark of its own."""
    raw = _raw(entry)
    if raw is None or not page:
        return entry.filename
    try:
        return raw.decode(page)
    except UnicodeDecodeError:
        return entry.filename


def _raw(entry: zipfile.ZipInfo) -> bytes | None:
    """The bytes of a name that says nothing of its encoding and needs one."""
    if entry.flag_bits & UTF8_FLAG or entry.filename.isascii():
        return None
    try:
        return entry.filename.encode(ASSUMED)
    except UnicodeEncodeError:
        return None


def _fits(raw: list[bytes], page: str) -> bool:
    try:
        names = [name.decode(page) for name in raw]
    except UnicodeDecodeError:
        return False
    letters = [letter for name in names for letter in name if not letter.isascii()]
    return PLAUSIBLE[page](letters)


def _is_text(letters: list[str]) -> bool:
    return all(letter.isprintable() or unicodedata.combining(letter) for letter in letters)


def _is_accented(letters: list[str]) -> bool:
    return all(letter.isalpha() and "LATIN" in unicodedata.name(letter, "") for letter in letters)


def _is_chinese(letters: list[str]) -> bool:
    """Chinese letters and signs, most of them common ones: two bytes taken at random are a rare letter."""
    if not all(
        unicodedata.east_asian_width(letter) in EAST_ASIAN or letter in "“”‘’·—…" for letter in letters
    ):
        return False
    return 2 * sum(_is_common(letter) for letter in letters) >= len(letters)


def _is_common(letter: str) -> bool:
    try:
        return bool(letter.encode("gb2312"))
    except UnicodeEncodeError:
        return False


PLAUSIBLE: dict[str, Callable[[list[str]], bool]] = {
    "utf-8": _is_text, ASSUMED: _is_accented, "gb18030": _is_chinese, "cp850": _is_accented,
}  # fmt: skip
