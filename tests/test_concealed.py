"""A submission that searches the whole file system, wherever the course, its Python and its gradebook lie.

All through real commands, as an instructor types them. Each test makes its folders itself and removes them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from secrets import token_hex

import pytest
import small

from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
COURSE = "from course.cli import main; main()"
NBGRADER = "from nbgrader.apps.nbgraderapp import main; main()"
SHARED = Path("/usr/local/share")  # shown to every student, unless something in it is concealed
TOLD = "what was found: "

WALK = """
import importlib.util, json, os, sys
WORD = {word!r}[::-1].encode()  # backwards, so that this text is not among what is found
READ = (".ipynb", ".db", ".toml", ".json", ".html", ".txt", ".py")
OF_PYTHON = tuple(os.path.join(prefix, part) for prefix in (sys.prefix, sys.base_prefix)
    for part in ("bin", "lib", "lib64", "include", "share", "pyvenv.cfg"))
files, texts, near, modules = 0, set(), set(), []
for top, folders, names in os.walk("/"):
    if top == "/":
        folders[:] = [folder for folder in folders if folder not in ("proc", "sys", "dev")]
    if top.endswith(("/dist-packages", "/site-packages", "/" + "python%d.%d" % sys.version_info[:2])):
        folders[:] = [folder for folder in folders if folder in ("course", "site-packages", "dist-packages")]
    files += len(names)
    for name in names:
        path = os.path.join(top, name)
        if path.startswith({places!r}) and not path.startswith(OF_PYTHON):
            near.add(path)
        try:
            if name.endswith(READ) and os.path.getsize(path) < 2_000_000:
                content = open(path, "rb").read()
                if WORD in content:
                    texts.add(path)
        except OSError:
            pass
for path in {straight!r}:
    try:
        near.update([path] if open(path, "rb").read(1) else [])
    except OSError:
        pass
for module in ("course.grading", "course.lesson", "course.authoring", "course.lessons"):
    try:
        modules += [module] if importlib.util.find_spec(module) else []
    except ImportError:
        pass
known = os.path.isfile("/run/examiner/helpers/checks.py")
print({told!r} + json.dumps([files, known, sorted(texts), sorted(near), modules]))

def double(number):
    return {{"double_ms": 2 * number}}
"""


@dataclass(frozen=True)
class Classroom:
    """A course, the Python that its instructor uses, and where that finds more than the course."""

    made: CourseFolder
    python: Path
    secret: str  # a word that no student may read, and that no other test uses
    environment: tuple[tuple[str, str], ...] = ()

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess:
        """A command in the course folder."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        settings = {"PYTHONPATH": str(small.ROOT), "COURSE_LANGUAGE": "en", "PATH": path}
        return subprocess.run(
            [str(self.python), "-c", program, *words],
            cwd=self.made.root,
            env={**os.environ, **settings, **dict(self.environment)},
            capture_output=True,
            text=True,
            timeout=300,
        )

    def course(self, *words: str) -> str:
        """The `course` command, which does what it should."""
        done = self.run(COURSE, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def hand_in_all(self, *more: Path) -> None:
        """A class: one that walks, and one that has something to hide."""
        released = json.loads(self.made.released(small.LESSON, "en").read_text("utf-8"))
        places = tuple(str(path.resolve()) for path in (self.made.root, Path.home(), *more))
        straight = [self.made.master(small.LESSON), self.made.gradebook, self.made.public_halves]
        walk = WALK.format(
            word=self.secret[::-1],
            places=places,
            straight=[str(path) for path in straight],
            told=TOLD,
        )
        for student, answer in (("classmate", f"# {self.secret}\nx = 1"), ("walker", walk)):
            small.hand_in(self.made, student, json.dumps(_answered(released, answer)).encode())
        for folder in ("autograded", "feedback", "exchange"):
            path = self.made.root / folder / "classmate" / "work.txt"
            path.parent.mkdir(parents=True)
            path.write_text(self.secret)

    def told(self) -> list:
        """What the walker found, as its graded notebook shows."""
        graded = json.loads(self.made.autograded("walker", small.LESSON).read_text("utf-8"))
        outputs = next(cell for cell in graded["cells"] if cell["id"] == "double")["outputs"]
        text = "".join("".join(output.get("text", [])) for output in outputs)
        assert TOLD in text, outputs
        return json.loads(text.split(TOLD, 1)[1])


def _answered(released: dict, answer: str) -> dict:
    cells = [{**cell, "source": answer} if cell["id"] == "double" else cell for cell in released["cells"]]
    return {**released, "cells": cells}


@pytest.fixture
def space() -> Iterator[Path]:
    """A folder below /usr, as containers have them."""
    yield from _folder_in(SHARED)


@pytest.fixture
def at_home() -> Iterator[Path]:
    """A folder below the grading user's home."""
    yield from _folder_in(Path.home())


def _folder_in(place: Path) -> Iterator[Path]:
    try:
        folder = Path(tempfile.mkdtemp(prefix="concealed-", dir=place))
    except OSError as problem:
        pytest.skip(f"nothing can be made in {place}: {problem}")
    folder.chmod(0o755)  # it is concealment that is tested, not that nobody else may enter
    yield folder
    shutil.rmtree(folder)


def room(root: Path, python: Path | None = None, **environment: str) -> Classroom:
    """A released course at `root`, with a secret in the answer."""
    master, secret = small.master(), token_hex(12)
    small.cell(master, "double").source = small.ANSWER.replace("return", f"# {secret}\n    return")
    made = small.course(root, master)
    room = Classroom(made, python or Path(sys.executable), secret, tuple(environment.items()))
    room.course("release", small.LESSON)
    return room


def environment_at(folder: Path) -> Path:
    """`python -m venv` there, with what a notebook needs in it and the rest of this Python's packages beside
    it; its interpreter."""
    command = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no environment can be made: {made.stderr}")
    packages = next(folder.glob("lib/python*/site-packages"))
    for name in _needed_by("ipython"):
        for file in metadata.files(name) or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                target = packages / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), target)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "others.pth").write_text("\n".join(others))
    return folder / "bin" / "python"


