"""A class of 300 in every layout at once: everybody's work is found, and every file is accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest
import sent_in
import small
from sent_in import Sent, work

from course.collecting.account import Account
from course.collecting.collect import collect
from course.collecting.known_students import KnownStudents
from course.lesson.folder import CourseFolder

KINDS = {"taken", "equal", "older", "refused", "nobody", "aside", "system"}


@pytest.fixture(scope="module")
def sent() -> Sent:
    return sent_in.class_of_300()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    return small.course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module", params=["no roster", "roster"])
def collected(
    request: pytest.FixtureRequest, sent: Sent, made: CourseFolder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Account, dict[str, int], Path]:
    """The account, whose work is whose by the ids that are expected, and the folder with the works."""
    top = tmp_path_factory.mktemp("term")
    source = sent.write(top / "downloads")
    known = KnownStudents.of(sent.rows) if request.param == "roster" else None
    account = collect(source, top / "submitted", made.assignment(small.LESSON), known=known)
    names = sent.expected if known else {own: own for own in sent.works}
    return account, {names[own]: number for own, number in sent.works.items() if own not in sent.broken}, top


def test_300_of_300_owners_are_right(sent: Sent, collected: tuple) -> None:
    account, expected, top = collected
    assert len(sent.works) == 300
    found = {receipt.student for receipt in account}
    assert {receipt.student for receipt in account if receipt.taken} == set(expected)
    assert len(found) == 300
    for student, number in expected.items():
        path = top / "submitted" / student / small.LESSON / f"{small.LESSON}.ipynb"
        assert path.read_bytes() == work(number), student


def test_what_a_later_attempt_replaced_is_kept(collected: tuple) -> None:
    _, expected, top = collected
    again = {
        student: number for student, number in expected.items() if 90 <= number < 140 and number % 3 == 0
    }
    assert len(again) == 17
    for student, number in again.items():
        kept = [path.read_bytes() for path in (top / "versions" / student / small.LESSON).glob("*.ipynb")]
        assert kept == [work(number + 1000)]


def test_no_file_is_unaccounted_for(sent: Sent, collected: tuple) -> None:
    account, _, _ = collected
    assert len(account.lines) == sent.count()
    assert sum(account.counts.values()) == sent.count()
    assert set(account.counts) <= KINDS
    assert len({line.file for line in account.lines}) == sent.count()
    assert account.counts["system"] == sum(
        data.count(b"__MACOSX") // 2 for name, data in sent.files.items() if name in sent_in.CLASS_ZIPS
    ) + sum(name.endswith(".DS_Store") for name in sent.files)


def test_each_line_that_is_not_taken_says_why(collected: tuple) -> None:
    account, _, _ = collected
    assert all(line.why for line in account.lines if line.became in ("refused", "nobody", "system"))
    assert {line.file for line in account.lines if line.became == "nobody"} == {
        "assignment_55_export/submission_metadata.yml"
    }


def test_collecting_the_class_again_changes_nothing(sent: Sent, made: CourseFolder, collected: tuple) -> None:
    account, expected, top = collected
    known = KnownStudents.of(sent.rows) if "20260000" in expected else None
    before = {path: path.read_bytes() for path in (top / "submitted").rglob("*") if path.is_file()}
    again = collect(top / "downloads", top / "submitted", made.assignment(small.LESSON), known=known)
    assert {path: path.read_bytes() for path in (top / "submitted").rglob("*") if path.is_file()} == before
    assert not any(receipt.changed for receipt in again)
    assert len(again.lines) == len(account.lines)
