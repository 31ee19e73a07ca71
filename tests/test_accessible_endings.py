"""The pages that end a lesson, the finish and the certificate, pass axe-core too, at both widths."""

from itertools import pairwise

import pytest
import test_finish
from bs4 import BeautifulSoup
from test_accessible_pages import WIDTHS, chromium, violations  # noqa: F401

from helpers import finish, text
from helpers.lessons import Lesson

LESSON = Lesson("third", (), number=3, promise={"zh": "你能算两倍", "en": "You can double"})
NAMES = {
    "guesses": {"step": 2, "a_name_of_some_length_that_does_not_break": None},
    "computed": {"step": 8.0, "a_name_of_some_length_that_does_not_break": 92},
    **test_finish.figures(3),
}
PAGES = [
    f"{page}.{language}.html" for page in ("finish", "bare", "certificate") for language in text.LANGUAGES
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    to = tmp_path_factory.mktemp("pages")
    for language in text.LANGUAGES:
        with text.speaking(language):
            whole = finish.page(LESSON, ["one", "two"], NAMES, language)
            bare = finish.page(LESSON, [], {}, language)
        (to / f"finish.{language}.html").write_text(whole, encoding="utf-8")
        (to / f"bare.{language}.html").write_text(bare, encoding="utf-8")
        (to / f"certificate.{language}.html").write_text(certified(language), encoding="utf-8")
    return to


def certified(language):
    from course.reporting.certificate import Certificate

    exercises = (("TODO 1", 2.0, 2.0), ("TODO 2 a longer name of an exercise, to be wrapped", 0.5, 3.0))
    made = Certificate(
        "third", "A lesson", language, "s17", "Ada Lovelace", 2.5, 5.0, exercises, "2026-12-01", "0f" * 8
    )
    return made.page()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(pages, chromium, name, width):  # noqa: F811
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.goto((pages / name).as_uri())
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_headings_go_down_step_by_step_and_tables_say_what_they_head(pages, name):
    found = BeautifulSoup((pages / name).read_text(encoding="utf-8"), "html.parser")
    levels = [int(heading.name[1]) for heading in found.find_all(["h1", "h2", "h3"])]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(lower - upper <= 1 for upper, lower in pairwise(levels))
    assert all(table.caption for table in found.find_all("table"))
    assert all(head["scope"] in ("col", "row") for head in found.find_all("th"))
    assert all(image["alt"] for image in found.find_all("img"))