def _needed_by(name: str, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """The packages that one asks for, itself among them, as far as they are installed."""
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return known
    known |= {name}
    for line in (line for line in lines if "extra ==" not in line):
        other = line.split(";")[0].split("[")[0].strip(" ()")
        other = other[: next((i for i, sign in enumerate(other) if sign in "<>=!~ ("), len(other))]
        known = known if other in known else _needed_by(other, known)
    return known


def graded(room: Classroom) -> list:
    """What the walker told `course grade`."""
    room.course("grade", small.LESSON, "--cell-seconds", "100", "--workers", "1")
    return room.told()


def graded_both_ways(room: Classroom) -> Iterator[list]:
    """That, and what it told nbgrader's own command, which formgrader's button starts."""
    yield graded(room)
    shutil.rmtree(room.made.root / "autograded")
    done = room.run(NBGRADER, "autograde", small.LESSON, "--force")
    assert done.returncode == 0, done.stderr
    yield room.told()


def assert_nothing_found(told: list) -> None:
    """It walked, it saw what it may see, and it found nothing."""
    files, known, texts, near, modules = told
    assert files > 1000
    assert known
    assert (texts, near, modules) == ([], [], [])


def test_a_course_below_usr_is_concealed(space):
    made = room(space / "course")
    made.hand_in_all()
    for told in graded_both_ways(made):
        assert_nothing_found(told)


@pytest.mark.parametrize("environment", [".", ".venv"])
def test_a_course_with_its_python_in_it_is_concealed_and_python_is_not(tmp_path, environment):
    made = room(tmp_path / "course", environment_at(tmp_path / "course" / environment))
    made.hand_in_all()
    for told in graded_both_ways(made):
        assert_nothing_found(told)


def test_a_course_below_usr_with_its_python_in_it_is_concealed_and_python_is_not(space):
    made = room(space / "course", environment_at(space / "course"))
    made.hand_in_all()
    assert_nothing_found(graded(made))


def test_a_course_below_home_with_its_python_in_it_is_concealed_and_python_is_not(at_home):
    made = room(at_home / "course", environment_at(at_home / "course" / ".venv"))
    made.hand_in_all()
    assert_nothing_found(graded(made))


def test_what_lies_apart_from_the_course_is_concealed_too(tmp_path, space):
    """Home, Jupyter's folders, the exchange, hand-ins, the gradebook and a checkout of the course, all below
    /usr."""
    jupyter = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "JUPYTER_DATA_DIR": "data"}
    folders = {name: str(space / folder) for name, folder in {**jupyter, "HOME": "home"}.items()}
    made = room(tmp_path / "course", environment_at(tmp_path / "python"), **folders)
    checkout = ("checkout/source", "checkout/course/sandbox")
    for folder in ("config", "runtime", "data", "home", "exchange", *checkout):
        (space / folder).mkdir(parents=True)
        (space / folder / "secret.txt").write_text(made.secret)
    packages = next((tmp_path / "python").glob("lib/python*/site-packages"))
    (packages / "editable.pth").write_text(str(space / "checkout"))
    with (made.made.root / "nbgrader_config.py").open("a") as settings:
        settings.write(f"\nc.Exchange.root = {str(space / 'exchange')!r}\n")
        settings.write(f"\nc.CourseDirectory.db_url = 'sqlite:///{space}/marks/grades.db'\n")
    (space / "marks").mkdir()
    made.hand_in_all(space)
    for told in graded_both_ways(made):
        assert_nothing_found(told)
    assert (space / "marks" / "grades.db").is_file()


