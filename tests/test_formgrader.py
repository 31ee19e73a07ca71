"""formgrader in a real browser: assignments, submissions, a graded notebook, buttons that take our steps."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
import small
from jupyter_lab import PATIENCE_S, TOKEN, serving

from course.authoring.sample_class import SampleClass, SampleStudent
from course.lesson.folder import CourseFolder
from course.reporting import feedback

COURSE = CourseFolder(small.ROOT)
LESSON = COURSE.lessons()[0]  # the demo's
SAMPLE = SampleClass.of(COURSE, LESSON)
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def address(demo, tmp_path_factory) -> Iterator[str]:
    """`jupyter lab` in the demo's folder."""
    with serving(demo.folder.root, tmp_path_factory.mktemp("jupyter")) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser, address) -> Iterator[object]:
    """A page of the server, signed in."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE_S * 1000)
    page.goto(f"{address}/formgrader/manage_assignments?token={TOKEN}")
    yield page
    page.close()


def row(page, text: str):
    """The table row that holds this text."""
    found = page.locator("tr", has_text=text).first
    found.wait_for()
    return found


def message(page) -> str:
    """What formgrader says when a button has done its work."""
    box = page.locator(".modal.in .modal-body, .modal.show .modal-body").first
    box.wait_for()
    return box.inner_text()


def test_the_assignment_and_its_submissions_are_listed(page, demo):
    assert str(len(demo.lines)) in row(page, LESSON).inner_text().split()


def test_jupyter_lab_opens_formgrader_from_its_menu(page, address):
    page.goto(f"{address}/lab?token={TOKEN}")
    entry = page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Formgrader$"))
    for _ in range(90):  # a menu opened while the page still builds itself closes again
        page.locator(".lm-MenuBar-itemLabel", has_text="Nbgrader").click()
        page.wait_for_timeout(500)
        if entry.is_visible():
            break
        page.keyboard.press("Escape")
    entry.click()
    frame = page.frame_locator("iframe[src*='formgrader']")
    frame.locator("td", has_text=LESSON).first.wait_for(timeout=90_000)


def test_every_submission_has_its_points(page, address, demo):
    page.goto(f"{address}/formgrader/manage_submissions/{LESSON}")
    for line in demo.lines:
        assert f"{line.expected:g} / {line.marks.max_points:g}" in row(page, line.student.id).inner_text()


def test_a_graded_notebook_opens(page, address):
    page.goto(f"{address}/formgrader/gradebook/{LESSON}/{LESSON}")
    page.locator("td a").first.click()
    page.get_by_text(COURSE.public_half(LESSON).exercises[0].names[0]).first.wait_for()
    page.get_by_text("Score: 1.0").or_(page.locator("input.score")).first.wait_for()


def test_the_feedback_button_writes_our_page(page, address, demo):
    student = next(iter(SAMPLE.ideas()))
    written = demo.folder.feedback(student, LESSON)
    written.unlink()
    page.goto(f"{address}/formgrader/manage_submissions/{LESSON}")
    row(page, student).locator(".generate-feedback a").click()
    assert "Successfully generated feedback" in message(page)
    assert written.read_text(encoding="utf-8") == feedback.page(demo.folder, LESSON, student)


def written(student: SampleStudent) -> str:
    """The answers that the student's notebook was filled with."""
    paths = (SAMPLE.folder / "answers" / f"{name}.py" for name in student.answers)
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_the_autograde_button_takes_our_steps(page, address, demo):
    """Somebody prints and warns: nbgrader's own steps would take most of the points away."""
    student = next(student.id for student in SAMPLE.students() if "warnings.warn" in written(student))
    page.goto(f"{address}/formgrader/manage_submissions/{LESSON}")
    row(page, student).locator(".autograde a").click()
    assert "Successfully autograded" in message(page)
    page.goto(f"{address}/formgrader/manage_submissions/{LESSON}")
    whole = next(line.marks.max_points for line in demo.lines if line.student.id == student)
    assert f"{whole:g} / {whole:g}" in row(page, student).inner_text()
