"""A lesson of the tests' own, for tests of the machinery: how long copying takes, and how much to copy.

Four exercises: a function of numbers, one that returns names, one that reads records, and a value that is a
decision. `honest`, `blank` and the others are what students hand in of it.
"""

from __future__ import annotations

from pathlib import Path

import small
from handout import Handout
from nbformat import NotebookNode
from small import check, code, markdown

from course.lesson.folder import CourseFolder
from helpers.lessons import Exercise, Lesson

LESSON = "copying-files"
FULL, OF_COPY, OF_STOP = 11.0, 4.0, 3.0
EXERCISES = {"copy": ["copy_time"], "walls": ["narrowest"], "stop": ["largest_within"], "choice": ["choice"]}
PUBLIC_HALF = Lesson(LESSON, tuple(Exercise(cell, tuple(names)) for cell, names in EXERCISES.items()))
FILE = {
    "number": 1,
    "exercises": EXERCISES,
    "words": {
        "concept": {
            "copy": {"zh": "TODO 1 复制的时间", "en": "TODO 1 the time of a copy"},
            "walls": {"zh": "TODO 2 最窄的地方", "en": "TODO 2 the narrowest place"},
            "stop": {"zh": "TODO 3 到哪里为止", "en": "TODO 3 where to stop"},
            "choice": {"zh": "选择", "en": "the choice"},
            "copy-units": {"zh": "单位换算", "en": "unit conversion"},
            "copy-overhead": {"zh": "开销", "en": "overhead"},
            "copy-nothing": {"zh": "空文件", "en": "an empty file"},
            "copy-refuses": {"zh": "坏输入", "en": "bad input"},
            "walls-each": {"zh": "只有一个", "en": "one alone"},
            "walls-together": {"zh": "几个并列", "en": "several at once"},
            "stop-slow": {"zh": "太慢就停", "en": "stop when too slow"},
            "stop-unsorted": {"zh": "乱序输入", "en": "unsorted input"},
            "stop-zero": {"zh": "一个也不行", "en": "not even one"},
            "choice-files": {"zh": "选几个", "en": "how many"},
            "choice-reason": {"zh": "依据", "en": "the reason"},
        },
        "idea": {
            "gibi_for_giga": {"zh": "把 GB 当成 2³⁰ 字节", "en": "GB is taken as 2^30 bytes"},
            "left_in_seconds": {"zh": "忘了把秒换成毫秒", "en": "seconds are not turned into milliseconds"},
            "nothing_divided_by": {"zh": "除以了一个空的总数", "en": "an empty total is divided by"},
            "always_rounded_up": {"zh": "向上取整", "en": "the bound is rounded up"},
        },
    },
}
MUTANTS = """
[[mutant]]
idea = "gibi_for_giga"
exercise = "copy"
[[mutant.edit]]
old = "* 1e9"
new = "* 2**30"
"""
TEXTS = {
    "title": ("# 复制文件", "# Copying files"),
    "copy-text": ("## 1 要多久？", "## 1 How long does it take?"),
    "copy-use": ("用它算两种存储。", "Use it for two kinds of storage."),
    "walls-text": ("## 2 最窄的地方在哪？", "## 2 Where is it narrowest?"),
    "stop-text": ("## 3 到哪里为止？", "## 3 Where to stop?"),
    "choice-text": ("## 4 做决定", "## 4 Decide"),
    "end": ("完。", "The end."),
}
SETUP = """# @title 准备 · set up
import sys

from helpers import platforms"""
IMPORTS = """from helpers import checks, plots

TRIALS = [
    {"files": 10, "copy_ms": 20.0},
    {"files": 20, "copy_ms": 45.0},
    {"files": 40, "copy_ms": 90.0},
]"""
COPY = '''def copy_time(size_bytes, bandwidth_gbps, overhead_ms=0.0):
    """复制一个文件的毫秒数 · milliseconds to copy a file"""
    # 坏输入抛出 ValueError · bad input raises ValueError
    ### BEGIN SOLUTION
    if size_bytes < 0 or bandwidth_gbps <= 0 or overhead_ms < 0:
        raise ValueError("size_bytes and overhead_ms must be >= 0, bandwidth_gbps > 0")
    transfer_ms = size_bytes / (bandwidth_gbps * 1e9) * 1e3
    return {"transfer_ms": transfer_ms, "overhead_ms": overhead_ms, "total_ms": transfer_ms + overhead_ms}
    ### END SOLUTION'''
