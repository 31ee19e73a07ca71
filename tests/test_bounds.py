"""What a stranger's file may cost whoever reads it: time, memory, files and values, each student's alone.

The commands run with limits that are generous for honest work, far below what each file took without bounds.
"""

from __future__ import annotations

import copy
import functools
import io
import json
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest
import small
from measured import slower

from course.collecting import choosing
from course.collecting.collect import collect
from course.collecting.owners import bare
from course.collecting.receipts import Receipt
from course.lesson.folder import CourseFolder
from course.submission import attachments, packs
from course.submission.hand_in import HandIn
from course.submission.reading import read
from helpers import results
from helpers.handin import FORMAT
from helpers.text import say

GB, MB = 10**9, 10**6
CPU_SECONDS = 15
PEAK = """
import pathlib, re
print("peak_kb", re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""
ANSWER = 'def double(number):\n    return {"double_ms": 2 * number}\n'

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc")


@dataclass(frozen=True)
class Done:
    """What a limited process said, and the most memory that it held."""

    code: int
    text: str
    peak_bytes: int


def limited(code: str, folder: Path, *words: str, address_bytes: int = 3 * GB) -> Done:
    """Run Python code in a process that ends when it takes more than `CPU_SECONDS` or `address_bytes`."""

    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (address_bytes, address_bytes))

    whole = f"import sys\ntry:\n{indented(code)}\nfinally:\n{indented(PEAK)}"
    done = subprocess.run(
        [sys.executable, "-c", whole, *words], cwd=folder, env=small.environment(), capture_output=True,
        text=True, timeout=300, preexec_fn=bounds, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    peak = said.rpartition("peak_kb ")[2].split()
    return Done(done.returncode, said, 1024 * int(peak[0]) if peak and peak[0].isdigit() else 0)


def indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.strip().split("\n"))


def course_command(made: CourseFolder, *words: str, **limits: int) -> Done:
    return limited("from course.cli import main\nmain()", made.root, "--language", "en", *words, **limits)


@pytest.fixture
def made(tmp_path: Path) -> CourseFolder:
    return small.course(tmp_path / "course")


@pytest.fixture
def box(tmp_path: Path) -> Path:
    found = tmp_path / "box"
    found.mkdir()
    put(found, "wu/tiny.ipynb", honest())
    return found


@functools.cache
def honest(answer: str = ANSWER) -> bytes:
    """The small lesson's notebook with this answer."""
    notebook = copy.deepcopy(small.english(small.master()))
    small.cell(notebook, "double").source = answer
    return json.dumps(notebook).encode()


