"""Every script and every make target runs in its smallest form: what no test runs breaks in the next move."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import small

ROOT = small.ROOT
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split()
BENCHMARKS = sorted((ROOT / "benchmarks").glob("*.py"))
PROGRAMS = ("course.publishing.browser", "helpers.experiment", "helpers.gemm", "helpers.profiler")
# What a benchmark says at its end, each with a number of its own, or why there is nothing to say.
SAID = {
    "first_check": r"from the start page to the first green check",
    "scale": r"coordinator and gradebook, 12 submissions: (?s:.*)feedback, 12 submissions: \d",
    "grading": r"points of 1 submissions: equal in both gradebooks\n.*\nratio \d",
    "memory": r"2 submissions, 1 of them hostile.*\ncourse grade: .* MB.*\ncourse report: command \d+ MB",
    "replay": r"300 recorded requests: \d.* s; ten minutes of chats: (?!0\.00)\d",
    "similarity": r"\| 30 \| .* \| 1 \| 1 \| 0 \|",
    "timing": r"median ratio \d+\.\d+ .*not judged",
}
COPIED = ("Makefile", "pyproject.toml", "constraints.txt", "nbgrader_config.py", "publish.toml", "LICENSES")
FOLDERS = ("helpers", "course", "source", "release")
PYTHON = """#!/bin/sh
exec "{python}" "$@"
"""
COMMAND = """#!/bin/sh
exec "{python}" -c "from course.cli import main; main()" "$@"
"""
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def run(*command: object, cwd: Path = ROOT, root: Path = ROOT) -> subprocess.CompletedProcess:
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(root), "PATH": commands, "PYTHONIOENCODING": "utf-8"}
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda path: path.stem)
def test_a_benchmark_runs_in_its_smallest_form(script, tmp_path):
    done = run(sys.executable, script, "--quick", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(SAID[script.stem], done.stdout) or re.search(r"^skipped: \S+", done.stdout), done.stdout


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda path: path.stem)
def test_a_benchmark_tells_its_smallest_form(script):
    done = run(sys.executable, script, "--help")
    assert done.returncode == 0, done.stderr
    assert "the smallest form" in done.stdout


@pytest.mark.parametrize("option", ["--students", "--rounds"])
def test_a_benchmark_without_work_is_refused(option):
    done = run(sys.executable, ROOT / "benchmarks" / "grading.py", option, "0")
    assert done.returncode == 2
    assert f"{option} must be >= 1, got 0" in done.stderr


def test_the_pictures_can_be_drawn(tmp_path):
    done = run(sys.executable, ROOT / "docs" / "pictures" / "draw.py", "--to", tmp_path, "--language", "zh")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bounds-zh.png"]
    assert (tmp_path / "bounds-zh.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_explains_itself(program, tmp_path):
    done = run(sys.executable, "-m", program, "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: python -m {program}")
    assert list(tmp_path.iterdir()) == []


def test_the_browser_site_outside_a_course_is_refused_in_one_sentence(tmp_path):
    done = run(sys.executable, "-m", "course.publishing.browser", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("✗ ")
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of this checkout, in which everything is installed already."""
    root = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, root / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("benchmarks", "README.md"):
        (root / name).symlink_to(ROOT / name)
    commands = root / ".venv" / "bin"
    commands.mkdir(parents=True)
    for name, text in (("python", PYTHON), ("course", COMMAND)):
        (commands / name).write_text(text.format(python=sys.executable), encoding="utf-8")
        (commands / name).chmod(0o755)
    database = run("make", "-pn", "help", cwd=root).stdout
    for stamp in re.findall(r"^(?:GRADING|EVERYTHING|BROWSER) := (\S+)$", database, re.MULTILINE):
        (root / stamp).touch()
    return root


def made(checkout: Path, *words: str) -> str:
    """What make prints for these words."""
    done = run("make", *words, cwd=checkout, root=checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def content(checkout: Path) -> dict[str, bytes]:
    """Every file that a person or a tool keeps in the repository."""
    kept = [checkout / name for name in (*COPIED, *FOLDERS)]
    paths = [path for top in kept for path in (top, *top.rglob("*")) if "__pycache__" not in path.parts]
    return {str(path): path.read_bytes() for path in paths if path.is_file()}


@needs_make
@pytest.mark.parametrize("target", TARGETS)
def test_a_target_is_understood_and_what_it_calls_exists(checkout, target):
    plan = made(checkout, "-n", target)
    assert plan
    assert "pip install" not in plan
    for module in re.findall(r"python -m ([\w.]+)", plan):
        assert find_spec(module), module
    for pattern in re.findall(r"\S+\*\.py", plan):
        assert list(ROOT.glob(pattern)), pattern


@needs_make
def test_help_names_every_target(checkout):
    named = re.findall(r"^make (\S+)", made(checkout, "help"), re.MULTILINE)
    assert sorted(named) == sorted(set(TARGETS) - {"help"})


@needs_make
def test_translate_release_and_publish_change_nothing_in_a_clean_checkout(checkout):
    before = content(checkout)
    assert len(before) > 100
    made(checkout, "translate")
    made(checkout, "release")
    made(checkout, "publish")
    after = content(checkout)
    assert [name for name in {**before, **after} if before.get(name) != after.get(name)] == []
    assert (checkout / "bundle" / "SHA256SUMS").is_file()


@needs_make
def test_release_makes_what_is_not_there(checkout):
    path = next((checkout / "release").rglob("*.ipynb"))
    there = path.read_bytes()
    path.unlink()
    made(checkout, "release")
    assert path.read_bytes() == there