COPY_CHECK = """found = copy_time(2_000_000, 1.0, 0.5)
checks.close(found, transfer_ms=2.0, total_ms=2.5, ideas={"gibi_for_giga": {"transfer_ms": 1.862645}})
checks.raises(ValueError, copy_time, {"size_bytes": 1, "bandwidth_gbps": 1.0}, {"bandwidth_gbps": -1.0})
checks.passed("copy")"""
COPY_UNITS = """# 评分：单位换算 · graded: unit conversion
### BEGIN HIDDEN TESTS
with checks.concept("copy-units"):
    found = checks.call(copy_time, size_bytes=1_000_000_000, bandwidth_gbps=100.0)
    checks.close(found, transfer_ms=10.0, ideas={"gibi_for_giga": {"transfer_ms": 9.31322574615}})
### END HIDDEN TESTS"""
COPY_OVERHEAD = """# 评分：开销 · graded: overhead
### BEGIN HIDDEN TESTS
with checks.concept("copy-overhead"):
    found = checks.call(copy_time, size_bytes=95e9, bandwidth_gbps=100.0, overhead_ms=50.0)
    checks.close(found, overhead_ms=50.0)
    checks.close({"added_ms": found["total_ms"] - found["transfer_ms"]}, added_ms=50.0)
### END HIDDEN TESTS"""
COPY_NOTHING = """# 评分：空文件 · graded: an empty file
### BEGIN HIDDEN TESTS
with checks.concept("copy-nothing"):
    found = checks.call(copy_time, size_bytes=0, bandwidth_gbps=3.0, overhead_ms=0.25)
    checks.close(found, transfer_ms=0.0, total_ms=0.25)
### END HIDDEN TESTS"""
COPY_REFUSES = """# 评分：坏输入 · graded: bad input
### BEGIN HIDDEN TESTS
with checks.concept("copy-refuses"):
    usual = {"size_bytes": 10, "bandwidth_gbps": 1.0, "overhead_ms": 0.0}
    wrong = ({"size_bytes": -1}, {"bandwidth_gbps": 0.0}, {"overhead_ms": -0.1})
    checks.raises(ValueError, copy_time, usual, *wrong)
    for overhead_ms in (0.5, 2.0):
        checks.equal(checks.call(copy_time, **usual | {"overhead_ms": overhead_ms}), overhead_ms=overhead_ms)
### END HIDDEN TESTS"""
WALLS = '''def narrowest(limits):
    """最小的上界，和所有等于它的名字 · the smallest limit, and all that equal it"""
    ### BEGIN SOLUTION
    smallest = min(limits.values())
    return {"limit": smallest, "binding": [name for name in limits if limits[name] == smallest]}
    ### END SOLUTION'''
WALLS_CHECK = """checks.equal(narrowest({"disk": 3, "net": 5}), limit=3, binding={"disk"})
checks.equal(narrowest({"disk": 3, "net": 3}), limit=3, binding={"disk", "net"})
checks.passed("walls")"""
WALLS_EACH = """# 评分：只有一个 · graded: one alone
### BEGIN HIDDEN TESTS
with checks.concept("walls-each"):
    found = checks.call(narrowest, limits={"disk": 8, "net": 2, "memory": 9})
    checks.equal(found, limit=2, binding={"net"})
### END HIDDEN TESTS"""
WALLS_TOGETHER = """# 评分：几个并列 · graded: several at once
### BEGIN HIDDEN TESTS
with checks.concept("walls-together"):
    found = checks.call(narrowest, limits={"disk": 6, "net": 7, "memory": 6})
    checks.equal(found, limit=6, binding={"disk", "memory"})
### END HIDDEN TESTS"""
STOP = '''def largest_within(records, max_ms):
    """不超过 max_ms 的最多文件数 · the most files within max_ms"""
    ### BEGIN SOLUTION
    chosen, reason = 0, "largest"
    for record in sorted(records, key=lambda item: item["files"]):
        if record["copy_ms"] > max_ms:
            reason = "too_slow"
            break
        chosen = record["files"]
    return {"files": chosen, "reason": reason}
    ### END SOLUTION'''
