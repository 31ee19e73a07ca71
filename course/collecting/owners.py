"""Owners: who somebody is by the name of a file or a folder, and the id that this name makes.

An id is made of the name alone, never of who else is there; two names never make the same one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from course.collecting.moments import Moment

ID_CHARACTERS = 80
ID_BYTES = 200
NAME_CHARACTERS = 255
DIGITS = 4  # so many in a row are somebody's number; fewer count something
# Read from behind, where they stand: looked for from the front, each takes the square of a name's length.
ENDINGS = re.compile(r"(?:bnypi\.|txt\.|nosj\.|piz\.|daolnwod\.)+", re.IGNORECASE)
COPY = re.compile(r"(?:(?:\)\d+\(|）\d+（|本副|\d*ypoc|\d+-)[\s_-]*)+", re.IGNORECASE)
COPY_OF = re.compile(r"^(?:copy of|副本|复件)\s*[-_]?\s*", re.IGNORECASE)
COPIED = re.compile(
    r"[\s_-]*(?:[(（]\d{1,2}[)）]|(?<=[^\W\d_])-\d|的?副本(?:\s?\d{1,2})?|(?<=[\s_-])copy(?:\s?\d{1,2})?|(?<=[\s_-])late)$",
    re.IGNORECASE,
)
OTHERS = re.compile(r"\.(?:pdf|docx?|py|html?|rar|7z)$", re.IGNORECASE)
AROUND = " _-.,，、“”\"'「」《》"
COUNTED = {"s", "u", "g", "stu", "student", "user", "group", "team", "学生", "同学", "组", "小组", "第"}
GENERIC = {
    "notebook", "notebooks", "untitled", "final", "draft", "new", "old", "copy", "copyof", "of",
    "version", "v", "ver", "part", "hw", "homework", "assignment", "assignments", "lab", "labs",
    "exercise", "exercises", "lesson", "submission", "submissions", "submitted", "download",
    "downloads", "export", "inbound", "results", "result", "answers", "answer", "solution", "src",
    "code", "data", "class", "course", "students", "all", "files", "file", "work", "my", "mine", "our",
    "test", "tmp", "temp", "archive", "zip", "handin", "hand", "in", "task", "week", "readme", "index",
    "grades", "metadata", "manifest", "feedback", "folder", "top", "moodle", "canvas", "last",
    "gradescope", "nbgrader", "late", "the", "real", "ok", "done", "fixed", "backup", "monday",
    "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "attachments", "upload",
    "uploads", "try", "attempt",
    "作业", "我的作业", "提交", "作业提交", "下载", "课程", "课", "第", "实验", "练习",
    "答案", "结果", "最终", "最终版", "终稿", "初稿", "新建", "新建文件夹", "副本", "未命名",
    "全部", "班", "班级", "全班", "附件", "文件", "上传", "说明", "成绩", "雨课堂",
    "课堂",
}  # fmt: skip

HAND_IN = {
    "作业", "我的作业", "提交", "答案", "实验", "练习", "最终", "最终版", "终稿", "初稿", "homework", "hw",
    "assignment", "submission", "handin", "notebook", "exercise", "lab", "final", "draft", "version", "v",
}  # fmt: skip

Certainty = Literal["told", "lms", "roster", "guess", "typed"]


@dataclass(frozen=True)
class Owner:
    """Whose a file is: the id, the name that said so, and how sure that is.

    The instructor told it, a learning platform wrote it, the roster knows it, a name was taken for it, or the
    student typed it. `group` holds everyone, this one too, to whom a hand-in of several belongs.
    """

    id: str
    name: str
    certainty: Certainty
    number: str = ""
    moment: Moment | None = None
    order: int = 0
    on_roster: bool = True
    group: tuple[Owner, ...] = ()

    @property
    def is_guess(self) -> bool:
        """True where nobody but a name says it."""
        return self.certainty in ("guess", "typed")


def student_id(name: str) -> str:
    """A name that a folder and nbgrader can bear: letters of any script, digits, `.`, `_` and `-`.

    Where that is not the name itself, a digest of the name makes it this name's only.
    """
    name = unicodedata.normalize("NFC", name[: 4 * NAME_CHARACTERS])
    plain = _plain(name)
    if plain == name and len(plain) <= ID_CHARACTERS and len(plain.encode("utf-8")) <= ID_BYTES:
        return plain
    return _fitting(plain, "-" + _digest(name))


def platforms_id(name: str, number: str) -> str:
    """The id of whom a learning platform gives a number: name and number, however long the name is."""
    return _fitting(_plain(unicodedata.normalize("NFC", name[:NAME_CHARACTERS])), f"_{number[:20]}")


def bare(name: str) -> str:
    """A file's name without endings and without what browsers add to a second download."""
    backwards = name[::-1]
    for added in (ENDINGS, COPY):
        found = added.match(backwards)
        backwards = backwards[found.end() :] if found else backwards
    return backwards[::-1].strip()