def put(top: Path, name: str, data: bytes) -> None:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def zipped(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def taken(made: CourseFolder, source: Path) -> dict[str, Receipt]:
    receipts = collect(source, made.root / "submitted", made.assignment(small.LESSON))
    return {receipt.student: receipt for receipt in receipts}


def keys(receipt: Receipt) -> set[str]:
    return {note.key for note in receipt.notes}


# --- names ------------------------------------------------------------------------------------------------

SOURCE_RUNS = [
    '"""', '\\"""', '"""\\', "'''", '"', "\\", "#", "(", "{", 'f"{', "a", "1", ".", "_", " ", "\t", "a,",
    "a ,", ": ", "a:", "=", "\n", "def ", "async ", "import ", "from a ", '\n"""', "# @title ", "\r",
]  # fmt: skip
RUNS = ("_", " ", "-", ".txt", ".ipynb", "-1", "(1)", "（", "copy", "copy1", "1", "副本", "_1", "a_1_assign")


@linux
def test_names_of_any_length_cost_next_to_nothing(made: CourseFolder, tmp_path: Path) -> None:
    names = {
        f"x{number}{run * (60_000 // len(run.encode()))}!.ipynb": b"{}" for number, run in enumerate(RUNS)
    }
    names |= {f"y{number}/{run * 9_000}!.ipynb": honest() for number, run in enumerate(RUNS[:5])}
    source = tmp_path / "class.zip"
    source.write_bytes(zipped(names | {"wu/tiny.ipynb": honest()}))
    done = course_command(made, "collect", small.LESSON, str(source))
    assert done.code in (0, 1), done.text[-2000:]
    assert "✓ wu" in done.text


@linux
def test_taking_a_name_apart_takes_time_that_grows_with_its_length(tmp_path: Path) -> None:
    code = f"""
from pathlib import PurePosixPath
from course.collecting.conventions import owner
from course.collecting.owners import bare, is_generic, person, student_id
from course.collecting.received import is_skipped
for run in {RUNS!r}:
    for end in ("", "!", ".ipynb"):
        name = run * (100_000 // len(run)) + end
        bare(name), is_skipped(PurePosixPath(name)), owner(name[:255], {{}})
        person(name, "tiny"), is_generic(name, "tiny"), student_id(name)
"""
    done = limited(code, tmp_path)
    assert done.code == 0, done.text[-2000:]


@linux
def test_telling_a_source_s_names_and_tokens_takes_time_that_grows_with_its_length(tmp_path: Path) -> None:
    code = f"""
from course.reporting.fingerprints import of_code
from course.submission.untouched import squeezed
from helpers.names import defined, functions, words
for run in {SOURCE_RUNS!r}:
    for start, end in (("", ""), ("a", "!"), ("a = ", chr(10) + "!"), ("# @title", chr(10) + " ")):
        source = start + run * (50_000 // len(run)) + end
        list(of_code(source)), squeezed(source), defined(source), functions(source), words(source)
"""
    done = limited(code, tmp_path)
    assert done.code == 0, done.text[-2000:]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.ipynb", "a"), ("a.ipynb.txt", "a"), ("a (1).ipynb", "a"), ("a（1）.IPYNB", "a"),
     ("a - 副本.ipynb", "a"), ("a_copy2 (3).json", "a"), ("a-1-2.ipynb", "a"), ("a - Copy (2).ipynb", "a"),
     ("a.py", "a.py"), ("copy.txt", ""), ("ipynb", "ipynb"), ("a1.ipynb", "a1"), ("a(b).ipynb", "a(b)")],
)  # fmt: skip
def test_a_bare_name_is_what_it_was(name: str, stem: str) -> None:
    assert bare(name) == stem


# --- one student's files ----------------------------------------------------------------------------------


def test_one_student_s_20001_files_refuse_that_student_by_name(made: CourseFolder, tmp_path: Path) -> None:
    entries = {f"lin/{number}.txt": b"" for number in range(20_001)}
    source = tmp_path / "class.zip"
    source.write_bytes(zipped({**entries, "lin/tiny.ipynb": honest(), "wu/tiny.ipynb": honest()}))
    receipts = taken(made, source)
    assert keys(receipts["lin"]) == {"intake.many_files"}
    assert not receipts["lin"].taken
    assert receipts["wu"].taken


def test_two_gigabytes_of_video_are_not_read_and_stop_nobody(made: CourseFolder, box: Path) -> None:
    put(box, "lin/tiny.ipynb", honest())
    for number in range(70):
        with (box / "lin" / f"{number}.mp4").open("wb") as video:
            video.truncate(31 * MB)
    receipts = taken(made, box)
    assert {name for name, receipt in receipts.items() if receipt.taken} == {"lin", "wu"}


@linux
@pytest.mark.parametrize("kind", ["mp4", "ipynb"])
def test_small_archives_that_hold_gigabytes_are_read_no_further_than_needed(
    made: CourseFolder, box: Path, kind: str
) -> None:
    bomb = zipped({f"{number}.{kind}": bytes(31 * MB) for number in range(19)})
    assert len(bomb) < 0.7 * MB
    for number in range(5):
        put(box, f"lin/{number}.zip", bomb)
    put(box, "lin/tiny.ipynb", honest())
    done = course_command(made, "collect", small.LESSON, str(box))
    assert "✓ wu" in done.text, done.text[-2000:]
    assert done.peak_bytes < 0.5 * GB
    assert ("✓ lin" in done.text) == (kind == "mp4")
    assert ("more than 100 MB" in done.text) == (kind == "ipynb")