STOP_CHECK = """checks.equal(largest_within(TRIALS, 30.0), files=10, reason="too_slow")
checks.equal(largest_within(TRIALS[::-1], 99.0), files=40, reason="largest")
checks.passed("stop")"""
STOP_SLOW = """# 评分：太慢就停 · graded: stop when too slow
### BEGIN HIDDEN TESTS
with checks.concept("stop-slow"):
    rows = [{"files": 1, "copy_ms": 2.0}, {"files": 2, "copy_ms": 9.0}, {"files": 3, "copy_ms": 1.0}]
    checks.equal(checks.call(largest_within, records=rows, max_ms=5.0), files=1, reason="too_slow")
### END HIDDEN TESTS"""
STOP_UNSORTED = """# 评分：乱序输入 · graded: unsorted input
### BEGIN HIDDEN TESTS
with checks.concept("stop-unsorted"):
    shuffled = [{"files": 7, "copy_ms": 8.0}, {"files": 3, "copy_ms": 4.0}, {"files": 5, "copy_ms": 6.0}]
    found = checks.leaves_unchanged(largest_within, records=shuffled, max_ms=7.0)
    checks.equal(found, files=5, reason="too_slow")
### END HIDDEN TESTS"""
STOP_ZERO = """# 评分：一个也不行 · graded: not even one
### BEGIN HIDDEN TESTS
with checks.concept("stop-zero"):
    found = checks.call(largest_within, records=[{"files": 4, "copy_ms": 3.0}], max_ms=1.0)
    checks.equal(found, files=0, reason="too_slow")
### END HIDDEN TESTS"""
CHOICE = """# choice = {"files": ..., "reason": ...}
### BEGIN SOLUTION
choice = largest_within(TRIALS, 50.0)
### END SOLUTION
choice"""
CHOICE_FILES = """# 评分：选几个 · graded: how many
### BEGIN HIDDEN TESTS
with checks.concept("choice-files"):
    checks.equal(choice, files=20)
### END HIDDEN TESTS"""
CHOICE_REASON = """# 评分：依据 · graded: the reason
### BEGIN HIDDEN TESTS
with checks.concept("choice-reason"):
    checks.equal(choice, reason="too_slow")
### END HIDDEN TESTS"""


def text(name: str) -> NotebookNode:
    """A text cell in Chinese."""
    return markdown(name, TEXTS[name][0])


def section(name: str, answer: str, look: str, seen: str, **graded: str) -> list[NotebookNode]:
    """An exercise with its text, a look at it, its visible check and its graded ones."""
    return [
        text(f"{name}-text"),
        code(name, answer, solution=True),
        code(f"{name}-look", look),
        code(f"{name}-check", seen, locked=True),
        *(check(f"{name}-{concept}", source) for concept, source in graded.items()),
    ]


def master() -> NotebookNode:
    """The Chinese master."""
    copying = section(
        "copy", COPY, "copy_time(1_000_000, 1.0)", COPY_CHECK,
        units=COPY_UNITS, overhead=COPY_OVERHEAD, nothing=COPY_NOTHING, refuses=COPY_REFUSES,
    )  # fmt: skip
    copying[4:4] = [text("copy-use"), code("copy-rate", 'DISK, NETWORK = 2.0, 0.1\n"GB/s", DISK, NETWORK')]
    return small.notebook(
        LESSON,
        [
            text("title"),
            code("setup", SETUP),
            small.language_cell(),
            code("imports", IMPORTS),
            *copying,
            *section("walls", WALLS, 'narrowest({"disk": 1})', WALLS_CHECK,
                     each=WALLS_EACH, together=WALLS_TOGETHER),
            *section("stop", STOP, "largest_within(TRIALS, 30.0)", STOP_CHECK,
                     slow=STOP_SLOW, unsorted=STOP_UNSORTED, zero=STOP_ZERO),
            text("choice-text"),
            code("choice", CHOICE, solution=True),
            check("choice-files", CHOICE_FILES),
            check("choice-reason", CHOICE_REASON),
            text("end"),
        ],
    )  # fmt: skip


MASTERS = {"zh": master(), "en": small.english(master(), TEXTS)}
HANDOUT = Handout(LESSON, MASTERS)
blank, honest, answer = HANDOUT.blank, HANDOUT.honest, HANDOUT.answer
ASSIGNMENT = HANDOUT.assignment


def useless() -> dict:
    """Functions that know nothing: what an attacker may earn without an attack."""
    return honest(
        copy="def copy_time(*a, **k):\n    return {}",
        walls="def narrowest(*a, **k):\n    return {}",
        stop="def largest_within(*a, **k):\n    return {}",
        choice="choice = {}",
    )


def course(folder: Path) -> CourseFolder:
    """A course with this one lesson, in a folder that the test owns."""
    return small.course(folder, MASTERS["zh"], FILE, TEXTS, MUTANTS)
