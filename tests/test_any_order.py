"""Late, longer, by hand, a test mended, a concept regraded, graded anew, in any order: the points are those
of grading from scratch with the same facts, and no mark by hand is lost.

Each pair of a master and an answer is examined once for the whole module: what is tried here is what becomes
of verdicts, not how they are reached.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import small
from small import LESSON

from course.authoring import release
from course.grading import deadlines, grade, graders, lateness, regrading
from course.grading.gradebook import Gradebook
from course.grading.grading_run import GradingOptions
from course.grading.pool import GradingSettings, Outcome, outcome
from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import Sandbox, unavailable
from course.submission.files import RECEIPT
from helpers.text import speak

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
SEQUENCES, SEED = 200, 14
STUDENTS = ("ann", "bo")
UNITS, ZERO = small.CONCEPTS
# Each test as it was and as it is mended, and what answers earn in them: (as it was, mended), by hand
TESTS = {
    UNITS: ("checks.equal(double(21), double_ms=42, ideas=", "checks.equal(double(-2), double_ms=-4, ideas="),
    ZERO: ("checks.equal(double(0), double_ms=0)", "checks.equal(double(4), double_ms=8)"),
}
EARNED = {
    "2 * number": {UNITS: (1, 1), ZERO: (1, 1)},
    "0": {UNITS: (0, 0), ZERO: (1, 0)},
    "abs(2 * number)": {UNITS: (1, 0), ZERO: (1, 1)},
    "2 * number if number else 1": {UNITS: (1, 1), ZERO: (0, 1)},
    "abs(2 * number) if number else 1": {UNITS: (1, 0), ZERO: (0, 1)},
}
FIRST = "abs(2 * number) if number else 1"  # each mended test changes what it earns
RULE = """
c.AssignLatePenalties.plugin_class = "course.grading.late_rules.LateRule"
c.LateRule.share_a_day = {share}
"""


@dataclass
class Facts:
    """All that points may depend on."""

    mended: dict[str, int] = field(default_factory=lambda: {UNITS: 0, ZERO: 0})
    answer: dict[str, str] = field(default_factory=lambda: dict.fromkeys(STUDENTS, FIRST))
    day: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STUDENTS, 4))
    manual: dict[tuple[str, str], float] = field(default_factory=dict)
    due: int = 5
    share: float = 0.0
    longer: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STUDENTS, 0))

    def points(self, student: str) -> float:
        """From scratch, by hand: days begun after noon of the due day and the extension, a share each."""
        earned = EARNED[self.answer[student]]
        score = sum(self.manual.get((student, one), earned[one][self.mended[one]]) for one in TESTS)
        hours = (self.day[student] - self.due - self.longer[student]) * 24 + 1
        days = -(-hours // 24) if hours > 0 else 0
        return round(score * max(0.0, 1 - days * self.share), 9)


@dataclass
class Recorded:
    """Graders that examine each work once."""

    settings: GradingSettings
    sandbox: Sandbox
    known: dict[tuple[str, bytes], Outcome]

    def __enter__(self) -> Recorded:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, tasks: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Outcome]]:
        for name, data in tasks:
            key = (self.settings.assignment.digest, data)
            if key not in self.known:
                self.known[key] = outcome(data, self.settings, self.sandbox)
            yield name, self.known[key]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CourseFolder]:
    """The course, graded once as `Facts()` has it."""
    speak("en")
    known: dict[tuple[str, bytes], Outcome] = {}
    with pytest.MonkeyPatch.context() as patch, Sandbox() as sandbox:
        patch.setattr(graders, "of", lambda settings, options, tasks: Recorded(settings, sandbox, known))
        made = small.course(tmp_path_factory.mktemp("template") / "course")
        release.release(made, [LESSON])
        facts = Facts()
        for student in STUDENTS:
            hand_in(made, facts, student)
        apply_dates(made, facts)
        grade.grade(made, LESSON)
        with Gradebook(made.database, LESSON) as book:
            patch.setattr(Gradebook, "_tables", book._tables)  # looked for once, a third of the time
        yield made


def hand_in(made: CourseFolder, facts: Facts, student: str) -> None:
    released = small.notebooks.load(made.released(LESSON, "en"))
    answer = f'def double(number):\n    return {{"double_ms": {facts.answer[student]}}}'
    path = small.hand_in(made, student, small.answered(released, answer))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    receipt = {"sha256": digest, "time": f"2026-03-{facts.day[student]:02d} 13:00:00 UTC"}
    path.with_name(RECEIPT).write_text(json.dumps(receipt), "utf-8")


def apply_masters(made: CourseFolder, facts: Facts) -> None:
    for language in ("zh", "en"):
        path = made.master(LESSON, language)
        text = path.read_text("utf-8")
        for concept, variants in TESTS.items():
            text = text.replace(variants[1 - facts.mended[concept]], variants[facts.mended[concept]])
        path.write_text(text, "utf-8")


def apply_dates(made: CourseFolder, facts: Facts) -> None:
    settings = made.root / "nbgrader_config.py"
    kept = settings.read_text("utf-8").partition("\nc.AssignLatePenalties")[0]
    settings.write_text(kept + RULE.format(share=facts.share), "utf-8")
    deadlines.set_due(made, LESSON, datetime(2026, 3, facts.due, 12, tzinfo=timezone.utc))


def mark(made: CourseFolder, facts: Facts, student: str, concept: str) -> None:
    """Mark by hand, as formgrader does."""
    with small.gradebook(made) as book:
        found = book.find_grade(concept, LESSON, LESSON, student)
        found.manual_score, found.needs_manual_grade = facts.manual[student, concept], False
        book.db.commit()


def longer(made: CourseFolder, facts: Facts, student: str) -> None:
    deadlines.extend(made, LESSON, [student], by=timedelta(days=facts.longer[student]))


def regrade(made: CourseFolder, concept: str) -> None:
    regrading.write(regrading.work_out(made, LESSON, concept, GradingOptions()), "test", "any order")


def step(made: CourseFolder, facts: Facts, dice: random.Random) -> str:
    """One thing that happens in a term."""
    student, concept = dice.choice(STUDENTS), dice.choice(list(TESTS))
    what = dice.choice(
        ["late", "longer", "manual", "mend", "regrade", "regrade", "grade", "all anew", "hand in"]
    )
    if what == "late":
        facts.due, facts.share = dice.randint(1, 5), dice.choice([0.0, 0.1, 0.25, 0.5])
        apply_dates(made, facts)
    elif what == "longer":
        facts.longer[student] = dice.randint(0, 3)
        longer(made, facts, student)
    elif what == "manual":
        facts.manual[student, concept] = dice.choice([0.0, 0.25, 0.5, 1.0])
        mark(made, facts, student, concept)
    elif what == "mend":
        facts.mended[concept] = 1 - facts.mended[concept]
        apply_masters(made, facts)
    elif what == "regrade":
        regrade(made, concept)
    elif what == "hand in":
        facts.answer[student], facts.day[student] = dice.choice(list(EARNED)), dice.randint(2, 6)
        hand_in(made, facts, student)
    else:
        grade.grade(made, LESSON, options=GradingOptions(regrade=what == "all anew"))
    return f"{what} {student} {concept}"


def found(made: CourseFolder) -> dict[str, float]:
    lateness.refresh(made, LESSON)
    with Gradebook(made.database, LESSON) as book:
        return {name: round(record.points, 9) for name, record in book.records(STUDENTS).items()}


def by_hand(made: CourseFolder) -> dict[tuple[str, str], float]:
    scores = small.scores(made.gradebook, "manual_score")
    return {
        (who, one): mark for who, marks in scores.items() for one, mark in marks.items() if mark is not None
    }


def from_scratch(template: CourseFolder, facts: Facts, place: Path) -> dict[str, float]:
    """A gradebook that has seen nothing but the facts."""
    made = small.again(template, place)
    shutil.rmtree(made.root / "autograded")
    made.gradebook.unlink()
    apply_masters(made, facts)
    for student in STUDENTS:
        hand_in(made, facts, student)
    apply_dates(made, facts)
    grade.grade(made, LESSON)
    for student in STUDENTS:
        longer(made, facts, student)
    for student, concept in facts.manual:
        mark(made, facts, student, concept)
    return found(made)


@pytest.mark.parametrize("tenth", range(10))
def test_any_order_comes_to_the_points_of_grading_from_scratch(
    template: CourseFolder, tmp_path: Path, tenth: int
) -> None:
    dice = random.Random(SEED + tenth)
    for number in range(SEQUENCES // 10):
        made, facts = small.again(template, tmp_path / str(number)), Facts()
        told = [step(made, facts, dice) for _ in range(dice.randint(2, 7))]
        assert by_hand(made) == facts.manual, told
        grade.grade(made, LESSON)
        assert found(made) == {student: facts.points(student) for student in STUDENTS}, told
        assert by_hand(made) == facts.manual, told
        if number == 0:
            assert from_scratch(template, facts, tmp_path / "scratch") == found(made), told
        shutil.rmtree(made.root)
