"""Whatever is collected in whatever order: the newest work that can be read is graded, and every one is
kept."""

from __future__ import annotations

import copy
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import small
from hypothesis import given, settings
from hypothesis import strategies as st
from sent_in import pack, work, zipped

from course.collecting import moments
from course.collecting.account import Account
from course.collecting.collect import collect, collect_into
from course.lesson.folder import CourseFolder
from course.submission.files import RECEIPT, STAMP
from course.text import Problem

LESSON = small.LESSON
PLACE = "Li Na_77_assignsubmission_file_"
START = datetime(2026, 3, 1, 8, 0, 0)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    return small.course(tmp_path_factory.mktemp("course"))


def with_outputs(data: bytes) -> bytes:
    """The same answers, run."""
    notebook = json.loads(data)
    small_one = {"output_type": "stream", "name": "stdout", "text": ["4\n"]}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [copy.deepcopy(small_one)], "execution_count": 3}
    return json.dumps(notebook).encode()


BROKEN: dict[str, Callable[[int], bytes]] = {
    "cut off": lambda number: work(number)[: 400 + number],
    "empty": lambda number: b"",
    "a PDF": lambda number: b"%PDF-1.7",
    "another JSON": lambda number: b'{"a": 1}',
    "half a zip": lambda number: b"PK\x03\x04 broken",
}


@dataclass(frozen=True)
class Upload:
    """What a student handed in: which work it is, when, and how it reaches the instructor."""

    number: int
    hour: int
    shape: str
    data: bytes
    readable: bool = True

    @property
    def time(self) -> datetime:
        return START + timedelta(hours=self.hour)

    def download(self, top: Path) -> Path:
        """The download with it: a platform's zip, with its time, or a folder with the file's time."""
        name = f"{PLACE}/{LESSON}.ipynb"
        if self.shape == "zip":
            path = top / "download.zip"
            path.write_bytes(zipped({name: self.data}, when=self.time.timetuple()[:6]))
            return path
        path = top / "downloads" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(self.data)
        os.utime(path, (self.time.timestamp(),) * 2)
        return top / "downloads"


def uploads(shape: str) -> st.SearchStrategy[Upload]:
    """Works in the order of their hours; some are the one before with outputs, some cannot be read."""

    def build(number: int, kind: str) -> Upload:
        if kind in BROKEN:
            return Upload(number, number, shape, BROKEN[kind](number), readable=False)
        data = work(number)
        return Upload(number, number, shape, with_outputs(data) if kind == "run" else data)

    return st.builds(build, st.integers(1, 9), st.sampled_from(["work"] * 5 + ["run"] + list(BROKEN)))


@st.composite
def sequences(draw: st.DrawFn) -> list[Upload]:
    """Downloads in the order in which the instructor collects them, some twice."""
    fresh = draw(st.lists(st.sampled_from(["zip", "folder"]).flatmap(uploads), min_size=2, max_size=6))
    again = draw(st.lists(st.sampled_from(fresh), max_size=3))
    return draw(st.permutations(fresh + again))


def answer_of(data: bytes) -> str:
    return "".join(next(cell["source"] for cell in json.loads(data)["cells"] if cell["id"] == "double"))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(sequence=sequences())
def test_the_newest_readable_work_is_the_one_graded(made: CourseFolder, sequence: list[Upload]) -> None:
    came: list[Upload] = []
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        place = top / "submitted" / "Li-Na_77" / LESSON
        for step, upload in enumerate(sequence):
            (top / str(step)).mkdir()
            before = contents(place)
            account = collect(upload.download(top / str(step)), top / "submitted", made.assignment(LESSON))
            assert len(account.lines) == 1
            if not upload.readable:
                assert contents(place) == before
                assert account.counts["refused"] == 1
                continue
            came.append(upload)
            newest = max(came, key=lambda one: one.hour)
            assert answer_of((place / f"{LESSON}.ipynb").read_bytes()) == answer_of(newest.data)
            kept = {answer_of(path.read_bytes()) for path in top.glob("[sv]*/Li-Na_77/**/*.ipynb")}
            assert kept == {answer_of(one.data) for one in came}


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.glob("*")}


# --- one thing at a time ---------------------------------------------------------------------------------


def put(top: Path, name: str, data: bytes, time: datetime = START) -> Path:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (time.timestamp(),) * 2)
    return path