@linux
def test_a_long_table_of_contents_is_counted_before_it_is_read(made: CourseFolder, box: Path) -> None:
    put(box, "lin/many.zip", with_entries(500_000))
    done = course_command(made, "collect", small.LESSON, str(box))
    assert "✓ wu" in done.text, done.text[-2000:]
    assert "many.zip holds too many files" in done.text
    assert done.peak_bytes < 0.25 * GB


def with_entries(count: int) -> bytes:
    """A zip whose table names one file so many times."""
    made = zipped({"a": b""})
    table, end = made.index(b"PK\x01\x02"), made.index(b"PK\x05\x06")
    entry = made[table:end]
    size = (len(entry) * count).to_bytes(4, "little")
    most = min(count, 2**16 - 1).to_bytes(2, "little")
    return made[:table] + entry * count + made[end : end + 8] + most + most + size + made[end + 16 :]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the hand-ins that collecting rebuilds from now on."""
    sizes: list[int] = []
    original = HandIn.of

    def of(data: bytes, assignment: object) -> HandIn:
        sizes.append(len(data))
        return original(data, assignment)

    monkeypatch.setattr(choosing.HandIn, "of", of)
    return sizes


def test_only_so_many_different_notebooks_of_a_student_are_rebuilt(
    made: CourseFolder, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):
        put(box, f"lin/{number}.ipynb", honest(f"{ANSWER}# {number}"))
    rebuilt = counted(monkeypatch)
    receipts = taken(made, box)
    assert keys(receipts["lin"]) == {"intake.many_notebooks"}
    assert receipts["wu"].taken
    assert len(rebuilt) <= choosing.NOTEBOOKS + 1


@pytest.mark.parametrize(("number", "refused"), [(10, False), (30, True)])
def test_packs_beside_notebooks_are_rebuilt_once_each(
    made: CourseFolder, box: Path, monkeypatch: pytest.MonkeyPatch, number: int, refused: bool
) -> None:
    for own in range(3):
        put(box, f"lin/{own}.ipynb", honest(f"{ANSWER}# {own}"))
    for one in range(number):
        put(box, f"lin/{one}/{packs.MANIFEST}", manifest({"answers/double.py": "0"}))
    rebuilt = counted(monkeypatch)
    receipts = taken(made, box)
    assert ("intake.many_packs" in keys(receipts["lin"])) == refused
    assert len(rebuilt) <= 4
    assert receipts["wu"].taken


def manifest(files: object, **more: object) -> bytes:
    return json.dumps({"format": FORMAT, "lesson": small.LESSON, "files": files, **more}).encode()


def nested(depth: int) -> list:
    return functools.reduce(lambda inner, _: [inner], range(depth), [])


@pytest.mark.parametrize(
    "data",
    [
        lambda: manifest({"a": nested(300)}, student=nested(300)),
        lambda: manifest({}).replace(b"{}", b"[" * 5_000 + b"]" * 5_000),
        lambda: manifest({}, student=1).replace(b": 1", b": " + b"9" * 900_000),
        lambda: manifest({}, more=[{}] * 100_000),
        lambda: manifest({}) + b" " * MB,
        lambda: b"\xff\xfe" + manifest({}),
    ],
    ids=["nested", "very nested", "digits", "parts", "long", "encoding"],
)
def test_a_strange_table_of_contents_stops_nobody(
    made: CourseFolder, box: Path, data: Callable[[], bytes]
) -> None:
    inside = {packs.MANIFEST: data(), "tiny.ipynb": honest()}
    put(box, "lin.zip", zipped(inside))
    put(box, "mo/pack.zip", zipped(inside))
    receipts = taken(made, box)
    assert receipts["wu"].taken
    assert {"lin", "mo"} <= set(receipts)


def test_a_result_file_is_looked_at_only_where_it_may_be_one(
    made: CourseFolder, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(box, "lin/tiny.ipynb", honest())
    put(box, "lin/data.json", b"[" + b"0," * MB + b"0]")
    for number in range(300):
        put(box, f"lin/data/r{number}.json", b'{"a": 1}')
    put(box, "lin/my/results/mine.json", b'{"schema_version": "inference-mechanism-gpu/v3"}')
    rebuilt = counted(monkeypatch)
    receipt = taken(made, box)["lin"]
    assert receipt.taken
    assert ("intake.results", "mine.json") in {(note.key, note.cell) for note in receipt.notes}
    assert len(rebuilt) == 2


# --- JSON -------------------------------------------------------------------------------------------------


@linux
@pytest.mark.parametrize("part", ["[],", '{"a":0},'], ids=["lists", "objects"])
def test_a_notebook_of_ten_million_parts_is_no_notebook(tmp_path: Path, part: str) -> None:
    code = f"""
