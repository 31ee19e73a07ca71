"""A student's notebook in formgrader, in a real browser: nothing in it runs, fetches or opens anything."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jupyter_lab
import pytest
import small
from nbconvert.exporters import HTMLExporter
from payloads import Payloads

from course import cli
from course.authoring import release
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.sandbox.sandbox import unavailable

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
ANSWER = 'def double(number):\n    return {"double_ms": 2 * number}'
GRADED, BUTTON, PLAIN = "graded-by-the-course", "graded-by-the-button", "graded-by-nobody"
LIVELY = {
    "output-script", "output-onerror", "output-svg", "output-iframe", "output-object", "output-toggle",
    "output-video", "output-fetched", "output-stylesheet", "output-import", "output-javascript",
    "output-markdown", "output-refresh", "text-script", "text-onerror", "text-svg", "text-iframe",
    "markdown-click", "markdown-picture", "markdown-mermaid",
}  # fmt: skip

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or unavailable() is not None, reason="chromium or the sandbox is missing"
)


class Beacon:
    """A server that remembers what it was asked."""

    def __init__(self) -> None:
        heard = self.heard = set()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                heard.add(self.path.strip("/"))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture(scope="module")
def beacon() -> Iterator[Beacon]:
    beacon = Beacon()
    thread = threading.Thread(target=beacon.server.serve_forever, daemon=True)
    thread.start()
    yield beacon
    beacon.server.shutdown()
    thread.join()
    beacon.server.server_close()


@pytest.fixture(scope="module")
def payloads(beacon) -> Payloads:
    return Payloads(beacon.address)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, payloads) -> CourseFolder:
    """One notebook with every payload, handed in three times, once graded by `course grade`."""
    made = small.course(tmp_path_factory.mktemp("payloads") / "course")
    release.release(made, [small.LESSON])
    for student in (GRADED, BUTTON, PLAIN):
        released = notebooks.load(made.released(small.LESSON, "zh"))
        small.hand_in(made, student, payloads.into(released, ANSWER))
    beside = made.submitted(BUTTON, small.LESSON).with_name("page.html")
    beside.write_text(f"<script>{payloads.run('beside')}</script>", encoding="utf-8")
    for student in (GRADED, PLAIN):
        with pytest.raises(SystemExit) as ended:
            cli.main(["grade", small.LESSON, "--student", student, "--course", str(made.root)])
        assert not ended.value.code
    return made


@pytest.fixture(scope="module")
def address(folder, tmp_path_factory) -> Iterator[str]:
    with jupyter_lab.serving(folder.root, tmp_path_factory.mktemp("jupyter")) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser, beacon) -> Iterator[object]:
    """A page that has not heard of anything yet."""
    page = browser.new_page()
    page.set_default_timeout(15_000)
    beacon.heard.clear()
    yield page
    page.close()


def submission(folder: CourseFolder, student: str) -> str:
    """The number that formgrader knows a graded notebook by."""
    with small.gradebook(folder) as book:
        return book.find_submission_notebook(small.LESSON, small.LESSON, student).id


FOLLOW = """async () => {
    const links = [...document.querySelectorAll("#notebook a, .text_cell a, .output a")]
    const found = links.map(link => link.getAttribute("href") || "")
    for (const [number, link] of links.entries()) {
        if (!found[number].startsWith("http")) link.click()
        await new Promise(done => setTimeout(done, 20))
    }
    return found
}"""


def look_at(page, url: str) -> list[str]:
    """Open a page, follow each link that leads to no other page, and wait for what comes of it; the links."""
    page.goto(url)
    page.wait_for_timeout(500)
    found = page.evaluate(FOLLOW)
    page.wait_for_timeout(500)
    return found


def sign_in(page, address: str) -> None:
    page.goto(f"{address}/formgrader/manage_assignments?token={jupyter_lab.TOKEN}")
    page.goto(f"{address}/formgrader/manage_submissions/{small.LESSON}")


def opened(page, address: str, folder: CourseFolder, student: str) -> str:
    """The text of a graded notebook in formgrader, which holds no link to the server or of a script."""
    sign_in(page, address)
    links = look_at(page, f"{address}/formgrader/submissions/{submission(folder, student)}/?index=0")
    assert [link for link in links if "javascript" in link] == []
    return page.locator("#notebook").first.inner_text()


def points(folder: CourseFolder, student: str) -> float:
    with small.gradebook(folder) as book:
        return book.find_submission(small.LESSON, student).score


def test_the_payloads_act_where_nobody_has_looked_at_them(page, beacon, payloads, tmp_path):
    """nbconvert as formgrader uses it, and nothing of ours: else the tests below would prove nothing."""
    bare = tmp_path / "bare.html"
    bare.write_text(HTMLExporter(template_name="classic").from_notebook_node(payloads.raw())[0], "utf-8")
    page.add_init_script("window.$ = () => null")  # jQuery, which formgrader has
    look_at(page, bare.as_uri())
    assert LIVELY - beacon.heard == set()


def test_nothing_acts_after_course_grade(page, address, beacon, folder):
    shown = opened(page, address, folder, GRADED)
    assert beacon.heard == set()
    assert points(folder, GRADED) == 2
    assert "printed words 1 < 2" in shown
    assert "< script>" in shown
    assert "127.0.0.1/formgrader" in shown
    assert page.locator("#notebook a[href*='formgrader']").count() == 0
    assert (
        page.locator("#notebook-container td", has_text="41.5").get_attribute("style")
        == "text-align:right;white-space:nowrap"
    )
    assert page.locator("#notebook-container img").evaluate_all("all => all.map(i => i.naturalWidth)") == [2]


def test_nothing_acts_after_the_autograde_button(page, address, beacon, folder):
    sign_in(page, address)
    page.locator("tr", has_text=BUTTON).locator(".autograde a").click()
    box = page.locator(".modal.in .modal-body, .modal.show .modal-body").first
    box.wait_for()
    assert "Successfully autograded" in box.inner_text()
    shown = opened(page, address, folder, BUTTON)
    assert beacon.heard == set()
    assert points(folder, BUTTON) == 2
    assert "printed words 1 < 2" in shown


def test_a_page_beside_a_submission_is_not_served(page, address, beacon, folder):
    sign_in(page, address)
    answer = page.goto(f"{address}/formgrader/submissions/{submission(folder, BUTTON)}/page.html")
    page.wait_for_timeout(300)
    assert (answer.status, beacon.heard) == (404, set())


def test_formgraders_own_page_lets_nothing_through_either(page, address, beacon, payloads, folder):
    """The second wall alone: a graded notebook as somebody else's grader would have stored it."""
    notebooks.save(payloads.raw(), folder.autograded(PLAIN, small.LESSON))
    opened(page, address, folder, PLAIN)
    assert beacon.heard == set()