def taken(made: CourseFolder, top: Path, source: str, received: str | None = None) -> Account:
    return collect(top / source, top / "submitted", made.assignment(LESSON), received=moments.told(received))


def receipt(top: Path, student: str) -> dict:
    return json.loads((top / "submitted" / student / LESSON / RECEIPT).read_text("utf-8"))


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_no_notebook_is_no_hand_in_yet_and_says_what_to_tell(
    made: CourseFolder, tmp_path: Path, kind: str
) -> None:
    put(tmp_path, f"box/lin/{LESSON}.ipynb", BROKEN[kind](1))
    account = taken(made, tmp_path, "box")
    (line,) = account.lines
    assert (line.became, line.student, line.file) == ("refused", "lin", f"lin/{LESSON}.ipynb")
    assert line.why
    assert not (tmp_path / "submitted").exists()


def test_a_broken_upload_leaves_receipt_and_time_as_they_were(made: CourseFolder, tmp_path: Path) -> None:
    put(tmp_path, f"monday/lin/{LESSON}.ipynb", work(1))
    taken(made, tmp_path, "monday")
    place = tmp_path / "submitted" / "lin" / LESSON
    before = contents(place)
    put(tmp_path, f"tuesday/lin/{LESSON}.ipynb", work(2)[:700], START + timedelta(days=1))
    (found,) = taken(made, tmp_path, "tuesday")
    assert not found.taken
    assert {note.key for note in found.notes} == {"intake.unreadable.not_json", "intake.stays"}
    assert contents(place) == before


def test_the_same_answers_with_other_outputs_are_the_same_work(made: CourseFolder, tmp_path: Path) -> None:
    put(tmp_path, f"monday/lin/{LESSON}.ipynb", work(1))
    taken(made, tmp_path, "monday")
    before = contents(tmp_path / "submitted" / "lin" / LESSON)
    put(tmp_path, f"tuesday/lin/{LESSON}.ipynb", with_outputs(work(1)), START + timedelta(days=1))
    (found,) = taken(made, tmp_path, "tuesday")
    assert (found.outcome, found.changed) == ("equal", False)
    assert contents(tmp_path / "submitted" / "lin" / LESSON) == before


def test_an_older_folder_whose_dates_were_lost_is_known_by_its_work(
    made: CourseFolder, tmp_path: Path
) -> None:
    put(tmp_path, f"monday/lin/{LESSON}.ipynb", work(1))
    put(tmp_path, f"tuesday/lin/{LESSON}.ipynb", work(2), START + timedelta(days=1))
    for day in ("monday", "tuesday"):
        taken(made, tmp_path, day)
    put(tmp_path, f"monday/lin/{LESSON}.ipynb", work(1), START + timedelta(days=9))
    (found,) = taken(made, tmp_path, "monday")
    assert found.outcome == "older"
    assert (tmp_path / "submitted" / "lin" / LESSON / f"{LESSON}.ipynb").read_bytes() == work(2)


def test_an_untouched_notebook_does_not_replace_answers(made: CourseFolder, tmp_path: Path) -> None:
    put(tmp_path, f"monday/lin/{LESSON}.ipynb", work(1))
    taken(made, tmp_path, "monday")
    notebook = json.loads(work(1))
    stub = 'def double(number):\n    """两倍 · twice the number"""\n    raise NotImplementedError("TODO")'
    next(cell for cell in notebook["cells"] if cell["id"] == "double")["source"] = stub
    blank = json.dumps(notebook).encode()
    put(tmp_path, f"tuesday/lin/{LESSON}.ipynb", blank, START + timedelta(days=1))
    (found,) = taken(made, tmp_path, "tuesday")
    assert {note.key for note in found.notes} == {"intake.untouched"}
    assert (tmp_path / "submitted" / "lin" / LESSON / f"{LESSON}.ipynb").read_bytes() == work(1)


