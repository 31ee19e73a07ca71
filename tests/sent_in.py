"""What learning platforms and people make of a class's hand-ins: written from their conventions and by hand,
without anything of the code that reads them."""

from __future__ import annotations

import copy
import functools
import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import small

LESSON = small.LESSON
EARLY, LATE = (2026, 3, 2, 10, 0, 0), (2026, 3, 4, 18, 30, 0)

SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许"
GIVEN = "小明丽华建国子涵宇轩梓萱浩然雨桐思远佳怡文博静怡志强晓燕俊杰"
WESTERN = (
    "Anna Müller", "José Núñez", "Zoë Brontë", "Søren Kjær", "Maria Gómez", "John Smith", "Aisha Khan",
    "François Lefèvre", "Jürgen Groß", "Ángel Peña",
)  # fmt: skip


@functools.cache
def work(number: int, language: str = "en") -> bytes:
    """A notebook of the small lesson whose answer is this person's only."""
    notebook = copy.deepcopy(small.english(small.master()) if language == "en" else small.master())
    answer = f'def double(number):\n    # {number}\n    return {{"double_ms": 2 * number}}\n'
    small.cell(notebook, "double").source = answer
    return json.dumps(notebook, ensure_ascii=False).encode()


def pack(number: int, typed: str = "") -> bytes:
    """A hand-in pack as docs/handin.md describes it."""
    files = {"notebook.ipynb": work(number), "answers/double.py": f"# {number}\n".encode()}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    contents = {
        "format": "iteration-budget-handin/v1", "lesson": LESSON, "language": "en", "student": typed,
        "notebook_is_older": False, "files": digests,
    }  # fmt: skip
    return zipped({**files, "manifest.json": json.dumps(contents).encode()}, when=(1980, 1, 1, 0, 0, 0))


def zipped(entries: dict[str, bytes], code_page: str = "utf-8", when: tuple[int, ...] = EARLY) -> bytes:
    """A zip whose names are written in this code page, with the UTF-8 mark for UTF-8 only; byte by byte,
    since the library cannot write what old systems wrote."""
    body, table = io.BytesIO(), io.BytesIO()
    flag = 0x800 if code_page == "utf-8" else 0
    day = (when[0] - 1980) << 9 | when[1] << 5 | when[2]
    time = when[3] << 11 | when[4] << 5 | when[5] // 2
    for name, data in entries.items():
        raw, squeezed = name.encode(code_page), zlib.compress(data)[2:-4]
        about = struct.pack(
            "<HHHHHIIIHH", 20, flag, 8, time, day, zlib.crc32(data), len(squeezed), len(data), len(raw), 0
        )
        table.write(
            b"PK\x01\x02" + struct.pack("<H", 20) + about + struct.pack("<HHHII", 0, 0, 0, 0, body.tell())
        )
        table.write(raw)
        body.write(b"PK\x03\x04" + about + raw + squeezed)
    end = struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), table.tell(), body.tell(), 0)
    return body.getvalue() + table.getvalue() + b"PK\x05\x06" + end


@dataclass
class Sent:
    """A download: files by their path, whose work each person's is, and who sent nothing that can be read."""

    files: dict[str, bytes] = field(default_factory=dict)
    works: dict[str, int] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    rows: list[dict] = field(default_factory=list)
    expected: dict[str, str] = field(default_factory=dict)

    def person(
        self, number: int, own: str, name: str, lms: str | None = None, email: str | None = None
    ) -> None:
        """Somebody of the class: the id without a roster, and the row of the roster."""
        self.works[own] = number
        self.expected[own] = f"{20260000 + number}"
        last, first = (
            (name[:1], name[1:])
            if not name.isascii() and " " not in name
            else (name.split(" ", 1)[1], name.split(" ", 1)[0])
        )
        row = {
            "id": self.expected[own],
            "first_name": first,
            "last_name": last,
            "email": email,
            "lms_user_id": lms,
        }
        self.rows.append(row)

    def write(self, top: Path) -> Path:
        """Put the download on the disk."""
        for name, data in self.files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return top

    def count(self) -> int:
        """How many files came in: in folders, and in the archives that are a whole class's."""
        return sum(len(zipfile.ZipFile(io.BytesIO(data)).namelist()) if name in CLASS_ZIPS else 1
                   for name, data in self.files.items())  # fmt: skip


