"""What students hand in, and what of it arrives in `submitted/`."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from pathlib import Path

import pytest
from copying import ASSIGNMENT, LESSON, blank, honest

from course.collecting import work
from course.collecting.collect import collect
from course.collecting.owners import student_id
from course.collecting.receipts import Receipt
from course.collecting.received import NotCollected
from course.lesson.notebooks import METADATA
from course.submission import reading
from course.submission.files import FILE_BYTES, RECEIPT, STAMP
from course.submission.reading import read

NOTEBOOK = json.dumps(honest(), ensure_ascii=False).encode()
OTHER = json.dumps(honest(copy="copy_time = None"), ensure_ascii=False).encode()
BLANK = json.dumps(blank(), ensure_ascii=False).encode()


def put(top: Path, name: str, data: bytes = NOTEBOOK) -> Path:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def zipped(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def taken(source: Path, tmp_path: Path, student: str | None = None) -> dict[str, Receipt]:
    return {
        receipt.student: receipt for receipt in collect(source, tmp_path / "submitted", ASSIGNMENT, student)
    }


def arrived(tmp_path: Path, student: str) -> bytes:
    return (tmp_path / "submitted" / student / LESSON / f"{LESSON}.ipynb").read_bytes()


def keys(receipt: Receipt) -> set[str]:
    return {note.key for note in receipt.notes}


@pytest.fixture
def box(tmp_path: Path) -> Path:
    found = tmp_path / "box"
    found.mkdir()
    return found


@pytest.mark.parametrize(
    "name",
    [
        f"{LESSON}.ipynb", f"{LESSON} (1).ipynb", f"{LESSON}（1）.ipynb", f"{LESSON} - 副本.ipynb",
        "作业.ipynb",
        f"deep/er/{LESSON}.ipynb", f"{LESSON}.IPYNB", f"{LESSON}.ipynb.txt", "my homework final.ipynb",
    ],
)  # fmt: skip
def test_the_notebook_is_found_whatever_its_name(tmp_path: Path, box: Path, name: str) -> None:
    put(box, f"lin/{name}")
    receipts = taken(box, tmp_path)
    assert receipts["lin"].taken
    assert arrived(tmp_path, "lin") == NOTEBOOK


def test_the_original_stays_as_it_was(tmp_path: Path, box: Path) -> None:
    path = put(box, "lin/a.ipynb", b"\xef\xbb\xbf" + NOTEBOOK)
    before = path.stat()
    taken(box, tmp_path)
    assert path.read_bytes() == b"\xef\xbb\xbf" + NOTEBOOK
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert arrived(tmp_path, "lin") == b"\xef\xbb\xbf" + NOTEBOOK


def test_moodle_and_canvas_name_their_students(tmp_path: Path) -> None:
    source = zipped(
        tmp_path / "all.zip",
        {
            f"张三_123_assignsubmission_file_/{LESSON}.ipynb": NOTEBOOK,
            "Maria Gómez_124_assignsubmission_file_/abgabe.ipynb": OTHER,
            f"smithjohn_LATE_77_99_{LESSON}-1.ipynb": NOTEBOOK,
        },
    )
    receipts = taken(source, tmp_path)
    assert set(receipts) == {"张三_123", "Maria-Gómez_124", "smithjohn_77"}
    assert all(receipt.taken for receipt in receipts.values())


def test_a_single_file_is_its_owners(tmp_path: Path, box: Path) -> None:
    assert set(taken(put(box, f"{LESSON}_王五.ipynb"), tmp_path)) == {"王五"}
    assert set(taken(put(box, f"{LESSON}.ipynb"), tmp_path, "zhao")) == {"zhao"}
    assert not taken(put(box, f"{LESSON}.ipynb"), tmp_path)


def test_two_different_notebooks_are_reported_and_not_guessed(tmp_path: Path, box: Path) -> None:
    put(box, f"lin/{LESSON}.ipynb", NOTEBOOK)
    put(box, f"lin/{LESSON} (1).ipynb", OTHER)
    receipt = taken(box, tmp_path)["lin"]
    assert not receipt.taken
    note = next(note for note in receipt.notes if note.key == "intake.two_notebooks")
    assert f"{LESSON} (1).ipynb" in note.cell


def test_two_equal_notebooks_are_one_and_an_untouched_one_does_not_count(tmp_path: Path, box: Path) -> None:
    put(box, f"lin/{LESSON}.ipynb", NOTEBOOK)
    put(box, f"lin/{LESSON} (1).ipynb", NOTEBOOK)
    put(box, f"wu/{LESSON}.ipynb", BLANK)
    put(box, f"wu/{LESSON} (1).ipynb", NOTEBOOK)
    receipts = taken(box, tmp_path)
    assert receipts["lin"].taken
    assert receipts["wu"].taken
    assert arrived(tmp_path, "wu") == NOTEBOOK


def test_links_are_never_followed(tmp_path: Path, box: Path) -> None:
    secret = put(tmp_path, "elsewhere/secret.ipynb")
    for student in ("soft", "folder"):
        (box / student).mkdir()
    (box / "soft" / f"{LESSON}.ipynb").symlink_to(secret)
    (box / "folder" / "inside").symlink_to(secret.parent)
    receipts = taken(box, tmp_path)
    assert not any(receipt.taken for receipt in receipts.values())
    assert all("intake.link" in keys(receipt) for receipt in receipts.values())


def test_a_hard_link_to_anothers_file_is_refused_and_the_other_is_taken(tmp_path: Path, box: Path) -> None:
    victim = put(box, f"lin/{LESSON}.ipynb")
    (box / "adam").mkdir()
    os.link(victim, box / "adam" / f"{LESSON}.ipynb")
    receipts = taken(box, tmp_path)
    assert receipts["lin"].taken
    assert keys(receipts["adam"]) == {"intake.link", "intake.no_notebook"}


def test_pipes_and_sockets_are_not_read(tmp_path: Path, box: Path) -> None:
    (box / "lin").mkdir()
    os.mkfifo(box / "lin" / f"{LESSON}.ipynb")
    assert "intake.link" in keys(taken(box, tmp_path)["lin"])


def test_a_link_in_the_place_of_a_students_folder_is_refused(tmp_path: Path, box: Path) -> None:
    put(box, f"lin/{LESSON}.ipynb")
    victim = tmp_path / "victim"
    victim.mkdir()
    (tmp_path / "submitted").mkdir()
    (tmp_path / "submitted" / "lin").symlink_to(victim)
    with pytest.raises(NotCollected):
        taken(box, tmp_path)
    assert not any(victim.rglob("*.ipynb"))


def test_a_link_in_the_place_of_the_notebook_is_replaced_even_if_it_shows_the_same(
    tmp_path: Path, box: Path
) -> None:
    put(box, f"lin/{LESSON}.ipynb")
    victim = put(tmp_path, "victim.ipynb")
    place = tmp_path / "submitted" / "lin" / LESSON / f"{LESSON}.ipynb"
    place.parent.mkdir(parents=True)
    place.symlink_to(victim)
    assert taken(box, tmp_path)["lin"].changed
    assert not place.is_symlink()


@pytest.mark.parametrize(
    "name", ["../../evil.ipynb", "/etc/evil.ipynb", "C:/evil.ipynb", "a/../../evil.ipynb"]
)
def test_an_archive_cannot_write_outside(tmp_path: Path, name: str) -> None:
    source = zipped(tmp_path / "x.zip", {name: NOTEBOOK, f"lin/{LESSON}.ipynb": NOTEBOOK})
    assert "lin" in taken(source, tmp_path)
    written = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.ipynb")}
    assert written == {"submitted"}


def test_an_archives_links_and_bombs_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        link = zipfile.ZipInfo(f"lin/{LESSON}.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(f"wu/{LESSON}.ipynb", b"0" * (FILE_BYTES + 10))
    receipts = taken(path, tmp_path)
    assert keys(receipts["lin"]) == {"intake.link", "intake.no_notebook"}
    assert keys(receipts["wu"]) == {"intake.too_large", "intake.no_notebook"}


def test_who_hands_in_too_many_files_is_named_and_nobody_else_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(work, "FILES", 1)
    entries = {"lin/a.ipynb": NOTEBOOK, "lin/b.ipynb": NOTEBOOK, "wu/a.ipynb": NOTEBOOK}
    receipts = taken(zipped(tmp_path / "x.zip", entries), tmp_path)
    assert keys(receipts["lin"]) == {"intake.many_files"}
    assert receipts["wu"].taken


def test_a_students_own_archive_is_opened_once(tmp_path: Path, box: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr(f"hw/{LESSON}.ipynb", NOTEBOOK)
    put(box, "lin/hw.zip", inner.getvalue())
    put(box, "wu/hw.zip", b"PK\x03\x04broken")
    receipts = taken(box, tmp_path)
    assert receipts["lin"].taken
    assert "intake.bad_zip" in keys(receipts["wu"])


def test_names_in_an_archive_from_chinese_windows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("x" * 8 + f"/{LESSON}.ipynb")
        archive.writestr(info, NOTEBOOK)
    raw = "张三李四".encode("gb18030")
    path.write_bytes(path.read_bytes().replace(b"x" * 8, raw))
    assert set(taken(path, tmp_path)) == {"张三李四"}


def test_the_time_is_stamped_here_and_kept_for_the_same_file(tmp_path: Path, box: Path) -> None:
    put(box, f"lin/{LESSON}.ipynb")
    put(box, f"lin/{STAMP}", b"2001-01-01 00:00:00 UTC")
    folder = tmp_path / "submitted" / "lin" / LESSON
    taken(box, tmp_path)
    first = (folder / STAMP).read_text()
    assert "2001" not in first
    (folder / RECEIPT).write_text(
        (folder / RECEIPT).read_text().replace(first.strip(), "2020-02-02 02:02:02 UTC")
    )
    assert not taken(box, tmp_path)["lin"].changed
    assert "2020-02-02" in (folder / STAMP).read_text()
    put(box, f"lin/{LESSON}.ipynb", OTHER)
    assert taken(box, tmp_path)["lin"].changed
    assert "2020" not in (folder / STAMP).read_text()


def test_the_receipt_speaks_the_students_language(tmp_path: Path, box: Path) -> None:
    notebook = honest("en")
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != "copy-check"]
    put(box, "maria/x.ipynb", json.dumps(notebook).encode())
    taken(box, tmp_path)
    receipt = json.loads((tmp_path / "submitted" / "maria" / LESSON / RECEIPT).read_text("utf-8"))
    assert receipt["language"] == "en"
    assert any("put back" in sentence for sentence in receipt["in_words"])


def test_nothing_but_the_notebook_arrives(tmp_path: Path, box: Path) -> None:
    put(box, f"lin/{LESSON}.ipynb")
    for name in ("nbgrader_config.py", "gradebook.db", "conftest.py", ".hidden", "sub/helpers/checks.py"):
        put(box, f"lin/{name}", b"x")
    taken(box, tmp_path)
    names = {path.name for path in (tmp_path / "submitted").rglob("*") if path.is_file()}
    assert names == {f"{LESSON}.ipynb", RECEIPT, STAMP}


def test_an_empty_folder_is_said_so(tmp_path: Path, box: Path) -> None:
    put(box, "lin/notes.txt", b"sorry")
    assert keys(taken(box, tmp_path)["lin"]) == {"intake.no_notebook"}


def test_another_lessons_notebook_is_not_this_ones(tmp_path: Path, box: Path) -> None:
    other = {
        "cells": [{"cell_type": "code", "source": "x = 1", "metadata": {}}],
        "nbformat": 4,
        "metadata": {},
    }
    put(box, "lin/other.ipynb", json.dumps(other).encode())
    assert not taken(box, tmp_path)["lin"].taken


@pytest.mark.parametrize(
    "name", ["../x", "..", "a/b", "a\\b", "a*b", "a\0b", " 张 三 ", "x" * 500, "-rf", ".hidden", "a+b", "é"]
)
def test_a_students_id_is_a_plain_name(name: str) -> None:
    found = student_id(name)
    assert "/" not in found
    assert not found.startswith((".", "-"))
    assert len(found) <= 80


ENCODINGS = {
    "utf-8": "utf-8", "utf-8 with a mark": "utf-8-sig", "utf-16": "utf-16", "utf-16 without a mark":
    "utf-16-le",
    "utf-16 the other way": "utf-16-be", "gb18030": "gb18030", "utf-32": "utf-32",
}  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_that_editors_write_is_read(encoding: str) -> None:
    found = read(NOTEBOOK.decode().encode(ENCODINGS[encoding]))
    assert found.readable
    assert found.notebook["cells"] == json.loads(NOTEBOOK)["cells"]


def test_an_old_notebook_format_is_read() -> None:
    old = {
        "nbformat": 3,
        "metadata": {},
        "worksheets": [{"cells": [{"cell_type": "code", "input": "x = 1"}]}],
    }
    found = read(json.dumps(old).encode())
    assert found.readable
    assert found.notebook["cells"] == [{"cell_type": "code", "input": "x = 1"}]


BROKEN = {
    "empty": (b"", "empty"),
    "spaces": (b"  \n\0\0", "empty"),
    "a PDF": (b"%PDF-1.7 x", "pdf"),
    "an archive": (b"PK\x03\x04x", "zip"),
    "a Word document": (b"\xd0\xcf\x11\xe0x", "office"),
    "cut off": (NOTEBOOK[: len(NOTEBOOK) // 2], "not_json"),
    "very deep": (b"[" * 1_000_000, "not_json"),
    "deep cells": (b'{"cells":' * 200_000, "not_json"),
    "a number": (b"3", "not_notebook"),
    "a list": (b"[]", "not_notebook"),
    "another JSON": (b'{"a": 1}', "not_notebook"),
    "no cells": (b'{"nbformat": 4, "cells": null}', "not_notebook"),
    "a huge integer": (b'{"cells": ' + b"9" * 1_000_000, "not_json"),
    "random bytes": (bytes(range(256)) * 50, "not_json"),
    "too large": (b" " * 10 + b"{" + b"x" * FILE_BYTES, "too_large"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_no_notebook_is_said_in_a_sentence(kind: str) -> None:
    data, reason = BROKEN[kind]
    found = read(data)
    assert [note.key for note in found.notes] == [f"unreadable.{reason}"]
    assert found.notebook["cells"] == []


def test_a_broken_file_still_shows_its_language() -> None:
    data = json.dumps(honest("en")).encode()
    assert read(data[: len(data) // 2]).notebook["metadata"][METADATA]["language"] == "en"


def test_half_characters_and_nulls_are_survived() -> None:
    data = json.dumps({"cells": [{"cell_type": "code", "source": "x = '\ud800\0'", "metadata": {}}]}).encode()
    assert reading.read(data).readable


def broken_zip(path: Path) -> bytes:
    """A zip whose compressed bytes were damaged on the way."""
    data = bytearray(zipped(path, {f"{LESSON}.ipynb": NOTEBOOK}).read_bytes())
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(40)
    path.unlink()
    return bytes(data)


def wrong_name_zip(path: Path) -> bytes:
    """A zip that calls a name UTF-8 which is none."""
    data = zipped(path, {"作业.ipynb": NOTEBOOK}).read_bytes()
    path.unlink()
    return data.replace("作业".encode(), b"\xff\xfe\xff\xfe\xff\xfe")


def half_letter(path: Path) -> bytes:
    notebook = honest()
    notebook["cells"][0]["source"] = "\ud800"
    return json.dumps(notebook).encode()


@pytest.mark.parametrize(
    ("name", "make"),
    [("hw.zip", broken_zip), ("hw.zip", wrong_name_zip), ("hw.ipynb", half_letter)],
    ids=["damaged zip", "name in another encoding", "half a letter"],
)
def test_one_students_file_stops_nobody_else(tmp_path: Path, box: Path, name: str, make) -> None:
    put(box, f"lin/{name}", make(tmp_path / "made.zip"))
    put(box, "lin/mine.json", json.dumps({"schema_version": "inference-mechanism-gpu/v3"}).encode())
    put(box, "wu/a.ipynb")
    receipts = taken(box, tmp_path)
    assert receipts["wu"].taken
    assert receipts["lin"].taken or receipts["lin"].notes


def test_a_name_of_any_length_and_script_becomes_an_id_that_a_folder_bears(tmp_path: Path, box: Path) -> None:
    put(box, "🙂/a.ipynb")
    put(box, "Li Hua/a.ipynb")
    put(box, "Li-Hua/a.ipynb", OTHER)
    receipts = taken(box, tmp_path)
    assert len(receipts) == 3
    assert all(receipt.taken for receipt in receipts.values())
    assert all(name and len(name.encode()) <= 220 for name in receipts)
    assert len(student_id("𠀀" * 80).encode()) <= 200
    assert student_id("a" + "\u0345\u0300" * 60_000)


CANVAS_ZIP = "alice_101_202_work.zip"


@pytest.mark.parametrize(
    ("outer", "inner", "owner"),
    [
        (CANVAS_ZIP, f"{LESSON}.ipynb", "alice_101"),
        (CANVAS_ZIP, f"bob_7_9_{LESSON}.ipynb", "alice_101"),
        ("alice/hw.zip", f"bob_7_assignsubmission_file_/{LESSON}.ipynb", "alice"),
        ("alice.zip", f"{LESSON}.ipynb", "alice"),
        ("class.zip", f"bob_7_assignsubmission_file_/{LESSON}.ipynb", "bob_7"),
    ],
)
def test_whose_a_zip_is_says_its_own_place_and_not_what_is_in_it(
    tmp_path: Path, box: Path, outer: str, inner: str, owner: str
) -> None:
    (box / outer).parent.mkdir(parents=True, exist_ok=True)
    zipped(box / outer, {inner: NOTEBOOK})
    receipts = taken(box, tmp_path)
    assert {name for name, receipt in receipts.items() if receipt.taken} == {owner}
    assert arrived(tmp_path, owner) == NOTEBOOK