from course.submission.reading import read
part = {part!r}
text = '{{"cells": [' + part * (31_000_000 // len(part)) + '{{}}]}}'
print([note.key for note in read(text.encode()).notes])
"""
    done = limited(code, tmp_path)
    assert "['unreadable.not_json']" in done.text, done.text[-2000:]
    assert done.peak_bytes < 0.3 * GB


def test_a_long_honest_notebook_is_still_read() -> None:
    notebook = json.loads(honest())
    text = "".join(f"{number}: [{number / 7}, {{}}]\n" for number in range(200_000))
    small_ones = [{"output_type": "stream", "name": "stdout", "text": [text]}]
    notebook["cells"][5]["outputs"] = small_ones
    found = read(json.dumps(notebook).encode())
    assert not found.notes
    assert found.notebook["cells"] == notebook["cells"]


def test_attaching_a_result_does_not_multiply_what_is_deep() -> None:
    inner: list = [0] * 20_000
    for _ in range(400):
        inner = [inner]
    notebook = {**json.loads(honest()), "metadata": {"deep": inner}}
    data = json.dumps(notebook).encode()
    attached = attachments.attach(data, {"mine.json": "{}"})
    assert attachments.attach(data, {"mine.json": "{}"}) != data
    assert len(attached) < 2 * len(data)


def test_only_so_many_files_are_tried_as_results() -> None:
    asked: list[int] = []

    def files() -> Iterator[tuple[PurePosixPath, bytes]]:
        for number in range(10_000):
            asked.append(number)
            yield PurePosixPath(f"{number}.json"), b'{"schema_version": "inference-mechanism-gpu/v3"}'

    assert len(attachments.results_in(files())) == attachments.MOST_FILES
    assert len(asked) <= attachments.MOST_LOOKED_AT


# --- result files -----------------------------------------------------------------------------------------


def matrix(**workload: object) -> dict:
    data = slower(1.3)
    data["workload"] |= workload
    return data


def of_record(name: str, value: object) -> Callable[[], dict]:
    def build() -> dict:
        data = slower(1.3)
        data["records"][0][name] = value
        return data

    return build


TOO_MUCH = {
    "series": (lambda: matrix(series=["dynamic"] * 80_000), "series"),
    "a few series": (lambda: matrix(series=["dynamic"] * 4), "series"),
    "batches": (lambda: matrix(batch_sizes=list(range(1, 100))), "batch_sizes"),
    "samples": (of_record("decode_samples_ms", [1.0] * 10_001), "decode_samples_ms"),
    "submitted": (of_record("decode_submit_samples_ms", [1.0] * 10_001), "decode_submit_samples_ms"),
    "clocks": (of_record("sm_clock_mhz", [1.0] * 10_001), "sm_clock_mhz"),
    "shape": (lambda: with_gates([1] * 17), "logits_shape"),
    "records": (lambda: {**slower(1.3), "records": slower(1.3)["records"] * 500}, "records"),
    "sentinels": (lambda: {**slower(1.3), "sentinels": slower(1.3)["sentinels"] * 5_000}, "sentinels"),
    "keys": (lambda: {**slower(1.3), **{f"a{number}": 0 for number in range(200)}}, "data"),
    "depth": (lambda: {**slower(1.3), "failure": nested(50)}, "failure"),
    "values": (lambda: {**slower(1.3), "failure": [[[0] * 5_000] * 50] * 5}, "1000000"),
}  # fmt: skip


def with_gates(shape: list[int]) -> dict:
    data = slower(1.3)
    data["records"][0]["gates"]["logits_shape"] = shape
    return data


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_a_result_with_too_much_of_something_is_refused_by_the_name_of_it(kind: str) -> None:
    build, named = TOO_MUCH[kind]
    with pytest.raises(results.ResultError) as refused:
        results.from_dict(build(), check_digest=False)
    assert named in str(refused.value)
    assert len(str(refused.value)) < 500


@linux
def test_a_series_repeated_80000_times_costs_the_report_nothing(tmp_path: Path) -> None:
    data = matrix(
        series=["dynamic"] * 80_000, batch_sizes=list(range(1, 65)), context_lengths=list(range(1, 65))
    )
    text = json.dumps(data, separators=(",", ":"))
    assert len(text) < attachments.MOST_CHARACTERS
    folder = CourseFolder(tmp_path)
    for student, result in (("lin", text), ("mo", json.dumps(slower(1.3))), ("wu", json.dumps(slower(1.3)))):
        path = folder.submitted(student, "tiny")
        path.parent.mkdir(parents=True)
        path.write_bytes(attachments.attach(honest(), {"mine.json": result}))
    code = """
from pathlib import Path
from course.lesson.folder import CourseFolder
from course.reporting import similarity
print(similarity.measurements(CourseFolder(Path.cwd()), "tiny", ["lin", "mo", "wu"]))
"""
    done = limited(code, tmp_path)
    assert done.code == 0, done.text[-2000:]
    assert "('mo', 'wu')" in done.text
    assert done.peak_bytes < 0.4 * GB


@linux
def test_an_answer_of_a_million_tokens_has_fingerprints(tmp_path: Path) -> None:
    code = """
from course.reporting.fingerprints import of_code
print(sum(1 for _ in of_code("x = [" + "1," * 600_000 + "]")))
"""
    done = limited(code, tmp_path)
    assert done.code == 0, done.text[-2000:]
    assert done.peak_bytes < 0.3 * GB


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("def f(a):\n    return a + 1", 'def g(b):  # x\n    """Doc."""\n\n    return b+1', True),
        ("x = a.real", "y = b.imag", False),
        ('x = "a"', 'x = "b"', False),
        ("x = a + a", "x = a + b", False),
        ('x = """a\nb"""', 'x = """a\nc"""', False),
        ('x = "#1"', 'x = "#2"', False),
        ("x = 10", "x = 11", False),
        ("x = (a, b)\nreturn (a)", "y = a, b\nreturn a", True),
        ("f(a)[0](b)", "f(a)[0]", False),
        ("f(a)(b)", "f(a), b", False),
        ("f(((a)))))", "f(a))", False),
        ("for a in b:\n    pass", "while a in b:\n    pass", False),
    ],
)  # fmt: skip
def test_fingerprints_are_of_structure_and_not_of_names(one: str, other: str, alike: bool) -> None:
    from course.reporting.fingerprints import of_code

    found = [[print.value for print in of_code(source)] for source in (one, other)]
    assert (found[0] == found[1]) == alike


@pytest.mark.parametrize(
    "key",
    ["intake.many_files", "intake.many_bytes", "intake.many_notebooks", "intake.many_packs", "intake.method"],
)
def test_each_new_refusal_names_what_it_is_about(key: str) -> None:
    from course.text import say_in

    for language in ("zh", "en"):
        assert "20,000" in say_in(language, key, cell="20,000")
    assert say("result.too_much_length", path="p", field="series", got=5, most=3)