CLASS_ZIPS = {"moodle.zip", "moodle-old.zip", "moodle-western.zip", "canvas/submissions.zip", "all.zip"}


def chinese(number: int) -> str:
    """The name of one of three hundred people; no two have the same one."""
    given = number // 20 % 15 * 2
    return SURNAMES[number % 20] + GIVEN[given : given + 2]


def class_of_300() -> Sent:
    """Every layout at once, as it lies in an instructor's folder of downloads."""
    sent = Sent()
    moodle(sent, "moodle.zip", range(50), "utf-8")
    moodle(sent, "moodle-old.zip", range(50, 80), "gb18030")
    western(sent)
    canvas(sent, range(90, 140))
    gradescope(sent, range(140, 180))
    one_top_folder(sent, range(180, 215))
    inbound(sent, range(215, 235))
    flat(sent, range(235, 270))
    rain(sent, range(270, 290))
    archive_of_folders(sent, range(290, 300))
    return sent


def moodle(sent: Sent, name: str, numbers: range, code_page: str) -> None:
    """Packs, in a folder each; a Mac's companions; broken uploads beside good ones."""
    entries: dict[str, bytes] = {}
    for number in numbers:
        place = f"{chinese(number)}_{7000 + number}_assignsubmission_file_"
        sent.person(number, f"{chinese(number)}_{7000 + number}", chinese(number))
        entries[f"{place}/handin-{LESSON}.zip"] = pack(number, f"{20260000 + number}")
        if number % 5 == 0:
            entries[f"__MACOSX/{place}/._handin-{LESSON}.zip"] = b"\0\5\x16\7"
        if number % 7 == 0:
            entries[f"{place}/{LESSON}.ipynb"] = work(number)[:500]
    sent.files[name] = zipped(entries, code_page)


def western(sent: Sent) -> None:
    """Accented names in the code page of old zips, flat."""
    entries = {}
    for number, name in enumerate((*WESTERN[:9], "Élodie Dupré"), 80):
        if not encodes(name, "cp437"):
            name = f"Kjell Åberg{number}"
        own = name.replace(" ", "-")
        sent.person(number, f"{own}_{7000 + number}", name)
        entries[f"{name}_{7000 + number}_assignsubmission_file_{LESSON} (1).ipynb"] = work(number)
    sent.files["moodle-western.zip"] = zipped(entries, "cp437")


def encodes(name: str, code_page: str) -> bool:
    try:
        return bool(name.encode(code_page))
    except UnicodeEncodeError:
        return False


def canvas(sent: Sent, numbers: range) -> None:
    """Files side by side; every third handed in again, and the platform numbers what comes."""
    entries = {}
    for number in numbers:
        name = f"{chr(97 + number % 26)}{chr(97 + number // 26)}student"
        sent.person(number, f"{name}_{number}", f"{chinese(number)}", lms=str(number))
        late = "_LATE" if number % 4 == 0 else ""
        if number % 3 == 0:
            entries[f"{name}{late}_{number}_{9000 + number}_{LESSON}.ipynb"] = work(number + 1000)
            entries[f"{name}{late}_{number}_{99000 + number}_{LESSON}-1.ipynb"] = work(number)
        elif number % 3 == 1:
            entries[f"{name}{late}_{number}_{9000 + number}_handin-{LESSON}.zip"] = pack(number)
        else:
            entries[f"{name}{late}_{number}_{9000 + number}_{LESSON}-2.ipynb"] = work(number)
    sent.files["canvas/submissions.zip"] = zipped(entries)


