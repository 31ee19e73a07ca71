"""What is left of a student's texts, pages and pictures."""

from __future__ import annotations

import base64
import io
import time

import pytest
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from payloads import TINY_PNG, Payloads
from PIL import Image

from course.grading import outputs
from course.submission import inert
from helpers import tables

PAYLOADS = Payloads("http://127.0.0.1:9")


def test_the_courses_own_table_stays_as_it_is():
    page = tables.table([{"batch": 8, "memory_ms": 41.5}])._repr_html_()
    assert inert.html(page) == page


@pytest.mark.parametrize("kind", PAYLOADS.pages("x"))
def test_of_a_page_the_text_is_left(kind):
    page = PAYLOADS.pages("x")[kind]
    assert "127.0.0.1" not in inert.html(page)
    assert inert.html(f"<p>seen {page}</p>").startswith("<p>seen ")


@pytest.mark.parametrize(
    "text",
    [
        "**bold**, `a[1:3] < b`, $a \\left< b$, $\\frac{1}{2} \\text{ms}$\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "R&D, 5 < 6, (a) [b], f[0] = 1",
        "因为 batch 变大，memory-bound 变成 compute-bound。",
    ],
)
def test_an_ordinary_text_stays_as_it_is(text):
    assert inert.markdown(text) == text


@pytest.mark.parametrize("name", PAYLOADS.texts())
def test_no_renderer_finds_a_tag_or_a_link_in_a_students_text(name):
    page = markdown2html_mistune(inert.markdown(PAYLOADS.texts()[name]))
    assert not any(tag in page for tag in ("<a ", "<img", "<script", "<svg", "<iframe", "<object", "<style"))
    assert r"\href" not in page
    assert r"\unicode" not in page


def test_a_picture_is_one():
    assert inert.picture(TINY_PNG[:40] + "\n" + TINY_PNG[40:], "image/png") == TINY_PNG
    assert inert.picture(TINY_PNG, "image/jpeg") == ""
    assert inert.picture('" onerror="alert(1)', "image/png") == ""
    assert inert.picture(base64.b64encode(b"<svg onload=alert(1)>").decode(), "image/png") == ""


def test_a_picture_that_no_browser_can_hold_is_none():
    large = io.BytesIO()
    Image.new("1", (10_000, 6_000)).save(large, "PNG")
    assert inert.picture(base64.b64encode(large.getvalue()).decode(), "image/png") == ""


def test_a_terminal_is_told_colours_and_nothing_else():
    assert inert.text("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07\x1b[2J\u202eback") == (
        "\x1b[31mred\x1b[0m link[2Jback"
    )


@pytest.mark.parametrize("kind", [[], {}, None, 7, "update_display_data"])
def test_an_output_of_no_known_type_is_left_out(kind):
    kept = {"output_type": "stream", "name": "stdout", "text": "kept"}
    assert outputs.shown({"outputs": [{"output_type": kind}, kept]}) == [kept]


@pytest.mark.parametrize("piece", ["<div>", "<b><a>", "<table>", "<", "&", "](", "\\", "\x1b]", "\x1b[1;"])
def test_no_text_takes_long(piece):
    started = time.process_time()
    for function in (inert.html, inert.markdown, inert.text):
        function(piece * (200_000 // len(piece)))
    inert.html(piece * inert.MOST_TAGS)
    assert time.process_time() - started < 2