def person(name: str, lesson: str) -> str:
    """The part of a file's or folder's name that may be a person's; empty where nothing is left.

    `Copy of`, “…”的副本, ` - Copy`, `(1)`, `-2`, `LATE` and the lesson's own name say nothing of anybody; a
    number behind a word that counts people does (`group-2`).
    """
    rest, before = _without_endings(name[:NAME_CHARACTERS]), None
    while rest != before:
        before = rest
        for without in (COPY_OF.sub, COPIED.sub):
            cut = without("", rest)
            rest = rest if cut == rest or _counts(cut, rest) else _without_endings(cut.strip(AROUND))
        cut = _without_words(_without_lesson(rest, lesson))
        rest = rest if cut == rest else cut.strip(AROUND)
    return rest if is_personal(rest) else ""


def is_personal(name: str) -> bool:
    """True for a name that may be somebody's: more than words for hand-ins, and more than a count."""
    return any(_is_personal(word) for word in re.findall(r"[^\W_]+", name))


def is_generic(name: str, lesson: str) -> bool:
    """True for a name made of words for hand-ins only, such as `submissions` or `hw1`."""
    rest = _without_lesson(_without_endings(name[:NAME_CHARACTERS]), lesson)
    words = re.findall(r"[^\W\d_]+", rest)
    if re.search(rf"\d{{{DIGITS}}}", rest) or (not words and re.search(r"\d", rest)):
        return False
    return all(word.casefold() in GENERIC for word in words) if words else not rest.strip(AROUND)


def _is_personal(word: str) -> bool:
    letters = word.strip("0123456789").casefold()
    if not letters:
        return len(word) >= DIGITS
    return len(word) > 1 and letters not in GENERIC


def _counts(cut: str, whole: str) -> bool:
    """True where the number that would be cut off says which of several people it is."""
    last = re.findall(r"[^\W\d_]+", cut)[-1:]
    return bool(last) and last[0].casefold() in COUNTED and whole.rstrip(")）")[-1:].isdigit()


def _without_endings(name: str) -> str:
    found = ENDINGS.match(name[::-1])
    return OTHERS.sub("", name[: len(name) - found.end()] if found else name)


def _without_lesson(name: str, lesson: str) -> str:
    words = r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", lesson)))
    whole = rf"(?:(?<![^\W_])hand-?in[\s_-]*)?(?<![^\W_]){words}(?![^\W\d_])"
    return re.sub(whole, " ", name, flags=re.IGNORECASE)


def _without_words(name: str) -> str:
    """The name without words for hand-ins in front and behind (`2026001_李丽_作业`)."""
    words = re.split(r"([\s_-]+)", name)
    while len(words) > 1 and _is_hand_in(words[-1]):
        words = words[:-2]
    while len(words) > 1 and _is_hand_in(words[0]):
        words = words[2:]
    return "".join(words)


def _is_hand_in(word: str) -> bool:
    return re.sub(r"\d{0,2}$", "", word).casefold() in HAND_IN


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name, flags=re.UNICODE).strip(".-")


def _fitting(plain: str, ending: str) -> str:
    """As much of the name as an id bears, and its ending whole; what is cut off is in a digest."""
    cut = plain[: ID_CHARACTERS - len(ending)].encode("utf-8", "ignore")[: ID_BYTES - len(ending.encode())]
    kept = cut.decode("utf-8", "ignore").strip(".-")
    return f"{kept or 'student'}{ending}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
