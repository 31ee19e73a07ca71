"""Whose a file is: ids that are one person's only, whoever else is there, and names that are read as they
were written."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from pathlib import Path

import pytest
import small
from sent_in import lines_of, pack, work, zipped

from course.collecting.account import Account
from course.collecting.collect import collect, collect_into
from course.collecting.known_students import KnownStudents
from course.collecting.owners import person, platforms_id, student_id
from course.lesson.folder import CourseFolder

LESSON = small.LESSON


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    return small.course(tmp_path_factory.mktemp("course"))


def collected(
    made: CourseFolder, top: Path, files: dict[str, bytes], known: KnownStudents | None = None
) -> Account:
    """What came of files in a folder."""
    for name, data in files.items():
        path = top / "box" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return collect(top / "box", top / "submitted", made.assignment(LESSON), known=known)


def in_zip(made: CourseFolder, top: Path, data: bytes) -> Account:
    (top / "all.zip").write_bytes(data)
    return collect(top / "all.zip", top / "submitted", made.assignment(LESSON))


def owners(account: Account) -> dict[str, bytes]:
    """Whose work is which, by the file that was taken."""
    return {receipt.student: receipt.source for receipt in account if receipt.taken}


PAIRS = [
    ("A B", "A-B"), ("A B", "A_B"), ("A B", "A  B"), (".lin", "lin"), ("lin", "lin."), ("a+b", "a b"),
    ("_lin", "lin"),
    ("🙂", "🙃"), ("dom\\u1", "dom\\u2"), ("dom\\u1", "dom-u1"), ("x" * 90, "x" * 91), ("张 三", "张三"),
    ("é" * 79 + "a", "é" * 79 + "b"), ("student-1", "student-2"), ("group (1)", "group (2)"), ("s-1", "s-2"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_people_never_share_an_id_and_it_does_not_depend_on_the_other(
    made: CourseFolder, tmp_path: Path, one: str, other: str
) -> None:
    both = collected(made, tmp_path / "both", {f"{one}/a.ipynb": work(1), f"{other}/b.ipynb": work(2)})
    assert len(owners(both)) == 2
    alone = [
        next(iter(owners(collected(made, tmp_path / str(number), {f"{name}/{LESSON}.ipynb": work(number)}))))
        for number, name in enumerate((one, other))
    ]
    assert set(alone) == set(owners(both))


def test_composed_and_decomposed_accents_are_one_person(made: CourseFolder, tmp_path: Path) -> None:
    names = [unicodedata.normalize(form, "Zoë Brontë") for form in ("NFC", "NFD")]
    assert names[0] != names[1]
    found = [
        owners(collected(made, tmp_path / str(n), {f"{name}/{LESSON}.ipynb": work(1)}))
        for n, name in enumerate(names)
    ]
    assert set(found[0]) == set(found[1])


def test_two_numbers_behind_a_long_name_are_two_people(made: CourseFolder, tmp_path: Path) -> None:
    long = "Wolfeschlegelsteinhausenbergerdorff " * 4
    files = {f"{long}_{n}_assignsubmission_file_/{LESSON}.ipynb": work(n) for n in (123456, 123457)}
    found = owners(collected(made, tmp_path, files))
    assert {name[-7:] for name in found} == {"_123456", "_123457"}
    assert platforms_id("名" * 200, "1") != platforms_id("名" * 200, "2")


@pytest.mark.parametrize("start", ["", "./", "../", "../../", "/"])
def test_a_path_that_leads_upwards_loses_nobody(made: CourseFolder, tmp_path: Path, start: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("lin", "wu", ".mo"):
            archive.writestr(f"{start}{name}/{LESSON}.ipynb", work(len(name)))
    found = in_zip(made, tmp_path, buffer.getvalue())
    assert len(owners(found)) == 3
    assert {"lin", "wu"} < set(owners(found))
    assert {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.ipynb")} == {"submitted"}


def test_a_backslash_in_a_zip_is_part_of_a_name_where_slashes_divide(
    made: CourseFolder, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    data = zipped({f"dom\\u{n}/{LESSON}.ipynb": work(n) for n in (1, 2)})
    assert len(owners(in_zip(made, tmp_path / "a", data))) == 2
    old = zipped({f"{name}\\{LESSON}.ipynb": work(n) for n, name in enumerate(("lin", "wu"))})
    (tmp_path / "b").mkdir()
    assert set(owners(in_zip(made, tmp_path / "b", old))) == {"lin", "wu"}


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("张三.ipynb", "张三"), ("张三 (1).ipynb", "张三"), ("张三（2）.ipynb", "张三"),
        ("alice-2.ipynb", "alice"), ("Copy of alice.ipynb", "alice"),
        ("“张三.ipynb”的副本.ipynb", "张三"), ("alice - Copy.ipynb", "alice"),
        ("alice - Copy (2).ipynb", "alice"), ("alice_LATE.ipynb", "alice"),
        ("张三 - 副本.ipynb", "张三"), ("tiny_王五.ipynb", "王五"), ("handin-tiny-alice.zip", "alice"),
        ("2026001_李丽_作业.ipynb", "2026001_李丽"), ("student-2.ipynb", "student-2"),
        ("2026-001.ipynb", "2026-001"), ("tiny.ipynb", ""), ("tiny (1).ipynb", ""),
        ("handin-tiny (3).zip", ""), ("destiny.ipynb", "destiny"), ("Untitled1.ipynb", ""),
        ("作业.ipynb", ""), ("s17.ipynb", "s17"), ("alice.ipynb.txt", "alice"),
        ("alice.pdf", "alice"), ("Tran My.ipynb", "Tran My"),
    ],
)  # fmt: skip
def test_what_says_nothing_of_anybody_is_left_out_of_a_name(name: str, whose: str) -> None:
    assert person(name, "tiny") == whose


@pytest.mark.parametrize(
    ("names", "code_page", "said"),
    [
        (["张三", "李四喜"], "gb18030", True),
        (["李喆", "王玥"], "gb18030", True),
        (["Zoë", "José"], "cp437", True),
        (["Ángel", "Óscar"], "cp850", True),
        (["张三", "José"], "utf-8", False),
        (["lin", "wu"], "cp437", False),
    ],
)
def test_names_in_a_zip_are_read_in_the_code_page_that_makes_all_plausible(
    made: CourseFolder, tmp_path: Path, names: list[str], code_page: str, said: bool
) -> None:
    entries = {f"{name}/{LESSON}.ipynb": work(number) for number, name in enumerate(names)}
    found = in_zip(made, tmp_path, zipped(entries, code_page))
    assert set(owners(found)) == set(names)
    assert [note.cell for note in found.notes] == ([f"all.zip ({code_page})"] if said else [])


def test_a_class_zipped_in_one_folder_is_not_one_student(made: CourseFolder, tmp_path: Path) -> None:
    entries = {f"Lab group 3/{name}/{LESSON}.ipynb": work(n) for n, name in enumerate(("lin", "wu", "mo"))}
    assert set(owners(in_zip(made, tmp_path, zipped(entries)))) == {"lin", "wu", "mo"}


@pytest.mark.parametrize("depth", ["", "Tuesday class/", "downloads/term/"])
def test_packs_in_a_platform_s_zip_in_a_folder_are_their_owners(
    made: CourseFolder, tmp_path: Path, depth: str
) -> None:
    entries = {f"Li Na_{n}_assignsubmission_file_/handin-{LESSON}.zip": pack(n) for n in (1, 2, 3)}
    found = collected(made, tmp_path, {f"{depth}moodle.zip": zipped(entries)})
    assert set(owners(found)) == {"Li-Na_1", "Li-Na_2", "Li-Na_3"}


def test_several_notebooks_of_each_person_are_not_people(made: CourseFolder, tmp_path: Path) -> None:
    people = {"lin": 1, "wu": 2, "mo": 3}
    files = {
        f"{who}/{name}.ipynb": work(number)
        for who, number in people.items()
        for name in ("scratchpad", "plots")
    }
    found = collected(made, tmp_path, files)
    assert set(owners(found)) == set(people)
    assert found.counts == {"taken": 3, "equal": 3}


def test_two_packs_with_one_typed_id_are_not_chosen_between(made: CourseFolder, tmp_path: Path) -> None:
    files = {f"handin-{LESSON} ({n}).zip": pack(n, "20260001") for n in (1, 2)}
    found = collected(made, tmp_path, files)
    assert [(line.became, line.note.key) for line in found.lines] == [("refused", "intake.two_notebooks")] * 2


def test_a_platform_s_two_folders_of_one_student_are_one_hand_in(made: CourseFolder, tmp_path: Path) -> None:
    files = {
        f"Li Na_1_assignsubmission_file_/{LESSON}.ipynb": work(1),
        "Li Na_1_assignsubmission_onlinetext_/onlinetext.html": b"<p>",
    }
    found = collected(made, tmp_path, files)
    assert found.counts == {"taken": 1, "aside": 1}
    assert found.is_clean


def test_what_lies_in_a_student_s_own_archive_names_nobody(made: CourseFolder, tmp_path: Path) -> None:
    own = zipped({f"bob_{n}_assignsubmission_file_/{LESSON}.ipynb": work(n) for n in (1, 2)})
    files = {"alice/hw.zip": own, f"bob/{LESSON}.ipynb": work(3), f"carol/{LESSON}.ipynb": work(4)}
    found = collected(made, tmp_path, files)
    assert {receipt.student for receipt in found} == {"alice", "bob", "carol"}


def test_a_guess_is_called_a_guess_and_a_platform_s_word_is_not(made: CourseFolder, tmp_path: Path) -> None:
    files = {f"mail/{name}.ipynb": work(n) for n, name in enumerate(("lin", "wu"))}
    files |= {f"Mo_7_assignsubmission_file_/{LESSON}.ipynb": work(7), f"handin-{LESSON}.zip": pack(8, "xu")}
    found = collected(made, tmp_path, files)
    assert {receipt.student: receipt.owner.certainty for receipt in found} == {
        "lin": "guess", "wu": "guess", "Mo_7": "lms", "xu": "typed",
    }  # fmt: skip


def test_the_roster_says_who_is_who_and_who_is_not_on_it(made: CourseFolder, tmp_path: Path) -> None:
    known = KnownStudents.of(
        [
            {
                "id": "007",
                "first_name": "Anna",
                "last_name": "Smith",
                "email": "anna@x.edu",
                "lms_user_id": "77",
            },
            {"id": "008", "first_name": "三", "last_name": "张", "email": None, "lms_user_id": None},
            {"id": "009", "first_name": "伟", "last_name": "王", "email": None, "lms_user_id": None},
            {"id": "010", "first_name": "伟", "last_name": "王", "email": None, "lms_user_id": None},
        ]
    )
    entries = {
        f"smithanna_77_901_{LESSON}.ipynb": work(7),
        f"张三_5_assignsubmission_file_/{LESSON}.ipynb": work(8),
        f"王伟_6_assignsubmission_file_/{LESSON}.ipynb": work(9),
        "009.ipynb": work(10),
    }  # fmt: skip
    found = collected(made, tmp_path, entries, known)
    assert {receipt.student: receipt.owner.on_roster for receipt in found} == {
        "007": True, "008": True, "009": True, "王伟_6": False,
    }  # fmt: skip


def test_the_command_writes_each_file_s_line_and_says_the_sums(tmp_path: Path) -> None:
    made = small.course(tmp_path / "course")
    files = {
        f"lin/{LESSON}.ipynb": work(1),
        "wu/tiny.pdf": b"%PDF",
        f"{LESSON}.ipynb": work(2),
        ".DS_Store": b"x",
    }
    for name, data in files.items():
        path = tmp_path / "box" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    said = small.run(made, "collect", LESSON, str(tmp_path / "box"), expect=1)
    assert "4 files: 1 taken, 1 refused, 1 nobody's, 1 left by systems." in said
    (table,) = (made.root / "collected" / LESSON).glob("*.csv")
    assert {row["file"]: (row["became"], row["student"]) for row in lines_of(table)} == {
        f"lin/{LESSON}.ipynb": ("taken", "lin"),
        "wu/tiny.pdf": ("refused", "wu"),
        f"{LESSON}.ipynb": ("nobody", ""),
        ".DS_Store": ("system", ""),
    }
    assert all(row["why"] for row in lines_of(table) if row["became"] != "taken")
    again = collect_into(made, LESSON, tmp_path / "box" / "lin", "lin")
    assert [receipt.outcome for receipt in again] == ["equal"]


def test_a_name_of_the_wrong_length_is_cut_where_its_ending_and_number_stay() -> None:
    assert student_id("A B") != student_id("A-B") == "A-B"
    assert len(student_id("字" * 300).encode()) <= 200
