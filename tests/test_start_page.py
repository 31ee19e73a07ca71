"""The start page keeps its promises: buttons lead somewhere, lessons say what they take and give."""

import base64
import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.publishing import bundle, links, wheel
from course.publishing.links import Place
from helpers import lessons, platforms, text

ROOT = Path(__file__).parents[1]
COURSE = CourseFolder(ROOT)
SITE = Place(browser="lite/")


@pytest.fixture(scope="module")
def built():
    return wheel.build(ROOT)


def page(language, built, place=SITE):
    return BeautifulSoup(bundle.start_page(COURSE, language, place, built), "html.parser")


def test_a_site_that_is_not_there_or_lacks_a_notebook_is_none(tmp_path):
    paths = ["zh/a/a.ipynb", "en/a/a.ipynb"]
    assert SITE.beside(tmp_path, paths).browser == ""
    for path in paths:
        assert SITE.beside(tmp_path, paths).browser == ""
        (tmp_path / "lite" / "files" / path).parent.mkdir(parents=True)
        (tmp_path / "lite" / "files" / path).touch()
    assert SITE.beside(tmp_path, paths) == SITE


def test_a_site_elsewhere_is_taken_at_its_word(tmp_path):
    elsewhere = replace(SITE, browser="https://ada.github.io/lite/")
    assert elsewhere.beside(tmp_path, ["zh/a/a.ipynb"]) == elsewhere


def test_what_is_missing_is_said_in_the_terminal(tmp_path, capsys, monkeypatch):
    text.speak("en")
    monkeypatch.setattr(links, "place", lambda root: SITE)
    assert bundle.run(COURSE, tmp_path / "out", check_only=False) == 0
    said = capsys.readouterr().out
    assert "lacks repository, address" in said
    assert "no complete browser site" in said
    assert "make lite" in said
    start = (tmp_path / "out" / "index.en.html").read_text(encoding="utf-8")
    assert "button first" not in start.partition("</style>")[2]
    assert "publish.toml" not in start


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_each_lesson_says_how_long_what_before_and_what_after(language, built):
    cards = page(language, built).select("ol.path > li")
    assert len(cards) == len(COURSE.lessons()) > 1
    for name, card in zip(COURSE.lessons(), cards, strict=True):
        half = lessons.named(name)
        for words in (str(half.minutes), half.needs[language], half.promise[language]):
            assert words in card.get_text()


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_the_minutes_are_those_that_the_lesson_itself_states(lesson, language):
    title = notebooks.load(COURSE.master(lesson, language)).cells[0].source
    stated = re.search(r"(\d+) (?:minutes|分钟)", title.replace("*", ""))
    assert int(stated[1]) == lessons.named(lesson).minutes


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_each_platform_says_what_a_student_needs_in_its_line(language, built):
    rows = {row.th.get_text(): row.get_text(" ") for row in page(language, built).select("tr")[1:]}
    for facts in (facts for name, facts in platforms.FACTS.items() if name != "local"):
        row = rows[facts.title]
        assert facts.account in row
        assert facts.checked in row
        assert text.say_in(language, f"platform.kept.{facts.stays}") in row
    phone = "verified phone" if language == "en" else "验证手机"
    assert [title for title, row in rows.items() if phone in row] == ["Kaggle"]


def test_the_page_of_platforms_names_the_same_accounts():
    documented = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    for facts in platforms.FACTS.values():
        row = next(line for line in documented.splitlines() if facts.source in line)
        assert (f"{facts.account} account" in row) == bool(facts.account)
        assert ("verified phone" in row) == facts.phone


def test_the_only_script_is_the_one_that_the_page_allows(built):
    found = page("en", built)
    (script,) = found.find_all("script")
    digest = base64.b64encode(hashlib.sha256(script.string.encode()).digest()).decode()
    policy = found.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert not re.search(r"fetch|XMLHttp|sendBeacon|https?:", script.string)


CHROMIUM = shutil.which("chromium")


@pytest.fixture
def browser_page(tmp_path, built):
    if not CHROMIUM:
        pytest.skip("no chromium here")
    from playwright.sync_api import sync_playwright

    for language in text.LANGUAGES:
        (tmp_path / bundle.start(language)).write_text(str(page(language, built)), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page(), (tmp_path / "index.en.html").as_uri()
        browser.close()


def test_what_is_done_is_remembered_by_the_browser_and_by_the_other_language(browser_page):
    visited, address = browser_page
    visited.goto(address)
    first, second, *_ = names = COURSE.lessons()
    assert visited.locator("[aria-current] input").get_attribute("data-lesson") == first
    visited.locator(f"input[data-lesson={first}]").check()
    visited.reload()
    assert visited.locator(f"input[data-lesson={first}]").is_checked()
    assert visited.locator("[aria-current] input").get_attribute("data-lesson") == second
    visited.get_by_role("link", name="中文").click()
    assert [visited.locator(f"input[data-lesson={name}]").is_checked() for name in names][:2] == [True, False]
    kept = visited.evaluate("localStorage.getItem('iteration-budget:done')")
    assert json.loads(kept) == [first]


def test_without_scripts_no_box_pretends_to_remember(tmp_path, browser_page):
    visited, address = browser_page
    plain = visited.context.browser.new_context(java_script_enabled=False).new_page()
    plain.goto(address)
    assert not plain.locator("input[data-lesson]").first.is_visible()
    assert plain.locator("ol.path h2").first.is_visible()
