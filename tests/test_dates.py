"""Due dates, extensions and late rules are nbgrader's own; penalties follow whatever comes last."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import small
import university

from course.grading import dates, deadlines, lateness
from course.grading.dates import Dates
from course.grading.gradebook import Gradebook
from course.lesson.folder import CourseFolder
from helpers.text import speak

HANDED_IN = datetime(2026, 3, 4, 13, 0)
RULE = """
c.AssignLatePenalties.plugin_class = "course.grading.late_rules.LateRule"
c.LateRule.free_days = {free}
c.LateRule.share_a_day = {share}
c.LateRule.floor = {floor}
"""


@pytest.fixture(autouse=True)
def english() -> None:
    speak("en")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """Two students who handed in at the same moment."""
    made = small.course(tmp_path_factory.mktemp("two"))
    university.graded(made, {"001": 2.0, "002": 1.0}, HANDED_IN)
    return made


@pytest.fixture
def made(two: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(two, tmp_path / "course")


def rule(made: CourseFolder, free: float = 0.0, share: float = 0.1, floor: float = 0.0) -> None:
    settings = made.root / "nbgrader_config.py"
    kept = settings.read_text("utf-8").partition("\nc.AssignLatePenalties")[0]
    settings.write_text(kept + RULE.format(free=free, share=share, floor=floor), encoding="utf-8")


def earned(made: CourseFolder) -> dict[str, float]:
    with Gradebook(made.database, small.LESSON) as book:
        return {name: round(found.points, 9) for name, found in book.records(book.students()).items()}


@pytest.mark.parametrize(
    ("text", "zone", "utc"),
    [
        ("2026-03-02", "+08:00", "2026-03-02 15:59:59"),
        ("2026-03-02", "Asia/Shanghai", "2026-03-02 15:59:59"),
        ("2026-03-02T18:00", "UTC-5", "2026-03-02 23:00:00"),
        ("2026-03-02 18:00+01:00", "Asia/Shanghai", "2026-03-02 17:00:00"),
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25 01:30:00"),  # twice on that clock: the later one
    ],
)
def test_a_date_means_its_zones_time(text, zone, utc):
    moment = dates.moment(text, dates.zone(zone))
    assert f"{moment.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S}" == utc


def test_nbgrader_shows_the_date_and_the_extension(made):
    deadlines.set_due(made, small.LESSON, dates.moment("2026-03-02", dates.zone("+08:00")))
    deadlines.extend(made, small.LESSON, ["001"], by=timedelta(days=3))
    with small.gradebook(made) as book:
        assert book.find_assignment(small.LESSON).duedate == datetime(2026, 3, 2, 15, 59, 59)
        assert book.find_submission(small.LESSON, "001").duedate == datetime(2026, 3, 5, 15, 59, 59)
        assert book.find_submission(small.LESSON, "002").total_seconds_late == 45 * 3600 + 1
        book.update_or_create_assignment(
            small.LESSON, duedate="2026-03-03 12:00:00 UTC"
        )  # as formgrader does
    found = Dates.read(made.database, small.LESSON)
    assert found.due == datetime(2026, 3, 3, 12, tzinfo=timezone.utc)
    assert found.late_by("002") == timedelta(hours=25)
    assert found.late_by("001") == timedelta()


def test_formgrader_shows_names_and_dates(made):
    """What its pages ask for."""
    from nbgrader.apps.api import NbGraderAPI

    university.enrolled(made, [university.Person("001", "欧阳修", 1)])
    deadlines.set_due(made, small.LESSON, dates.moment("2026-03-02", dates.zone("+08:00")))
    api = NbGraderAPI(made.directory(small.LESSON, "zh"), config=made.config("zh"))
    assert api.get_assignment(small.LESSON, released=[small.LESSON])["duedate"] == "2026-03-02T15:59:59"
    assert {one["id"]: one["last_name"] for one in api.get_students()} == {"001": "欧阳修", "002": None}


def test_an_extension_before_the_hand_in_holds_and_is_no_submission(made):
    university.enrolled(made, [university.Person("009", "早", 1)])
    deadlines.set_due(made, small.LESSON, dates.moment("2026-03-02", dates.zone("UTC+0")))
    deadlines.extend(made, small.LESSON, ["009"], until=dates.moment("2026-03-05", dates.zone("UTC+0")))
    with small.gradebook(made) as book:
        assert {one["student"] for one in book.submission_dicts(small.LESSON)} == {"001", "002"}
    university.graded(made, {"009": 2.0}, HANDED_IN)
    rule(made)
    lateness.refresh(made, small.LESSON)
    assert earned(made) == {"001": 1.6, "002": 0.8, "009": 2.0}  # two days begun, a tenth each


@pytest.mark.parametrize(
    ("free", "share", "floor", "points"),
    [(0, 0.1, 0, 1.6), (1, 0.1, 0, 1.8), (2, 0.1, 0, 2.0), (0, 0.4, 0.5, 1.0), (0, 0.6, 0, 0.0)],
)
def test_late_rules_are_a_matter_of_configuration(made, free, share, floor, points):
    rule(made, free, share, floor)
    deadlines.set_due(made, small.LESSON, datetime(2026, 3, 2, 23, 59, 59, tzinfo=timezone.utc))
    assert earned(made)["001"] == points
    deadlines.set_due(made, small.LESSON, None)
    assert earned(made) == {"001": 2.0, "002": 1.0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["due", "tiny", "soon"], "soon is no date"),
        (["due", "tiny", "2026-03-02", "--zone", "Mars/Base"], "no time zone Mars/Base"),
        (["due", "tiny", "2026-03-29T02:30", "--zone", "Europe/Berlin"], "clocks go forward"),
        (["due", "tinny", "2026-03-02"], "no lesson tinny"),
        (["extend", "tiny", "001", "--days", "2"], "no due date"),
        (["extend", "tiny", "001"], "either --until or --days"),
    ],
)
def test_a_bad_date_is_one_sentence(made, words, said):
    before = made.gradebook.read_bytes()
    answer = small.run(made, *words, expect=2)
    assert said in answer
    assert answer.count("\n") == 1
    assert made.gradebook.read_bytes() == before


def test_the_commands_say_zone_and_utc_and_refuse_strangers(made):
    said = small.run(made, "due", "tiny", "2026-03-02", "--zone", "+08:00")
    assert (
        said
        == "tiny: due 2026-03-02 23:59:59 UTC+08:00 (UTC+0800), that is 2026-03-02 15:59:59 UTC (UTC+0000).\n"
    )
    said = small.run(made, "extend", "tiny", "01", "--days", "2", expect=2)
    assert "01 is not on the roster; check the id (close to it: 001)" in said
    said = small.run(made, "extend", "tiny", "001", "--until", "2026-03-01", expect=2)
    assert "cannot end before the due date" in said
    said = small.run(made, "extend", "tiny", "001", "--until", "2026-03-04", "--zone", "+08:00")
    assert "001: until 2026-03-04 23:59:59 UTC+08:00" in said
    assert small.run(made, "due", "tiny", "none") == "tiny has no due date.\n"


def test_any_order_of_dates_rules_and_manual_marks_ends_in_the_same_points(made):
    """200 changes in random order, looked at after each; the oracle counts from the last of each kind."""
    deadlines.set_due(made, small.LESSON, datetime(2026, 3, 2, 12, tzinfo=timezone.utc))
    rule(made)
    facts = {"due": 2, "share": 0.1, "extension": {"001": 0, "002": 0}, "score": {"001": 2.0, "002": 1.0}}
    dice = random.Random(14)
    for _ in range(200):
        what, who = dice.choice(["due", "rule", "extend", "manual"]), dice.choice(["001", "002"])
        if what == "due":
            facts["due"] = dice.randint(1, 5)
            deadlines.set_due(made, small.LESSON, datetime(2026, 3, facts["due"], 12, tzinfo=timezone.utc))
        elif what == "rule":
            facts["share"] = dice.choice([0.0, 0.1, 0.25, 0.5])
            rule(made, share=facts["share"])
            lateness.refresh(made, small.LESSON)
        elif what == "extend":
            facts["extension"][who] = dice.randint(0, 4)
            deadlines.extend(made, small.LESSON, [who], by=timedelta(days=facts["extension"][who]))
        else:
            facts["score"][who] = manual(made, who, dice.choice([0.0, 0.5, 1.0]))
            lateness.refresh(made, small.LESSON)
        assert earned(made) == {one: expected(facts, one) for one in ("001", "002")}


def manual(made: CourseFolder, student: str, score: float) -> float:
    """Give a mark by hand for the first concept, as formgrader does; the sum of both then."""
    with small.gradebook(made) as book:
        grade = book.find_grade(small.CONCEPTS[0], small.LESSON, small.LESSON, student)
        grade.manual_score = score
        book.db.commit()
        return sum(
            one.score for one in book.find_submission_notebook(small.LESSON, small.LESSON, student).grades
        )


def expected(facts: dict, student: str) -> float:
    """From scratch: whole days begun after 12 o'clock on the due day plus the extension."""
    hours = (4 - facts["due"] - facts["extension"][student]) * 24 + 1
    days = -(-hours // 24) if hours > 0 else 0
    return round(facts["score"][student] * max(0.0, 1 - days * facts["share"]), 9)
