"""The first cell of every notebook finds `helpers`, changes nothing else, and says what it needs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
CELLS = {
    "setup": (ROOT / "source" / "frame" / "first_cell.py").read_text(encoding="utf-8").rstrip("\n"),
    "handin": (ROOT / "source" / "frame" / "last_cell.py").read_text(encoding="utf-8").rstrip("\n"),
}
MASTERS = sorted((ROOT / "source").glob("*/*/*.ipynb"))


def run(folder: Path, cell: str = CELLS["setup"], times: int = 1) -> subprocess.CompletedProcess:
    """Run the cell in a fresh interpreter without `helpers` and without any installed package."""
    code = "\n".join([cell] * times) + "\nimport helpers; print(helpers.__file__)"
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("path", MASTERS, ids=lambda path: "/".join(path.parts[-3:-1]))
@pytest.mark.parametrize("name", CELLS)
def test_every_notebook_has_the_same_cell(path, name):
    cells = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}
    assert name in cells
    assert alike(cells[name].source) == alike(CELLS[name])


def alike(source: str) -> str:
    """The cell without its title, and with the language that it speaks replaced."""
    return re.sub(
        r"^# @title .*|(?<=classroom\.begin\()\S+|(?<=^text\.speak\().*", "…", source, flags=re.MULTILINE
    )


@pytest.mark.parametrize("path", MASTERS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_the_frame_speaks_the_edition_s_language_and_no_other(path):
    cells = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    language = path.parts[-3]
    assert f'classroom.begin("{language}", WHEEL)' in cells["setup"]
    assert f'text.speak("{language}")' in cells["handin"]
    title = cells["setup"].splitlines()[0]
    assert title.startswith("# @title ")
    assert bool(re.search("[\u4e00-\u9fff]", title)) == (language == "zh")


def test_a_helpers_folder_above_is_found(tmp_path):
    (tmp_path / "zh" / "lesson").mkdir(parents=True)
    (tmp_path / "helpers").symlink_to(ROOT / "helpers")
    done = run(tmp_path / "zh" / "lesson", times=2)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "helpers") in done.stdout
    assert done.stdout.count("helpers 0.") == 2


def test_without_helpers_and_without_an_address_one_sentence_says_what_to_do(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "put it beside the notebook" in done.stderr


def test_an_unreachable_address_ends_in_the_same_sentence(tmp_path):
    done = run(tmp_path, CELLS["setup"].replace('WHEEL = ""', 'WHEEL = "http://127.0.0.1:9/helpers.whl"'))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "put it beside the notebook" in done.stderr


def test_the_first_cell_installs_nothing():
    assert "pip" not in CELLS["setup"]
    assert "subprocess" not in CELLS["setup"]