def gradescope(sent: Sent, numbers: range) -> None:
    """One top folder, a folder a submission, and the list of names on top."""
    lines = []
    for number in numbers:
        sid = f"00{number}7"
        sent.person(number, sid, chinese(number), email=None, lms=sid)
        sent.files[f"assignment_55_export/submission_{8000 + number}/my notebook.ipynb"] = work(number)
        lines += [f"submission_{8000 + number}:", "  :submitters:", f"  - :name: {chinese(number)}",
                  f"    :sid: '{sid}'", f"    :email: s{number}@example.edu",
                  f"  :created_at: 2026-03-01 12:00:{number % 60:02d}.123456789 Z"]  # fmt: skip
    sent.files["assignment_55_export/submission_metadata.yml"] = "\n".join(lines).encode()


def one_top_folder(sent: Sent, numbers: range) -> None:
    """A folder a person below one of the instructor's; some with more in them than the notebook."""
    for number in numbers:
        own = f"{chinese(number)}{20260000 + number}"
        sent.person(number, own, chinese(number))
        sent.files[f"CS101 Tuesday group/{own}/{LESSON}.ipynb"] = work(number)
        if number % 6 == 0:
            sent.files[f"CS101 Tuesday group/{own}/notes.txt"] = b"sorry"
            sent.files[f"CS101 Tuesday group/{own}/.DS_Store"] = b"\0\0\0\1Bud1"


def inbound(sent: Sent, numbers: range) -> None:
    """nbgrader's exchange."""
    for number in numbers:
        own = f"login{number}"
        sent.person(number, own, chinese(number), email=f"{own}@example.edu")
        place = f"inbound/{own}+{LESSON}+2026-03-03 09:15:{number % 60:02d}.123456 UTC+a1b2c3"
        sent.files[f"{place}/{LESSON}.ipynb"] = work(number)
        sent.files[f"{place}/timestamp.txt"] = b"2026-03-03 09:15:00.123456 UTC"


FLAT = (
    "{name}.ipynb", "{name}_LATE.ipynb", "{name} (1).ipynb", "{name}-2.ipynb", "Copy of {name}.ipynb",
    "“{name}.ipynb”的副本.ipynb", "{name} - Copy.ipynb", "{name} - 副本.ipynb", LESSON + "_{name}.ipynb",
    "handin-" + LESSON + "-{name}.zip",
)  # fmt: skip


def flat(sent: Sent, numbers: range) -> None:
    """Files side by side, named by whoever sent them; three sent what is no notebook."""
    for number in numbers:
        name = chinese(number)
        sent.person(number, name, name)
        written = "mail/" + FLAT[number % len(FLAT)].format(name=name)
        sent.files[written] = pack(number) if written.endswith(".zip") else work(number)
    for number, data in ((236, b""), (237, b"%PDF-1.7"), (241, work(241)[:300])):
        ending = "pdf" if number == 237 else "ipynb"
        old = next(name for name in sent.files if chinese(number) in name and name.startswith("mail/"))
        del sent.files[old]
        sent.files[f"mail/{chinese(number)}.{ending}"] = data
        sent.broken.add(chinese(number))


def rain(sent: Sent, numbers: range) -> None:
    """Number and name in front of what the student called the file."""
    for number in numbers:
        own = f"{20260000 + number}_{chinese(number)}"
        sent.person(number, own, chinese(number))
        sent.files[f"雨课堂作业/{own}_作业.ipynb"] = work(number)


def archive_of_folders(sent: Sent, numbers: range) -> None:
    """A folder a person in one archive, made on a Mac, with a hidden folder and two that lead upwards."""
    entries = {}
    for number in numbers:
        own = f"member{number}"
        sent.person(number, own, chinese(number), email=f"{own}@example.edu")
        start = {0: "", 1: "./", 2: "../"}[number % 3]
        entries[f"{start}{own}/Untitled.ipynb"] = work(number)
        entries[f"__MACOSX/{own}/._Untitled.ipynb"] = b"\0\5\x16\7"
    sent.files["all.zip"] = zipped(entries)


def lines_of(path: Path) -> Iterator[dict]:
    """The rows of a table that was written for people: UTF-8 with a mark."""
    import csv

    with path.open(encoding="utf-8-sig", newline="") as table:
        yield from csv.DictReader(table)
