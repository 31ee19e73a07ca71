"""A lesson in one file: the same bytes again, and a year later the same points or a list of differences."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest
import small
from small import LESSON

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable
from course.submission.files import RECEIPT

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
LATE = """
c.AssignLatePenalties.plugin_class = "course.grading.late_rules.LateRule"
c.LateRule.points_a_day = 0.5
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """Three students: one in time, one late, one with a mark by hand, a regrade and a version before."""
    made = small.course(tmp_path_factory.mktemp("template") / "course")
    settings = made.root / "nbgrader_config.py"
    settings.write_text(settings.read_text("utf-8") + LATE, "utf-8")
    small.run(made, "release", LESSON)
    released = small.notebooks.load(made.released(LESSON, "en"))
    for student, answer in {
        "ann": small.ANSWER,
        "bo": "def double(n):\n    return 1",
        "cy": small.ANSWER,
    }.items():
        path = small.hand_in(made, student, small.answered(released, answer))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        day = 4 if student == "cy" else 1
        receipt = {"sha256": digest, "time": f"2026-03-0{day} 12:00:00 UTC"}
        path.with_name(RECEIPT).write_text(json.dumps(receipt), "utf-8")
    (made.root / "versions" / "ann" / LESSON).mkdir(parents=True)
    (made.root / "versions" / "ann" / LESSON / "001.ipynb").write_bytes(b"{}")
    small.run(made, "grade", LESSON)
    small.run(made, "due", LESSON, "2026-03-03T12:00", "--zone", "+00:00")
    with small.gradebook(made) as book:
        book.find_grade("double-units", LESSON, LESSON, "bo").manual_score = 0.75
        book.db.commit()
    return made


@pytest.fixture
def course(template: CourseFolder, tmp_path: Path) -> CourseFolder:
    return small.again(template, tmp_path / "course")


def archived(made: CourseFolder, to: Path) -> Path:
    small.run(made, "archive", LESSON, "--to", str(to))
    return to


