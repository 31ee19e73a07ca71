"""A table fits a phone and a screen: short cells in one line, long ones wrapped, no column cut off."""

import shutil

import pytest

from helpers.tables import table

CHROMIUM = shutil.which("chromium")
LONG = "a sentence of a judgement that says in many words why this row was refused by the budget"
# what JupyterLab's own style sheet says of tables
JUPYTER = "<style>table{table-layout:fixed} td,th{white-space:normal;padding:.5em;max-width:none}</style>"
ROWS = [{"batch": 128, "iteration_ms": 12345.6, "note": "TTFT 200 ms", "kept": LONG, "own": LONG}]


@pytest.fixture(scope="module")
def chromium():
    if not CHROMIUM:
        pytest.skip("no chromium here")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [400, 1280])
def test_short_cells_stay_in_one_line_and_no_column_is_lost(chromium, width):
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.set_content(f"<!doctype html>{JUPYTER}{table(ROWS)._repr_html_()}")
    heights = page.evaluate(
        "[...document.querySelectorAll('td')].map(cell => {"
        "const range = document.createRange(); range.selectNodeContents(cell);"
        "return new Set([...range.getClientRects()].map(line => line.top)).size})"
    )
    assert heights[:3] == [1, 1, 1]
    assert all(lines > 1 for lines in heights[3:]) or width == 1280
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelector('div').scrollLeft = 1e6")
    assert page.evaluate("[...document.querySelectorAll('td')].pop().getBoundingClientRect().right") <= width
    page.close()
