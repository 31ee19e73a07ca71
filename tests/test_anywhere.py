"""The first cell in an environment like Colab's: it adds `helpers`, and no installed version moves.

Slow the first time: a virtual environment with Colab's packages is made in build/ and kept there. Where no
package index can be reached the tests are skipped and say so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from course.publishing import wheel

ROOT = Path(__file__).parents[1]
FIRST_CELL = (ROOT / "source" / "frame" / "first_cell.py").read_text(encoding="utf-8").rstrip("\n")
COLAB = ("numpy==2.0.2", "pandas==2.2.2", "matplotlib==3.10.0", "pydantic==2.12.3", "tqdm==4.67.1")
DUMMY = {"torch": "2.9.0+cu126", "transformers": "4.57.6"}
VERSION = "3.12"
ENVIRONMENT = ROOT / "build" / f"colab-{VERSION}"
SECONDS = 10


def run(command: list[str], **options: object) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def python(version: str) -> str:
    """A Python of that version if this machine has one, else the one that runs the tests."""
    asked = "import sys; print('{}.{}'.format(*sys.version_info))"
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    candidates = [shutil.which(f"python{version}"), *map(str, pyenv)]
    found = (path for path in candidates if path and run([path, "-c", asked]).stdout.strip() == version)
    return next(found, sys.executable)


@pytest.fixture(scope="module")
def colab() -> Path:
    """The Python of an environment with Colab's packages and a torch that must not move; made once."""
    folder, inside = ENVIRONMENT, ENVIRONMENT / "bin" / "python"
    done = folder / "done.json"
    if done.is_file() and json.loads(done.read_text(encoding="utf-8")) == [*COLAB, DUMMY]:
        return inside
    shutil.rmtree(folder, ignore_errors=True)
    if run([python(VERSION), "-m", "venv", str(folder)]).returncode:
        pytest.skip("this Python makes no virtual environment")
    fetched = run([str(inside), "-m", "pip", "install", "-q", "--only-binary=:all:", *COLAB])
    if fetched.returncode:
        pytest.skip("Colab's packages cannot be had here: " + fetched.stderr.strip().splitlines()[-1])
    asked = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    for name, version in DUMMY.items():
        _pretend(Path(run([str(inside), "-c", asked]).stdout.strip()), name, version)
    done.write_text(json.dumps([*COLAB, DUMMY]), encoding="utf-8")
    return inside


def _pretend(packages: Path, name: str, version: str) -> None:
    """A package that can be imported and has a version, and nothing else."""
    (packages / name).mkdir()
    (packages / name / "__init__.py").write_text(f"__version__ = {version!r}\n", encoding="utf-8")
    info = packages / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )


def installed(inside: Path) -> dict[str, str]:
    done = run([str(inside), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"])
    return {package["name"]: package["version"] for package in json.loads(done.stdout)}


def visit(inside: Path, folder: Path, cell: str = FIRST_CELL, **environ: str) -> tuple[float, str]:
    """Run the cell twice, then use the library; returns the seconds and what was said."""
    use = "import helpers.results, helpers.plots, torch\nprint(torch.__version__, helpers.__file__)"
    code = f"{cell}\n{cell}\n{use}"
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONIOENCODING": "utf-8", **environ}
    began = time.monotonic()
    done = run([str(inside), "-c", code], cwd=folder, env=variables)
    assert done.returncode == 0, done.stderr
    return time.monotonic() - began, done.stdout


@pytest.mark.slow
def test_a_wheel_beside_the_notebook_changes_no_installed_version(colab, tmp_path):
    built = wheel.build(ROOT)
    (tmp_path / built.name).write_bytes(built.content)
    before = installed(colab)
    seconds, said = visit(colab, tmp_path, COLAB_RELEASE_TAG="release-colab_20261101")
    assert installed(colab) == before
    assert seconds < SECONDS
    assert said.startswith("Google Colab | ")
    assert "2.9.0+cu126" in said
    assert str(tmp_path) not in said.splitlines()[-1]


@pytest.mark.slow
def test_the_bundle_s_address_does_as_well(colab, tmp_path):
    from in_browser import served

    built = wheel.build(ROOT)
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / built.name).write_bytes(built.content)
    (tmp_path / "work").mkdir()
    before = installed(colab)
    with served(tmp_path / "web") as address:
        cell = FIRST_CELL.replace('WHEEL = ""', f'WHEEL = "{address}{built.name}"')
        _, said = visit(colab, tmp_path / "work", cell)
    assert installed(colab) == before
    assert "helpers 0." in said


@pytest.mark.slow
def test_a_read_only_folder_is_no_hindrance(colab, tmp_path):
    built = wheel.build(ROOT)
    (tmp_path / built.name).write_bytes(built.content)
    tmp_path.chmod(0o555)
    try:
        _, said = visit(colab, tmp_path)
    finally:
        tmp_path.chmod(0o755)
    assert "helpers 0." in said
