"""What a notebook checker asks of the text of every released notebook, in both languages: one title, headings
that go down one step at a time, words for pictures and links, headings over tables."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from helpers.text import LANGUAGES

COURSE = CourseFolder(Path(__file__).parents[1])
RELEASED = [(lesson, language) for lesson in COURSE.lessons() for language in LANGUAGES]
MARKDOWN = MarkdownIt("commonmark").enable("table")
HEADINGS = re.compile("h[1-6]")


def page_of(*sources: str) -> BeautifulSoup:
    return BeautifulSoup("\n".join(map(MARKDOWN.render, sources)), "html.parser")


@pytest.fixture(params=RELEASED, ids="-".join)
def page(request) -> BeautifulSoup:
    notebook = notebooks.load(COURSE.released(*request.param))
    return page_of(*(cell.source for cell in notebook.cells if cell.cell_type == "markdown"))


def steps(page: BeautifulSoup) -> list[int]:
    return [int(heading.name[1]) for heading in page.find_all(HEADINGS)]


def skipped(levels: list[int]) -> list[tuple[int, int]]:
    return [(upper, lower) for upper, lower in pairwise(levels) if lower - upper > 1]


def test_there_is_one_title_and_it_comes_first(page):
    levels = steps(page)
    assert levels[0] == 1
    assert levels.count(1) == 1


def test_headings_go_down_one_step_at_a_time_and_none_is_empty(page):
    assert skipped(steps(page)) == []
    assert all(heading.get_text(strip=True) for heading in page.find_all(HEADINGS))


def test_no_two_headings_under_one_another_say_the_same(page):
    said = [heading.get_text(strip=True) for heading in page.find_all(HEADINGS)]
    assert all(one != other for one, other in pairwise(said))


def test_every_picture_and_every_link_has_words(page):
    assert all(picture.get("alt", "").strip() for picture in page.find_all("img"))
    bare = {"here", "link", "click here", "这里", "此处", "链接", ""}
    assert all(link.get_text(strip=True).lower() not in bare for link in page.find_all("a", href=True))


def test_every_table_has_a_heading_over_each_column(page):
    for table in page.find_all("table"):
        heads = table.find_all("th")
        assert heads
        assert all(head.get_text(strip=True) for head in heads[1:])  # the corner may be empty


def test_what_is_wrong_is_found():
    assert skipped(steps(page_of("# a", "### b"))) == [(1, 3)]
    assert page_of("![](x.png)").find("img")["alt"] == ""
