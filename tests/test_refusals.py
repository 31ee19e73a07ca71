"""What a disk or the gradebook refuses: one sentence with the way out, nothing half written, and afterwards
the same gradebook as if nothing had been."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import small
from small import LESSON

from course import cli
from course.grading import backup, gradebook
from course.lesson.folder import CourseFolder
from course.refusals import refusal
from course.sandbox.sandbox import unavailable
from course.text import CATALOG
from helpers import writing
from helpers.text import LANGUAGES

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
MEGABYTES = 12
CLASS = {"ann": small.ANSWER, "bo": "def double(number):\n    return 1"}


@pytest.fixture(scope="module")
def ungraded(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A released course with two submissions and another one that has not been collected yet."""
    made = small.course(tmp_path_factory.mktemp("template") / "course")
    small.run(made, "release", LESSON)
    released = made.released(LESSON, "en").read_text("utf-8")
    for student, answer in CLASS.items():
        notebook = small.answered(small.notebooks.parse(released), answer)
        small.hand_in(made, student, notebook)
    shutil.copytree(made.root / "submitted" / "ann" / LESSON, made.root / "came_in" / "carl")
    return made


@pytest.fixture(scope="module")
def graded(ungraded: CourseFolder, tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """The same, graded in one run."""
    made = small.again(ungraded, tmp_path_factory.mktemp("graded") / "course")
    small.run(made, "grade", LESSON)
    return made


class Disk:
    """A small file system of the test's own, with a course on it."""

    def __init__(self, place: Path) -> None:
        self.place, self.filler = place, place / "filler"

    @property
    def course(self) -> CourseFolder:
        return CourseFolder((self.place / "course").resolve())

    def fill(self, free_bytes: int) -> None:
        """Leave about so much room."""
        with self.filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        os.truncate(self.filler, max(0, self.filler.stat().st_size - free_bytes))

    def empty(self) -> None:
        self.filler.unlink()

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.place)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(place)], capture_output=True
    )
    if done.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command here, in a language; its exit code and all that it said."""
    monkeypatch.delenv("COURSE_LANGUAGE", raising=False)

    def call(made: CourseFolder, *words: str, language: str = "en") -> tuple[int, str]:
        with pytest.raises(SystemExit) as stop:
            cli.main(["--course", str(made.root), "--language", language, *words])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return stop.value.code, printed.err

    return call


def is_said(complaint: str, *keys: str, language: str = "en") -> bool:
    """Whether the complaint is one of these sentences, in one line."""
    endings = {CATALOG.messages(language)[key].split("}")[-1][-30:] for key in keys}
    is_one_sentence = complaint.startswith("✗ ") and complaint.count("\n") == 1
    return is_one_sentence and complaint.strip().endswith(tuple(endings))


def files(made: CourseFolder) -> dict[str, bytes]:
    """All that lies in a course but the gradebook and the lock, by name."""
    found = (path for path in made.root.rglob("*") if path.is_file())
    return {
        str(path.relative_to(made.root)): path.read_bytes()
        for path in found
        if not path.name.startswith((".grading", "gradebook.db"))
    }


WRITERS = {
    "collect": ("collect", LESSON, "{root}/came_in"),
    "grade": ("grade", LESSON, "--regrade"),
    "feedback": ("feedback", LESSON),
    "report": ("report", LESSON, "--csv", "{root}/class.csv"),
    "regrade": ("regrade", LESSON, "--concept", small.CONCEPTS[0], "--yes", "--why", "mended"),
    "archive": ("archive", LESSON, "--to", "{root}/lesson.zip"),
    "release": ("release", LESSON),
    "publish": ("publish",),
    "solutions": ("release", "--solutions"),
    "new-lesson": ("new-lesson", "another-one"),
    "translate": ("translate",),
}


def words(name: str, made: CourseFolder) -> list[str]:
    return [word.format(root=made.root) for word in WRITERS[name]]


def change_masters(made: CourseFolder, *languages: str) -> None:
    """Something that releasing, or translating where one language changed, has to write down."""
    for language in languages:
        path = made.master(LESSON, language)
        path.write_text(path.read_text("utf-8").replace("double(2)", "double(2 + 0)"), "utf-8")


def add_what_a_wheel_is_made_of(made: CourseFolder) -> None:
    shutil.rmtree(made.root / "helpers")
    for name in ("helpers", "LICENSE", "LICENSES", "pyproject.toml"):
        (made.root / name).symlink_to(small.ROOT / name)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_said_and_leaves_nothing_half_written(
    name: str, language: str, disk: Disk, graded: CourseFolder, run
) -> None:
    made = small.again(graded, disk.place / "course")
    if name in ("release", "translate"):
        change_masters(made, *(LANGUAGES if name == "release" else ["zh"]))
    if name == "publish":
        add_what_a_wheel_is_made_of(made)
    disk.fill(free_bytes=0)
    before, scores = files(made), small.scores(made.gradebook)
    code, complaint = run(made, *words(name, made), language=language)
    assert code == 2, complaint
    assert is_said(complaint, "refusal.disk_full", "refusal.disk_failed", language=language)
    assert files(made) == before
    assert small.scores(made.gradebook) == scores
    disk.empty()
    assert run(made, *words(name, made))[0] == 0


@pytest.mark.parametrize("kilobytes", [40, 120, 200, 300, 420, 560])
def test_a_disk_that_fills_up_while_grading_changes_no_grade(
    kilobytes: int, disk: Disk, ungraded: CourseFolder, graded: CourseFolder, run
) -> None:
    made = small.again(ungraded, disk.place / "course")
    disk.fill(kilobytes * 1000)
    code, complaint = run(made, "grade", LESSON)
    assert code == 0 or is_said(complaint, "refusal.disk_full", "refusal.disk_failed")
    assert not list(made.root.rglob("*.part"))
    disk.empty()
    assert run(made, "grade", LESSON)[0] == 0
    assert small.scores(made.gradebook) == small.scores(graded.gradebook)
    assert {path.name for path in made.root.rglob("graded.json")} == {"graded.json"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "name", ["collect", "grade", "feedback", "report", "regrade", "archive", "release", "solutions"]
)
def test_a_read_only_disk_is_said(name: str, language: str, disk: Disk, graded: CourseFolder, run) -> None:
    made = small.again(graded, disk.place / "course")
    if name == "release":
        change_masters(made, *LANGUAGES)
    disk.remount("ro")
    try:
        code, complaint = run(made, *words(name, made), language=language)
    finally:
        disk.remount("rw")
    assert code == 2
    keys = ("refusal.read_only", "refusal.book_read_only", "refusal.book_unopened")
    assert is_said(complaint, *keys, language=language)
    assert run(made, *words(name, made))[0] == 0
    assert small.scores(made.gradebook) == small.scores(graded.gradebook)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["grade", "release"])
def test_a_read_only_gradebook_is_said(
    name: str, language: str, disk: Disk, graded: CourseFolder, run
) -> None:
    made = small.again(graded, disk.place / "course")
    if name == "release":
        change_masters(made, *LANGUAGES)
    book = str(made.gradebook)
    subprocess.run(["mount", "--bind", book, book], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", book], check=True)
        code, complaint = run(made, *words(name, made), language=language)
    finally:
        subprocess.run(["umount", book], check=True)
    assert code == 2
    assert is_said(complaint, "refusal.book_read_only", language=language)
    assert run(made, *words(name, made))[0] == 0
    assert small.scores(made.gradebook) == small.scores(graded.gradebook)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("how", ["EXCLUSIVE", "IMMEDIATE"])
@pytest.mark.parametrize("name", ["grade", "release", "feedback", "report"])
def test_a_locked_gradebook_is_said(
    name: str, how: str, language: str, tmp_path: Path, graded: CourseFolder, run, monkeypatch
) -> None:
    """IMMEDIATE: somebody else is writing. It may still be read."""
    for module in (gradebook, backup):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.2)
    made = small.again(graded, tmp_path / "course")
    if name == "release":
        change_masters(made, *LANGUAGES)
    with contextlib.closing(sqlite3.connect(made.gradebook)) as other:
        other.execute(f"BEGIN {how}")
        code, complaint = run(made, *words(name, made), language=language)
    if how == "EXCLUSIVE" or name in ("grade", "release"):
        assert code == 2
        assert is_said(complaint, "refusal.book_locked", language=language)
    else:
        assert code == 0
    assert not list(made.root.rglob("*.part"))
    assert run(made, *words(name, made))[0] == 0
    assert small.scores(made.gradebook) == small.scores(graded.gradebook)


@pytest.mark.parametrize("table", gradebook.TABLES)
def test_missing_rows_are_said_or_put_back(table: str, tmp_path: Path, graded: CourseFolder, run) -> None:
    made = small.again(graded, tmp_path / "course")
    with contextlib.closing(sqlite3.connect(made.gradebook)) as book:
        book.execute(f"DELETE FROM {table}")
        book.commit()
    for name in ("feedback", "report", "grade"):
        code, complaint = run(made, *words(name, made))
        assert code == 0 or (code == 2 and complaint.startswith("✗ ") and complaint.count("\n") == 1)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["feedback", "report"])
def test_a_gradebook_without_the_lesson_is_said(
    name: str, language: str, tmp_path: Path, graded: CourseFolder, run
) -> None:
    made = small.again(graded, tmp_path / "course")
    made.gradebook.unlink()
    code, complaint = run(made, *words(name, made), language=language)
    assert code == 2
    assert is_said(complaint, "refusal.book_incomplete", language=language)
    assert run(made, "grade", LESSON)[0] == 0
    assert small.scores(made.gradebook) == small.scores(graded.gradebook)


@pytest.mark.parametrize("name", ["grade", "feedback", "report"])
def test_a_damaged_gradebook_is_said_and_left_alone(
    name: str, tmp_path: Path, graded: CourseFolder, run
) -> None:
    made = small.again(graded, tmp_path / "course")
    made.gradebook.write_bytes(b"no gradebook at all " * 100)
    code, complaint = run(made, *words(name, made))
    assert code == 2
    assert is_said(complaint, "refusal.book_damaged")
    assert made.gradebook.read_bytes() == b"no gradebook at all " * 100


def test_an_error_of_our_own_stays_what_it_is() -> None:
    assert refusal(KeyError("cell")) is None
    assert refusal(OSError("something")) is None
    assert "Connection refused" in refusal(ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"))


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    stands, directory = tmp_path / "a.txt", tmp_path / "b.txt" / "c"
    stands.write_bytes(b"old")
    (tmp_path / "b.txt").write_bytes(b"in the way")
    with pytest.raises(OSError):
        writing.write_all({stands: b"new", directory: b"new"})
    assert stands.read_bytes() == b"old"
    assert not list(tmp_path.glob(".*"))
    assert writing.write_all({stands: b"new", tmp_path / "d": b"d"}) == [stands, tmp_path / "d"]
    assert writing.write_all({stands: b"new"}) == []