def changed(archive: Path, to: Path, name: str, old: bytes, new: bytes, *, listed: bool = True) -> Path:
    """The archive with a piece of one file replaced, its digest put right if it is to be `listed`."""
    with zipfile.ZipFile(archive) as opened:
        files = {entry: opened.read(entry) for entry in opened.namelist()}
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    if listed:
        about = json.loads(files["manifest.json"])
        about["files"][name] = hashlib.sha256(files[name]).hexdigest()
        files["manifest.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(to, "w") as made:
        for entry, data in files.items():
            made.writestr(entry, data)
    return to


def test_the_archive_holds_everything_and_is_the_same_bytes_again(
    course: CourseFolder, tmp_path: Path
) -> None:
    said = small.run(course, "archive", LESSON)
    first = course.root / "archives" / f"{LESSON}.zip"
    assert "3 students" in said
    assert archived(course, tmp_path / "again.zip").read_bytes() == first.read_bytes()
    with zipfile.ZipFile(first) as opened:
        names = set(opened.namelist())
        about = json.loads(opened.read("manifest.json"))
        rows = json.loads(opened.read("gradebook.json"))["tables"]
        for path in course.root.rglob("*"):
            place = path.relative_to(course.root)
            if path.is_file() and place.parts[0] in (
                "source",
                "release",
                "submitted",
                "versions",
                "autograded",
            ):
                assert opened.read(f"course/{place.as_posix()}") == path.read_bytes()
    assert f"course/versions/ann/{LESSON}/001.ipynb" in names
    assert f"course/helpers/lessons/{LESSON}.json" in names
    assert f"course/course/lessons/{LESSON}/mutants.toml" in names
    assert names == {"manifest.json", *about["files"]}
    assert {"iteration-budget", "python", "nbgrader"} <= set(about["versions"])
    assert len(rows["grade"]) == 6
    assert [row["name"] for row in rows["assignment"]] == [LESSON]


def test_it_opens_elsewhere_and_comes_to_the_same_points(course: CourseFolder, tmp_path: Path) -> None:
    """The course it came from is gone; the machine's other courses are left alone."""
    path = archived(course, tmp_path / "old.zip")
    shutil.rmtree(course.root)
    elsewhere = CourseFolder(tmp_path)
    said = small.run(elsewhere, "archive", "--verify", str(path))
    assert "3 hand-ins graded again, all 6 scores are the same" in said
    assert [one.name for one in tmp_path.iterdir()] == ["old.zip"]


def test_points_that_come_out_otherwise_are_listed(course: CourseFolder, tmp_path: Path) -> None:
    path = archived(course, tmp_path / "old.zip")
    answer = f"course/submitted/ann/{LESSON}/{LESSON}.ipynb"
    log = f"course/autograded/ann/{LESSON}/graded.json"
    with zipfile.ZipFile(path) as opened:
        before = opened.read(answer)
    after = before.replace(b"number + number", b"number + 1")
    changed(path, tmp_path / "a.zip", answer, b"number + number", b"number + 1")
    digests = (hashlib.sha256(data).hexdigest().encode() for data in (before, after))
    other = changed(tmp_path / "a.zip", tmp_path / "b.zip", log, *digests)
    said = small.run(course, "archive", "--verify", str(other), expect=1)
    assert "ann · unit conversion: 1 then, 0 now" in said
    assert "ann · zero: 1 then, 0 now" in said
    assert "2 came out otherwise" in said
    assert "bo ·" not in said


def test_another_late_rule_is_listed(course: CourseFolder, tmp_path: Path) -> None:
    path = archived(course, tmp_path / "old.zip")
    other = changed(path, tmp_path / "b.zip", "course/nbgrader_config.py", b"day = 0.5", b"day = 0.25")
    said = small.run(course, "archive", "--verify", str(other), expect=1)
    assert "cy · points off for being late: 0.5 then, 0.25 now" in said


def test_newer_work_and_links_do_not_count(course: CourseFolder, tmp_path: Path) -> None:
    released = small.notebooks.load(course.released(LESSON, "en"))
    small.hand_in(course, "bo", small.answered(released, small.ANSWER))
    os.symlink("/etc/hostname", course.root / "submitted" / "ann" / LESSON / "linked.txt")
    path = tmp_path / "old.zip"
    assert "1 files are no plain files" in small.run(course, "archive", LESSON, "--to", str(path))
    assert "2 hand-ins graded again, all 4 scores" in small.run(course, "archive", "--verify", str(path))


def test_a_bad_archive_or_argument_is_one_sentence(course: CourseFolder, tmp_path: Path) -> None:
    path = archived(course, tmp_path / "old.zip")
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    changed(path, tmp_path / "damaged.zip", "gradebook.json", b'"seed"', b'"SEED"', listed=False)
    changed(path, tmp_path / "rows.zip", "gradebook.json", b'"seed"', b'"SEED"')
    changed(path, tmp_path / "other.zip", "manifest.json", b"archive/v1", b"archive/v9", listed=False)
    changed(
        path, tmp_path / "out.zip", "manifest.json", b'"gradebook.json"', b'"../../out.json"', listed=False
    )
    cases = {
        ("--verify", "nowhere.zip"): "There is no file",
        ("--verify", str(tmp_path)): "no archive that",
        ("--verify", str(tmp_path / "text.zip")): "no archive that",
        ("--verify", str(tmp_path / "empty.zip")): "is damaged",
        ("--verify", str(tmp_path / "damaged.zip")): "is damaged (gradebook.json)",
        ("--verify", str(tmp_path / "rows.zip")): "is damaged (seed)",
        ("--verify", str(tmp_path / "other.zip")): "no archive that",
        ("--verify", str(tmp_path / "out.zip")): "is damaged (../../out.json)",
        (): "Name either a lesson",
        (LESSON, "--verify", str(path)): "Name either a lesson",
        ("nothing",): "There is no lesson nothing",
        (LESSON, "--gradebook", f"sqlite:///{tmp_path}/none.db"): "The gradebook does not know",
    }
    for words, said in cases.items():
        answer = small.run(course, "archive", *words, expect=2)
        assert said in answer, words
        assert answer.count("\n") == 1, answer
    assert not list(tmp_path.rglob("out.json"))
