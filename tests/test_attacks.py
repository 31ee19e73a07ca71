"""Every attack and accident through the public command, each with honest students before and after it.

One class, one run: whoever does harm does it to all. `docs/security.md` lists the same names.
"""

from __future__ import annotations

import json
import os
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import copying
import pytest
import small
from copying import ASSIGNMENT, FULL, LESSON, OF_COPY, answer, honest, useless
from handout import added, find, index, with_cell
from hostile import ACCIDENTS, DEADLY, FLOODS, FORGERIES, SPIES, TAMPERING

from course.authoring import release
from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))


def _spoiled(source: str) -> dict:
    """Useless functions, and the attack in a cell and within the function that tests call."""
    body = textwrap.indent(source, "    ")
    inside = f"def copy_time(*a, **k):\n{body}\n    return {{}}"
    notebook = useless()
    return with_cell(with_cell(notebook, source, "copy-look"), inside, "copy-look")


def _deadly(source: str) -> dict:
    inside = f"def copy_time(*a, **k):\n    {source.format(indent='    ')}\n    return {{}}"
    return with_cell(honest(copy=inside), source.format(indent=""), "walls-text")


def _accident(source: str, name: str) -> dict:
    return with_cell(honest(), source, "end" if name == "names of builtins reused" else "copy")


def attackers(course: Path) -> dict[str, tuple[dict, float]]:
    """By the name of the deed: the notebook, and the points that its code earns."""
    found: dict[str, tuple[dict, float]] = {}
    for name, source in FORGERIES.items():
        found[f"forges: {name}"] = with_cell(useless(), textwrap.dedent(source), "copy-look"), 0.0
    for name, source in SPIES.items():
        found[f"spies: {name}"] = _spoiled(source), 0.0
    for name, source in TAMPERING.items():
        found[f"tampers: {name}"] = _spoiled(textwrap.dedent(source.format(course=str(course)))), 0.0
    for name, source in DEADLY.items():
        found[f"dies: {name}"] = _deadly(source), FULL - OF_COPY
    for name, source in FLOODS.items():
        found[f"floods: {name}"] = with_cell(honest(), source, "walls-text"), FULL
    for name, source in ACCIDENTS.items():
        found[f"accident: {name}"] = _accident(source, name), FULL
    return found