def test_each_time_names_its_source(made: CourseFolder, tmp_path: Path) -> None:
    put(tmp_path, f"folder/lin/{LESSON}.ipynb", work(1))
    put(tmp_path, "zip.zip", zipped({f"mo/{LESSON}.ipynb": work(2)}))
    put(tmp_path, f"inbound/wu+{LESSON}+2026-03-03 09:15:07.123456 UTC+a1/{LESSON}.ipynb", work(3))
    put(tmp_path, f"mail/xu/{LESSON}.ipynb", work(4))
    for source in ("folder", "zip.zip", "inbound"):
        taken(made, tmp_path, source)
    taken(made, tmp_path, "mail", received="2026-03-05T20:00:00+08:00")
    found = {
        who: (receipt(tmp_path, who)["time"], receipt(tmp_path, who)["time_source"])
        for who in ("mo", "wu", "xu")
    }
    local = datetime(2026, 3, 2, 10, 0, 0).astimezone(timezone.utc)
    assert found == {
        "mo": (local.strftime("%Y-%m-%d %H:%M:%S UTC"), "zip"),
        "wu": ("2026-03-03 09:15:07 UTC", "lms"),
        "xu": ("2026-03-05 12:00:00 UTC", "option"),
    }
    assert receipt(tmp_path, "lin")["time_source"] == "collected"
    assert (tmp_path / "submitted" / "xu" / LESSON / STAMP).read_text() == "2026-03-05 12:00:00 UTC\n"


def test_a_better_source_puts_the_time_right(made: CourseFolder, tmp_path: Path) -> None:
    put(tmp_path, f"folder/lin/{LESSON}.ipynb", work(1))
    taken(made, tmp_path, "folder")
    (found,) = taken(made, tmp_path, "folder", received="2026-03-05T12:00:00Z")
    assert found.outcome == "equal"
    assert receipt(tmp_path, "lin")["time"] == "2026-03-05 12:00:00 UTC"


@pytest.mark.parametrize("text", ["yesterday", "2999-01-01", "1970-01-01T00:00:00Z", ""])
def test_a_time_that_cannot_be_one_is_refused(text: str) -> None:
    with pytest.raises(Problem) as refused:
        moments.told(text)
    assert refused.value.key == "intake.no_time"


def test_a_clash_of_names_is_reported_and_nothing_is_replaced(made: CourseFolder, tmp_path: Path) -> None:
    put(tmp_path, f"monday/alice/{LESSON}.ipynb", work(1))
    put(tmp_path, f"monday/bob/{LESSON}.ipynb", work(2))
    taken(made, tmp_path, "monday")
    before = {who: contents(tmp_path / "submitted" / who / LESSON) for who in ("alice", "bob")}
    put(tmp_path, f"tuesday/bob/handin-{LESSON}.zip", pack(3, "alice"), START + timedelta(days=1))
    account = taken(made, tmp_path, "tuesday")
    (line,) = account.lines
    assert (line.became, line.student, line.note.key) == ("refused", "bob", "intake.clash")
    assert {who: contents(tmp_path / "submitted" / who / LESSON) for who in ("alice", "bob")} == before


@pytest.mark.parametrize("typed", ["", "20231234", "bob", "Bob Marley", "鲍勃"])
def test_another_way_to_write_oneself_is_no_clash(made: CourseFolder, tmp_path: Path, typed: str) -> None:
    put(tmp_path, f"box/bob/handin-{LESSON}.zip", pack(3, typed))
    (found,) = taken(made, tmp_path, "box")
    assert (found.student, found.outcome) == ("bob", "taken")


def test_an_empty_zip_says_so_and_a_damaged_one_is_named(made: CourseFolder, tmp_path: Path) -> None:
    for name, data, key in (
        ("empty.zip", zipped({}), "intake.empty_zip"),
        ("nothing.zip", b"", "intake.empty_file"),
        ("damaged.zip", b"PK\x03\x04 broken", "intake.bad_zip"),
    ):
        path = put(tmp_path, name, data)
        with pytest.raises(Problem) as refused:
            collect_into(made, LESSON, path)
        assert refused.value.key == key
        assert name in str(refused.value)


def test_a_disk_that_takes_nothing_is_said_in_a_sentence(
    made: CourseFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    put(tmp_path, f"box/lin/{LESSON}.ipynb", work(1))
    monkeypatch.setattr("helpers.writing.part", full)
    with pytest.raises(OSError, match="No space left on device"):  # told at the command's edge
        collect_into(made, LESSON, tmp_path / "box")


def test_a_gradebook_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path) -> None:
    course = small.course(tmp_path / "course")
    course.gradebook.write_bytes(b"no database" * 100)
    put(tmp_path, f"box/lin/{LESSON}.ipynb", work(1))
    with pytest.raises(Problem) as refused:
        collect_into(course, LESSON, tmp_path / "box")
    assert refused.value.key == "intake.gradebook"
    assert not (course.root / "submitted").exists()
