"""Answers that look copied: found whatever was changed in the copy, and honest ones are not."""

from __future__ import annotations

from pathlib import Path

import pytest
import small
from nbformat import NotebookNode

from course.lesson import cells, notebooks, regions
from course.lesson.folder import CourseFolder
from course.reporting import fingerprints, similarity
from course.reporting.clusters import clusters
from course.reporting.marks import GradedAnswer, Marks
from course.reporting.similarity import AlikeAnswers
from course.sandbox.sandbox import unavailable

COPIED = '''def double(number):
    """Twice the number."""
    # in steps of one, both ways
    total, step = 0, 1
    if number < 0:
        step = -1
    position = 0
    while position != number:
        total += 2 * step
        position += step
    checked = [total for _ in range(2)]
    assert checked[0] == checked[-1], "never"
    return {"double_ms": checked.pop(), "steps": abs(position)}


def halve(number):
    low, high = 0, max(number, 1)
    while high - low > 1e-9:
        middle = (low + high) / 2
        if double(middle)["double_ms"] < number:
            low = middle
        else:
            high = middle
    return round(high, 6)'''
FIRST, SECOND = COPIED.split("\n\n\n")
NAMES = {
    "total": "summe",
    "step": "schritt",
    "middle": "mitte",
    "number": "zahl",
    "position": "ort",
    "halve": "teil",
}


def renamed(source: str) -> str:
    for one, other in NAMES.items():
        source = source.replace(one, other)
    return source


CHANGED = {
    "pass": COPIED.replace("        step = -1\n", "        step = -1\n        pass\n"),
    "one word": COPIED.replace("<", "<=", 1),
    "names": renamed(COPIED),
    "order": f"{SECOND}\n\n\n{FIRST}",
    "comments": "# mine\n"
    + COPIED.replace("# in steps of one, both ways", "").replace("Twice", "I wrote this"),
    "layout": COPIED.replace("    ", "  ").replace("(low + high) / 2", "((low +\n    high) / (2))"),
    "a line between": COPIED.replace("    position = 0\n", '    print("start")\n    position = 0\n'),
}
LONGER = [
    """def double(number):
    digits = [int(d) for d in reversed(str(number))]
    carry, out = 0, []
    for d in digits:
        carry, unit = divmod(2 * d + carry, 10)
        out.append(unit)
    if carry:
        out.append(carry)
    return {"double_ms": int("".join(map(str, reversed(out))))}""",
    """import functools
def double(number):
    pairs = zip([number], [number])
    sums = functools.reduce(lambda a, b: a + b, [x + y for x, y in pairs], 0)
    if not isinstance(sums, (int, float)):
        raise TypeError("number")
    answer = {}
    answer["double_ms"] = sums
    return answer""",
    """class Doubler:
    def __init__(self, factor):
        self.factor = factor
    def __call__(self, value):
        return self.factor * value
def double(number):
    doubler = Doubler(2)
    try:
        return {"double_ms": doubler(number)}
    except TypeError as error:
        raise ValueError(str(error)) from error""",
    """def double(number):
    result = number
    bits = 1
    for bit in range(bits):
        result = result << 1 if isinstance(result, int) else result * 2
    return dict(double_ms=result)""",
]
# Thirty right answers to a short exercise, as people write them; many write the same
SHORT = [
    *['return {"double_ms": 2 * number}'] * 9,
    *['return {"double_ms": number * 2}'] * 6,
    *['result = 2 * number\n    return {"double_ms": result}'] * 4,
    *['return {"double_ms": number + number}'] * 3,
    *["return dict(double_ms=2 * number)"] * 2,
    'out = {}\n    out["double_ms"] = number * 2\n    return out',
    'out = {}\n    out["double_ms"] = 2 * number\n    return out',
    'double_ms = number * 2\n    return {"double_ms": double_ms}',
    'return {"double_ms": sum([number, number])}',
    'return {"double_ms": float(2 * number)}',
    'if number == 0:\n        return {"double_ms": 0}\n    return {"double_ms": 2 * number}',
]


def alike(sources: dict[str, str]) -> tuple[AlikeAnswers, ...]:
    """What the report would show of these answers to the small lesson."""
    graded = [Marks(who, "en", (), (), {"double": GradedAnswer(source)}) for who, source in sources.items()]
    return compared(graded, small.master(), small.master())


def compared(graded: list[Marks], master: NotebookNode, release: NotebookNode) -> tuple[AlikeAnswers, ...]:
    return similarity.answers(graded, master, release, {found.student: found for found in graded}.__getitem__)


def written(body: str) -> str:
    return f"def double(number):\n    {body}"


def others(count: int) -> dict[str, str]:
    """Students who worked by themselves."""
    honest = [*LONGER, *map(written, SHORT)]
    return {f"other{number:02}": honest[number % len(honest)] for number in range(count)}


@pytest.mark.parametrize("size", [0, 3, 25])
def test_five_copies_are_one_cluster(size: int) -> None:
    (found,) = alike({**{f"copy{n}": COPIED for n in range(5)}, **others(size)})
    assert found.students == ("copy0", "copy1", "copy2", "copy3", "copy4")
    assert found.share == 1
    (common,) = found.common
    assert "total += 2 * step" in common.source