def released(folder: Path) -> CourseFolder:
    """The lesson in a course of its own, as students get it."""
    made = copying.course(folder / "course")
    release.release(made, [LESSON])
    return made


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A class of attackers, each between two honest students, graded in one run."""
    made = released(tmp_path_factory.mktemp("school"))
    for number, (notebook, _) in enumerate(attackers(made.root).values()):
        small.hand_in(made, f"s{number:03d}-attacker", notebook)
        small.hand_in(made, f"s{number:03d}-honest", honest(("zh", "en")[number % 2]))
    before = _processes()
    watched = _modes()
    said = small.run(made, "grade", LESSON, "--cell-seconds", "2", "--call-seconds", "0.5", seconds=1800)
    assert "0 not gradable" in said
    assert _modes() == watched
    assert not _eventually_new(before)
    small.run(made, "feedback", LESSON)
    return made


def _processes() -> set[int]:
    return {pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _is_ours(pid)}


def _is_ours(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"sleep\x004242" in command or b"/run/examiner" in command


def _eventually_new(before: set[int]) -> set[int]:
    for _ in range(100):
        left = {pid for pid in _processes() - before if b"4242" in Path(f"/proc/{pid}/cmdline").read_bytes()}
        if not left:
            return left
        time.sleep(0.1)
    return left


def _modes() -> list[tuple[int, int, int]]:
    paths = [Path("/"), Path("/tmp"), Path("/home"), Path("/usr"), Path.home()]
    return [(path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) for path in paths]


def _names() -> list[str]:
    return list(attackers(Path("/course")))


@pytest.mark.parametrize("name", _names())
def test_it_earns_what_its_code_earns_and_harms_nobody(school: CourseFolder, name: str) -> None:
    number = _names().index(name)
    points = small.points(school.gradebook)
    assert points[f"s{number:03d}-attacker"] == attackers(school.root)[name][1]
    assert points[f"s{number:03d}-honest"] == FULL


@pytest.mark.parametrize("name", _names())
def test_nothing_secret_is_in_what_comes_of_it(school: CourseFolder, name: str) -> None:
    student = f"s{_names().index(name):03d}-attacker"
    notebook = json.loads(school.autograded(student, LESSON).read_text("utf-8"))
    shown = "\n".join(json.dumps(cell.get("outputs", []), ensure_ascii=False) for cell in notebook["cells"])
    page = next((school.root / "feedback" / student).rglob("*.html")).read_text("utf-8")
    for text in (shown, page):
        assert "STOLEN" not in text
        assert "REACHED" not in text
        assert "BEGIN HIDDEN" not in text
        assert not [line for line in _hidden_lines() if line in text]
    assert len(shown) < 500_000


def _hidden_lines() -> list[str]:
    found = []
    for cell in ASSIGNMENT.masters["zh"].cells:
        if cell.graded:
            lines = (line.strip() for line in cell.source.split("\n") if line not in cell.released)
            found += [line for line in lines if len(line) > 25]
    return found


def test_the_run_leaves_nothing_in_the_course_but_its_own_files(school: CourseFolder) -> None:
    names = {path.name for path in school.root.iterdir()}
    own = {"source", "release", "submitted", "autograded", "feedback", "nbgrader_config.py", "gradebook.db"}
    own |= {"helpers", "course"}  # the two halves of the lesson
    assert {name for name in names - own if not name.startswith((".", "gradebook.db.before-"))} <= {
        "__pycache__"
    }
    for path in (school.root / "autograded").rglob("*"):
        assert path.is_dir() or path.name in (f"{LESSON}.ipynb", "graded.json")


def test_submissions_are_as_they_were(school: CourseFolder) -> None:
    for number in range(len(_names())):
        path = school.submitted(f"s{number:03d}-honest", LESSON)
        assert json.loads(path.read_text("utf-8")) == honest(("zh", "en")[number % 2])


def test_no_manual_score_was_written(school: CourseFolder) -> None:
    assert not any(
        value for found in small.scores(school.gradebook, "manual_score").values() for value in found.values()
    )


def _deleted(notebook: dict) -> bytes:
    gone = ("copy-units", "copy-check", "stop-zero", "imports")
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in gone]
    return json.dumps(notebook).encode()


def _stripped(notebook: dict) -> bytes:
    for number, cell in enumerate(notebook["cells"]):
        cell["id"], cell["metadata"] = f"c{number}", {}
    return json.dumps({**notebook, "metadata": {}}).encode()


def _copied(notebook: dict) -> bytes:
    for name in ("copy-units", "copy", "stop-check"):
        position = index(notebook, name)
        notebook["cells"].insert(position, json.loads(json.dumps(notebook["cells"][position])))
    return json.dumps(notebook).encode()


def _other_schema(notebook: dict) -> bytes:
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["schema_version"] = 99
    return json.dumps(notebook).encode()


def _changed_flags(notebook: dict) -> bytes:
    for cell in notebook["cells"]:
        grader = cell["metadata"].get("nbgrader")
        if grader:
            grader |= {
                "grade": not grader["grade"],
                "solution": not grader["solution"],
                "points": 1000,
                "locked": 5,
            }
    return json.dumps(notebook).encode()


def _moved_test(notebook: dict) -> bytes:
    notebook["cells"].insert(0, notebook["cells"].pop(index(notebook, "copy-units")))
    return json.dumps(notebook).encode()


def _in_a_new_cell(notebook: dict) -> bytes:
    find(notebook, "copy")["source"] = ""
    notebook["cells"].append(added(answer("copy")))
    return json.dumps(notebook).encode()


def _same_ids(notebook: dict) -> bytes:
    for cell in notebook["cells"]:
        cell["id"] = "same"
    return json.dumps(notebook).encode()


def _other_kernel(notebook: dict) -> bytes:
    notebook["metadata"]["kernelspec"] = {"name": "julia-1.9", "display_name": "Julia", "language": "julia"}
    return json.dumps(notebook).encode()


def _old_format(notebook: dict) -> bytes:
    cells = [{**cell, "input": cell["source"]} for cell in notebook["cells"]]
    return json.dumps(
        {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}
    ).encode()


HONEST_FILES: dict[str, Callable[[dict], bytes]] = {
    "test cells deleted": _deleted,
    "metadata stripped": _stripped,
    "cells copied": _copied,
    "schema of another nbgrader": _other_schema,
    "flags and points changed": _changed_flags,
    "test above the solution": _moved_test,
    "answer in a new cell": _in_a_new_cell,
    "duplicate ids": _same_ids,
    "wrong kernel": _other_kernel,
    "nbformat 3": _old_format,
    "byte order mark": lambda notebook: b"\xef\xbb\xbf" + json.dumps(notebook).encode(),
    "UTF-16": lambda notebook: json.dumps(notebook).encode("utf-16"),
    "GB18030": lambda notebook: json.dumps(notebook, ensure_ascii=False).encode("gb18030"),
    "CRLF": lambda notebook: json.dumps(notebook, indent=1).replace("\n", "\r\n").encode(),
}
BROKEN_FILES = {
    "a PDF": b"%PDF-1.7 x" * 100,
    "an empty file": b"",
    "very deep JSON": b"[" * 500_000,
    "cells null": b'{"nbformat": 4, "cells": null}',
    "not JSON": b"hello",
    "cells of numbers": b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [1, null, "x"]}',
    "lone surrogates": b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "\\ud800"}]}',
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> tuple[CourseFolder, str]:
    """Honest files that something happened to, between honest students."""
    made = released(tmp_path_factory.mktemp("clinic"))
    small.hand_in(made, "a-honest", honest())
    for number, change in enumerate(HONEST_FILES.values()):
        small.hand_in(made, f"h{number:02d}", change(honest("en")))
    for number, data in enumerate(BROKEN_FILES.values()):
        small.hand_in(made, f"x{number:02d}", data)
    victim = made.submitted("a-honest", LESSON)
    for student, link in (("link", os.symlink), ("hardlink", os.link)):
        folder = made.root / "submitted" / student / LESSON
        folder.mkdir(parents=True)
        link(victim, folder / f"{LESSON}.ipynb")
    (made.root / "submitted" / "empty" / LESSON).mkdir(parents=True)
    small.hand_in(made, "stamped", honest()).with_name("timestamp.txt").write_text("2001-01-01 00:00:00 UTC")
    small.hand_in(made, "z-honest", honest())
    return made, small.run(made, "grade", LESSON)


@pytest.mark.parametrize("name", HONEST_FILES)
def test_an_accident_of_the_file_costs_nothing(clinic: tuple[CourseFolder, str], name: str) -> None:
    assert small.points(clinic[0].gradebook)[f"h{list(HONEST_FILES).index(name):02d}"] == FULL


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_a_broken_file_gets_nothing_and_a_sentence(clinic: tuple[CourseFolder, str], name: str) -> None:
    student = f"x{list(BROKEN_FILES).index(name):02d}"
    assert small.points(clinic[0].gradebook)[student] == 0
    assert f"{student}: the " in clinic[1] or "cells" in name or "surrogates" in name
    assert "Traceback" not in clinic[1]


def test_links_are_refused_and_empty_folders_named(clinic: tuple[CourseFolder, str]) -> None:
    made, said = clinic
    assert {"link", "hardlink", "empty"}.isdisjoint(small.points(made.gradebook))
    assert all(small.points(made.gradebook)[student] == FULL for student in ("a-honest", "z-honest"))
    assert "✗ link: " in said
    assert "✗ empty: " in said


def test_a_forged_time_stamp_counts_for_nothing(clinic: tuple[CourseFolder, str]) -> None:
    import sqlite3

    book = sqlite3.connect(clinic[0].gradebook)
    rows = dict(book.execute("SELECT student_id, timestamp FROM submitted_assignment"))
    book.close()
    assert rows["stamped"] is None
