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

import pytest
from classroom import FULL, LESSON, answer, bundle, code, honest, index, useless, with_cell
from hostile import ACCIDENTS, DEADLY, FLOODS, FORGERIES, SPIES, TAMPERING
from workshop import Workshop

from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
COST = 8.0


def _spoiled(source: str) -> dict:
    """Useless functions, and the attack in a cell and within the function that tests call."""
    body = textwrap.indent(source, "    ")
    inside = f"def estimate_iteration_cost(*a, **k):\n{body}\n    return {{}}"
    notebook = useless()
    return with_cell(with_cell(notebook, source, "cost-look"), inside, "cost-look")


def _deadly(source: str) -> dict:
    inside = f"def estimate_iteration_cost(*a, **k):\n    {source.format(indent='    ')}\n    return {{}}"
    return with_cell(honest(cost=inside), source.format(indent=""), "bounds-text")


def _accident(source: str, name: str) -> dict:
    return with_cell(honest(), source, "end" if name == "names of builtins reused" else "cost")


def attackers(course: Path) -> dict[str, tuple[dict, float]]:
    """By the name of the deed: the notebook, and the points that its code earns."""
    found: dict[str, tuple[dict, float]] = {}
    for name, source in FORGERIES.items():
        found[f"forges: {name}"] = with_cell(useless(), textwrap.dedent(source), "cost-look"), 0.0
    for name, source in SPIES.items():
        found[f"spies: {name}"] = _spoiled(source), 0.0
    for name, source in TAMPERING.items():
        found[f"tampers: {name}"] = _spoiled(textwrap.dedent(source.format(course=str(course)))), 0.0
    for name, source in DEADLY.items():
        found[f"dies: {name}"] = _deadly(source), FULL - COST
    for name, source in FLOODS.items():
        found[f"floods: {name}"] = with_cell(honest(), source, "bounds-text"), FULL
    for name, source in ACCIDENTS.items():
        found[f"accident: {name}"] = _accident(source, name), FULL
    return found


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A class of attackers, each between two honest students, graded in one run."""
    made = Workshop.at(tmp_path_factory.mktemp("school") / "course")
    for number, (notebook, _) in enumerate(attackers(made.root).values()):
        made.hand_in(f"s{number:03d}-attacker", notebook)
        made.hand_in(f"s{number:03d}-honest", honest(("zh", "en")[number % 2]))
    before = _processes()
    watched = _modes()
    said = made.course("grade", LESSON, "--cell-seconds", "2", "--call-seconds", "0.5", seconds=1800)
    assert "0 not gradable" in said
    assert _modes() == watched
    assert not _eventually_new(before)
    made.course("feedback", LESSON)
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
def test_it_earns_what_its_code_earns_and_harms_nobody(school: Workshop, name: str) -> None:
    number = _names().index(name)
    points = school.points()
    assert points[f"s{number:03d}-attacker"] == attackers(school.root)[name][1]
    assert points[f"s{number:03d}-honest"] == FULL


@pytest.mark.parametrize("name", _names())
def test_nothing_secret_is_in_what_comes_of_it(school: Workshop, name: str) -> None:
    student = f"s{_names().index(name):03d}-attacker"
    notebook = json.loads(school.graded(student))
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
    for cell in bundle().masters["zh"].cells:
        if cell.graded:
            lines = (line.strip() for line in cell.source.split("\n") if line not in cell.released)
            found += [line for line in lines if len(line) > 25]
    return found


def test_the_run_leaves_nothing_in_the_course_but_its_own_files(school: Workshop) -> None:
    names = {path.name for path in school.root.iterdir()}
    own = {"source", "release", "submitted", "autograded", "feedback", "nbgrader_config.py", "gradebook.db"}
    assert {name for name in names - own if not name.startswith((".", "gradebook.db.before-"))} <= {
        "__pycache__"
    }
    for path in (school.root / "autograded").rglob("*"):
        assert path.is_dir() or path.name in (f"{LESSON}.ipynb", "graded.json")


def test_submissions_are_as_they_were(school: Workshop) -> None:
    for number in range(len(_names())):
        path = school.root / "submitted" / f"s{number:03d}-honest" / LESSON / f"{LESSON}.ipynb"
        assert json.loads(path.read_text("utf-8")) == honest(("zh", "en")[number % 2])


def test_no_manual_score_was_written(school: Workshop) -> None:
    assert not any(value for found in school.scores("manual_score").values() for value in found.values())


def _deleted(notebook: dict) -> bytes:
    gone = ("cost-units", "cost-check", "knee-zero", "imports")
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in gone]
    return json.dumps(notebook).encode()


def _stripped(notebook: dict) -> bytes:
    for number, cell in enumerate(notebook["cells"]):
        cell["id"], cell["metadata"] = f"c{number}", {}
    return json.dumps({**notebook, "metadata": {}}).encode()


def _copied(notebook: dict) -> bytes:
    for name in ("cost-units", "cost", "knee-check"):
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
    notebook["cells"].insert(0, notebook["cells"].pop(index(notebook, "cost-units")))
    return json.dumps(notebook).encode()


def _in_a_new_cell(notebook: dict) -> bytes:
    notebook["cells"][index(notebook, "cost")]["source"] = ""
    notebook["cells"].append(code(answer("cost")))
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
def clinic(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workshop, str]:
    """Honest files that something happened to, between honest students."""
    made = Workshop.at(tmp_path_factory.mktemp("clinic") / "course")
    made.hand_in("a-honest", honest())
    for number, change in enumerate(HONEST_FILES.values()):
        made.hand_in(f"h{number:02d}", change(honest("en")))
    for number, data in enumerate(BROKEN_FILES.values()):
        made.hand_in(f"x{number:02d}", data)
    victim = made.root / "submitted" / "a-honest" / LESSON / f"{LESSON}.ipynb"
    for student, link in (("link", os.symlink), ("hardlink", os.link)):
        folder = made.root / "submitted" / student / LESSON
        folder.mkdir(parents=True)
        link(victim, folder / f"{LESSON}.ipynb")
    (made.root / "submitted" / "empty" / LESSON).mkdir(parents=True)
    made.hand_in("stamped", honest()).with_name("timestamp.txt").write_text("2001-01-01 00:00:00 UTC")
    made.hand_in("z-honest", honest())
    return made, made.course("grade", LESSON)


@pytest.mark.parametrize("name", HONEST_FILES)
def test_an_accident_of_the_file_costs_nothing(clinic: tuple[Workshop, str], name: str) -> None:
    assert clinic[0].points()[f"h{list(HONEST_FILES).index(name):02d}"] == FULL


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_a_broken_file_gets_nothing_and_a_sentence(clinic: tuple[Workshop, str], name: str) -> None:
    student = f"x{list(BROKEN_FILES).index(name):02d}"
    assert clinic[0].points()[student] == 0
    assert f"{student}: the " in clinic[1] or "cells" in name or "surrogates" in name
    assert "Traceback" not in clinic[1]


def test_links_are_refused_and_empty_folders_named(clinic: tuple[Workshop, str]) -> None:
    made, said = clinic
    assert {"link", "hardlink", "empty"}.isdisjoint(made.points())
    assert all(made.points()[student] == FULL for student in ("a-honest", "z-honest"))
    assert "✗ link: " in said
    assert "✗ empty: " in said


def test_a_forged_time_stamp_counts_for_nothing(clinic: tuple[Workshop, str]) -> None:
    import sqlite3

    book = sqlite3.connect(clinic[0].root / "gradebook.db")
    rows = dict(book.execute("SELECT student_id, timestamp FROM submitted_assignment"))
    book.close()
    assert rows["stamped"] is None