@pytest.mark.parametrize("how", CHANGED)
@pytest.mark.parametrize("size", [0, 25])
def test_a_copy_is_found_whatever_was_changed(how: str, size: int) -> None:
    (found,) = alike({"lin": COPIED, "mo": CHANGED[how], **others(size)})
    assert found.students == ("lin", "mo")
    assert found.share > 0.7


def test_copies_of_copies_are_one_connected_group() -> None:
    (found,) = alike({**CHANGED, **others(25)})
    assert found.students == tuple(sorted(CHANGED))


def test_two_groups_are_two_clusters_the_larger_first() -> None:
    other = (
        COPIED.replace("while", "if")
        .replace("+= 2", "-= 3")
        .replace("/ 2", "// 7")
        .replace("range(2)", "'ab'")
    )
    other = other.replace("low", "[0]").replace("position", "(yield)")
    found = alike({"a": COPIED, "b": COPIED, "c": other, "d": other, "e": other, **others(25)})
    assert [one.students for one in found] == [("c", "d", "e"), ("a", "b")]


def test_thirty_right_answers_to_a_short_exercise_are_no_copies() -> None:
    assert len(SHORT) == 30
    assert alike({f"student{n:02}": written(body) for n, body in enumerate(SHORT)}) == ()


def test_what_the_whole_class_writes_is_no_sign() -> None:
    assert alike({f"student{n:02}": COPIED for n in range(30)}) == ()


def test_the_reference_and_the_release_are_nobodys_to_copy() -> None:
    master = small.master()
    small.cell(master, "double").source = f"### BEGIN SOLUTION\n{COPIED}\n### END SOLUTION"
    graded = [Marks(who, "en", (), (), {"double": GradedAnswer(COPIED)}) for who in ("lin", "mo")]
    assert compared(graded, master, small.master()) == ()
    assert compared(graded, small.master(), master) == ()
    assert compared(graded, small.master(), small.master()) != ()


def test_texts_are_compared_by_their_words() -> None:
    master = small.master()
    small.cell(master, "task").metadata["nbgrader"] = {
        "solution": True,
        "grade": True,
        "grade_id": "task",
        "points": 1,
    }
    text = (
        "每一轮都要把权重从显存里读一遍，所以 batch 小的时候时间由带宽决定。"
        "batch 变大以后，同一份权重服务更多的 token，算力渐渐成了瓶颈，这时再加大 batch 就没有用了。"
    )
    essays = {
        "lin": text,
        "mo": text.replace("，", ", "),
        "wu": "读权重很慢。 算得快没有用，先看带宽够不够，再看能放下多少 KV cache。",
    }
    graded = [Marks(who, "zh", (), (), {"task": GradedAnswer(essay)}) for who, essay in essays.items()]
    (found,) = compared(graded, master, master)
    assert found.students == ("lin", "mo")


@pytest.mark.parametrize("lesson", CourseFolder(small.ROOT).lessons())
def test_of_a_sample_class_the_pair_that_copied_is_found_and_nobody_else(lesson: str) -> None:
    course = CourseFolder(small.ROOT)
    solutions = (cell for cell in notebooks.load(course.master(lesson)).cells if cells.is_solution(cell))
    given = {
        one.value
        for cell in solutions
        for one in fingerprints.of_code(regions.without(cell.source, "marker"))
    }
    folder = course.secret_half(lesson) / "sample_class"
    answers = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "answers").glob("*.py")}
    prints = {
        who: frozenset(one.value for one in fingerprints.of_code(text)) for who, text in answers.items()
    }
    rows = (
        (folder / "alike.csv").read_text(encoding="utf-8").split()[1:]
        if (folder / "alike.csv").is_file()
        else []
    )
    pairs = [tuple(sorted(student.split("-")[1] for student in row.split(","))) for row in rows]
    found = clusters({who: one - given for who, one in prints.items()})
    assert [one.members for one in found] == pairs


@pytest.mark.skipif(unavailable() is not None, reason="no sandbox on this machine")
def test_the_report_shows_the_clusters_in_both_languages(tmp_path: Path) -> None:
    made = small.course(tmp_path)
    for number in range(5):
        small.hand_in(made, f"copy{number}", small.answered(small.master(), list(CHANGED.values())[number]))
    for student, source in others(7).items():
        small.hand_in(made, student, small.answered(small.master(), source))
    small.run(made, "release")
    small.run(made, "grade", small.LESSON)
    names = "copy0, copy1, copy2, copy3, copy4"
    assert names in " ".join(small.run(made, "report", small.LESSON, "--html", "en.html").split())
    small.run(made, "--language", "zh", "report", small.LESSON, "--html", "zh.html")
    english, chinese = ((made.root / f"{one}.html").read_text(encoding="utf-8") for one in ("en", "zh"))
    assert f"{names}: " in english
    assert "What they have in common" in english
    assert f"{names}：" in chinese
    assert "共同的部分" in chinese
    assert "2 * step" in english
    assert notebooks.load(made.autograded("copy0", small.LESSON)).cells