@pytest.fixture
def unconcealable(tmp_path) -> Classroom:
    """A course whose exchange is said to be where the system's libraries are; nothing is put there."""
    made = room(tmp_path / "course")
    made.hand_in_all()
    with (made.made.root / "nbgrader_config.py").open("a") as settings:
        settings.write("\nc.Exchange.root = '/usr/lib'\n")
    return made


def test_what_cannot_be_concealed_is_not_graded_and_the_way_out_is_said(unconcealable):
    done = unconcealable.run(COURSE, "grade", small.LESSON)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "would see /usr/lib" in done.stderr
    assert "move that folder" in done.stderr
    assert not unconcealable.made.autograded("walker", small.LESSON).exists()


def test_formgraders_way_does_not_grade_it_either(unconcealable):
    done = unconcealable.run(NBGRADER, "autograde", small.LESSON)
    assert done.returncode != 0
    assert "Problem: " in done.stderr
    assert "/usr/lib" in done.stderr.split("Problem: ")[1]
    assert not unconcealable.made.autograded("walker", small.LESSON).exists()


def test_the_doctor_says_so(unconcealable):
    done = unconcealable.run(COURSE, "doctor")
    assert done.returncode == 1
    assert "Missing: course concealed from students' code." in done.stdout
    assert "movethatfolder" in "".join(done.stdout.replace("│", " ").split())


def test_the_doctor_names_a_course_that_is_concealed(space):
    made = room(space / "course", COLUMNS="300")
    done = made.run(COURSE, "doctor")
    assert "✓ " + str(made.made.root) in done.stdout


TWICE = """
mount --bind "$1" "$2/whole" && mount --bind "$1/source" "$2/part" && exec "$3" -c "$4" "$1" "$2"
"""
LOOK = """
import sys
from pathlib import Path
from course.sandbox.sandbox import Sandbox

course, space = sys.argv[1:]
for hidden in ((), (Path(course),)):
    source = f"import os\\nprint(sorted(name for _, _, names in os.walk({space!r}) for name in names))"
    with Sandbox(hidden=hidden, modules=()) as sandbox:
        order = {"do": "run", "source": source, "quiet": False, "definitions_only": False}
        print(sandbox.student().ask(order, 20)["outputs"][0]["text"], end="")
"""


def test_a_course_that_is_mounted_in_two_places_is_concealed_in_both(tmp_path, space):
    """A container's volume, whole and in part; the mounts are in a namespace that ends with the command."""
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount namespace for this user")
    for folder in (tmp_path / "source", space / "whole", space / "part"):
        folder.mkdir()
    tmp_path.chmod(0o755)
    (tmp_path / "source" / "master.ipynb").write_text("answers")
    command = ["unshare", "-m", "sh", "-ec", TWICE, "sh", str(tmp_path), str(space), sys.executable, LOOK]
    environment = {**os.environ, "PYTHONPATH": str(small.ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "['master.ipynb', 'master.ipynb']\n[]\n", done.stderr
