"""Every page we make passes axe-core, at the width of a phone and of a screen, in both languages."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
import small
from bs4 import BeautifulSoup

from course.authoring import release
from course.grading import grade
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.publishing import bundle, wheel
from course.publishing.links import Place
from course.reporting import comments, feedback, report
from helpers import text

ROOT = Path(__file__).parents[1]
CHROMIUM = shutil.which("chromium")
RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'
WRONG = 'def double(number):\n    return {"double_ms": 2 * number / 1000}'
COMMENT = """**Units**: see `double`, <b>no HTML</b>.

# no heading

- [notes](https://a.example/n)
- [x](javascript:x)
"""
WIDTHS = (400, 1280)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
PAGES = [
    f"{page}.{language}.html" for page in ("start", "full", "none", "report") for language in text.LANGUAGES
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Start pages; pages of someone with full and someone with no points; the report: in each language."""
    made = small.course(tmp_path_factory.mktemp("course"))
    release.release(made, [small.LESSON])
    for language in text.LANGUAGES:
        released = notebooks.load(made.released(small.LESSON, language))
        small.hand_in(made, f"full-{language}", small.answered(released, RIGHT))
        small.hand_in(made, f"none-{language}", small.answered(released, WRONG))
    grade.grade(made, small.LESSON)
    with small.gradebook(made) as book:
        for language in text.LANGUAGES:
            found = book.find_comment("double", small.LESSON, small.LESSON, f"none-{language}")
            found.manual_comment = COMMENT
        book.db.commit()
    return written(made, tmp_path_factory.mktemp("pages"))


def written(made, to):
    built, course = wheel.build(ROOT), CourseFolder(ROOT)
    place = Place(repository="ada/llm", address="https://ada.github.io/llm/", browser="lite/")
    for language in text.LANGUAGES:
        start = bundle.start_page(course, language, place, built)
        (to / f"start.{language}.html").write_text(start, encoding="utf-8")
        for points in ("full", "none"):
            shown = feedback.page(made, small.LESSON, f"{points}-{language}")
            (to / f"{points}.{language}.html").write_text(shown, encoding="utf-8")
        with text.speaking(language):
            report.write_html(report.of(made, small.LESSON), to / f"report.{language}.html")
    return to


@pytest.fixture(scope="module")
def chromium():
    if not CHROMIUM:
        pytest.skip("no chromium here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def violations(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
    return [(one["id"], [node["html"][:90] for node in one["nodes"]]) for one in found.response["violations"]]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(pages, chromium, name, width):
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.goto((pages / name).as_uri())
    for details in page.locator("summary").all():
        details.click()
    assert violations(page) == []
    page.close()


def test_axe_finds_what_is_wrong(chromium):
    page = chromium.new_page()
    page.set_content(
        "<html><body><img src='data:,'><p style='color:#bbb;background:#fff'>pale</p></body></html>"
    )
    assert {"image-alt", "html-has-lang", "color-contrast"} <= {name for name, _ in violations(page)}
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_the_phone_it_is_read_on(pages, chromium, name):
    page = chromium.new_page(viewport={"width": WIDTHS[0], "height": 900})
    page.goto((pages / name).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[0]
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_headings_go_down_one_step_at_a_time(pages, name):
    found = BeautifulSoup((pages / name).read_text(encoding="utf-8"), "html.parser").find_all(
        ["h1", "h2", "h3"]
    )
    levels = [int(heading.name[1]) for heading in found]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(lower - upper <= 1 for upper, lower in pairwise(levels))


@pytest.mark.parametrize("name", PAGES)
def test_each_heading_of_a_table_says_what_it_heads(pages, name):
    found = BeautifulSoup((pages / name).read_text(encoding="utf-8"), "html.parser")
    assert all(head.get("scope") in ("col", "row") for head in found.find_all("th"))


def test_a_teacher_s_comment_is_markdown_on_the_page(pages):
    quote = BeautifulSoup((pages / "none.en.html").read_text(encoding="utf-8"), "html.parser").find(
        class_="quote"
    )
    assert quote.find("strong").get_text() == "Units"
    assert quote.find("code").get_text() == "double"
    assert "<b>no HTML</b>" in quote.get_text()
    assert quote.find("a")["href"] == "https://a.example/n"
    assert "javascript" not in str(quote)
    assert quote.find("h1") is None


@pytest.mark.parametrize(
    "hostile", ["<script>x()</script>", "![p](https://a.example/p.png)", "<img src=x onerror=x()>"]
)
def test_nothing_in_a_comment_can_do_anything(hostile):
    made = BeautifulSoup(str(comments.html(hostile)), "html.parser")
    assert not made.find(["script", "img"])
