"""The browser site, visited as a student does; slow, and only where `make lite` has built it."""

from __future__ import annotations

import hashlib
import json

import in_browser
import pytest
import small

from course.authoring import release
from course.collecting.collect import collect_into
from course.grading import grade
from course.lesson.folder import CourseFolder
from course.publishing import browser
from course.reporting import marks
from helpers.text import LANGUAGES

BUNDLE = small.ROOT / "bundle"
COURSE = CourseFolder(small.ROOT)
LESSON = COURSE.lessons()[0]
FIRST, ANSWER = in_browser.first_exercise(COURSE)


def test_every_package_of_the_site_has_the_digest_of_what_lies_there(tmp_path):
    entry = browser.held({"name": "x", "file_name": "old.whl", "sha256": "0"}, "x.whl", b"wheel", tmp_path)
    assert entry["file_name"] == "x.whl"
    assert (tmp_path / "x.whl").read_bytes() == b"wheel"
    assert entry["sha256"] == hashlib.sha256(b"wheel").hexdigest()


def test_a_package_brings_all_that_it_depends_on():
    lock = {
        name: {"depends": depends} for name, depends in {"a": ["B_c"], "b-c": ["d"], "d": [], "e": []}.items()
    }
    assert browser.closure(lock, ["a", "not-there"]) == {"a", "b-c", "d"}


def test_the_site_asks_no_other_server_for_packages():
    kernel = browser.settings()["jupyter-config-data"]["litePluginSettings"]
    assert kernel["@jupyterlite/pyodide-kernel-extension:kernel"]["disablePyPIFallback"] is True


@pytest.fixture(scope="module", params=LANGUAGES)
def visit(request):
    if not (BUNDLE / "lite" / "index.html").is_file():
        pytest.skip("no browser site here: `make lite` builds it")
    if not in_browser.CHROMIUM.is_file():
        pytest.skip("no chromium here")
    pytest.importorskip("playwright")
    return request.param, in_browser.visit(BUNDLE, request.param, FIRST, ANSWER)


@pytest.mark.slow
def test_within_a_minute_the_first_check_is_green_and_the_work_is_kept(visit):
    language, found = visit
    print(f"{language}: {found.seconds:.1f} s from the start page to the first green check")
    assert "✓ TODO 1" in found.said
    assert "JupyterLite | WebAssembly | helpers" in found.setup_line
    assert found.seconds < 60
    assert found.kept


@pytest.mark.slow
def test_the_notebook_from_the_browser_gets_the_points_of_the_same_answer(visit, tmp_path):
    language, found = visit
    made = small.copied(LESSON, tmp_path)
    release.release(made, [LESSON])
    plain = json.loads(made.released(LESSON, language).read_text(encoding="utf-8"))
    next(cell for cell in plain["cells"] if cell["id"] == FIRST)["source"] = ANSWER
    for student, content in (("browser", found.notebook), ("plain", json.dumps(plain).encode())):
        path = tmp_path / "box" / student / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    assert all(receipt.taken for receipt in collect_into(made, LESSON, tmp_path / "box"))
    run = grade.grade(made, LESSON)
    points = {
        found.student: {mark.concept: mark.points for mark in found.concepts} for found in marks.of_run(run)
    }
    assert points["browser"] == points["plain"]
    assert sum(points["browser"].values()) > 0
