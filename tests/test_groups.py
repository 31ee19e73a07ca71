"""A group's hand-in belongs to everybody whom Gradescope's list names, and stands in the account once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sent_in
import small
from small import LESSON

from course.collecting.account import Account
from course.collecting.collect import collect_into
from course.grading.roster import Student, write
from course.lesson.folder import CourseFolder
from course.reporting import groups
from course.submission.files import RECEIPT
from helpers.text import speak

LIST = """
submission_11:
  :submitters:
  - :name: Ann Lee
    :sid: '0017'
    :email: ann@example.edu
  - :name: Bo Li
    :sid: '0027'
    :email: bo@example.edu
  :created_at: 2026-03-01 12:00:00.000000000 Z
submission_12:
  :submitters:
  - :name: Cy Wu
    :sid: '0037'
    :email: cy@example.edu
  :created_at: 2026-03-01 13:00:00.000000000 Z
"""


@pytest.fixture
def made(tmp_path: Path) -> CourseFolder:
    speak("en")
    return small.course(tmp_path / "course")


def taken(made: CourseFolder, files: dict[str, bytes]) -> Account:
    for name, data in {"submission_metadata.yml": LIST.encode(), **files}.items():
        path = made.root / "export" / "assignment_55_export" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return collect_into(made, LESSON, made.root / "export")


def notes(account: Account) -> dict[str, list[tuple[str, str]]]:
    return {one.student: [(note.key, note.cell) for note in one.notes] for one in account.receipts}


def test_everybody_of_the_group_has_the_work_and_each_file_one_line(made: CourseFolder) -> None:
    files = {f"submission_{n}/{LESSON}.ipynb": sent_in.work(n) for n in (11, 12)}
    account = taken(made, files | {"submission_11/notes.txt": b"ours"})
    assert {one.student for one in account.receipts if one.taken} == {"0017", "0027", "0037"}
    for student, number in {"0017": 11, "0027": 11, "0037": 12}.items():
        assert made.submitted(student, LESSON).read_bytes() == sent_in.work(number)
        receipt = json.loads(made.submitted(student, LESSON).with_name(RECEIPT).read_text("utf-8"))
        assert receipt["time"] == f"2026-03-01 {number + 1}:00:00 UTC"
    found = {line.file: (line.became, line.student) for line in account.lines}
    assert len(account.lines) == len(found) == 4
    top = "assignment_55_export"
    assert found[f"{top}/submission_11/{LESSON}.ipynb"] == ("taken", "0017")
    assert found[f"{top}/submission_12/{LESSON}.ipynb"] == ("taken", "0037")
    assert notes(account)["0017"] == [("intake.group", "0027")]
    assert notes(account)["0027"] == [("intake.group", "0017")]
    assert notes(account)["0037"] == []


def test_a_pack_with_anothers_id_of_the_group_is_no_clash_and_a_strangers_is(made: CourseFolder) -> None:
    files = {
        "submission_11/handin.zip": sent_in.pack(11, "0027"),
        "submission_12/handin.zip": sent_in.pack(12, "0017"),
    }
    account = taken(made, files)
    assert {one.student: one.taken for one in account.receipts} == {"0017": True, "0027": True, "0037": False}
    assert "intake.clash" in {key for key, _ in notes(account)["0037"]}


def test_the_roster_says_who_they_are(made: CourseFolder) -> None:
    people = [("a1", "ann@example.edu"), ("b2", "bo@example.edu"), ("c3", "cy@example.edu")]
    rows = [
        Student(own, "", own, email, sid)
        for (own, email), sid in zip(people, ("0017", "0027", "0037"), strict=True)
    ]
    write(made, rows, ())
    account = taken(made, {f"submission_{n}/{LESSON}.ipynb": sent_in.work(n) for n in (11, 12)})
    assert {one.student for one in account.receipts if one.taken} == {"a1", "b2", "c3"}
    assert notes(account)["b2"] == [("intake.group", "a1")]


def test_one_of_the_group_may_hand_in_alone_later(made: CourseFolder) -> None:
    taken(made, {f"submission_11/{LESSON}.ipynb": sent_in.work(11)})
    (made.root / "later" / "0027").mkdir(parents=True)
    (made.root / "later" / "0027" / f"{LESSON}.ipynb").write_bytes(sent_in.work(27))
    small.run(made, "collect", LESSON, "later", "--received", "2026-03-02")
    assert made.submitted("0027", LESSON).read_bytes() == sent_in.work(27)
    assert made.submitted("0017", LESSON).read_bytes() == sent_in.work(11)


def test_a_group_is_not_called_look_alike_and_a_copyist_is(made: CourseFolder) -> None:
    taken(made, {f"submission_11/{LESSON}.ipynb": sent_in.work(11)})
    together = groups.of(made, LESSON, ["0017", "0027", "0037"])
    assert together == dict.fromkeys(("0017", "0027"), frozenset({"0017", "0027"}))
    assert groups.are_one(("0017", "0027"), together)
    assert not groups.are_one(("0017", "0027", "0037"), together)
    assert not groups.are_one(("0037", "0047"), together)
