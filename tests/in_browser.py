"""Drives the browser site as a student would: start page, notebook, first exercise, check, save, download."""

from __future__ import annotations

import functools
import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from course.authoring import mutants
from course.lesson import notebooks
from course.lesson.folder import CourseFolder

CHROMIUM = Path("/usr/bin/chromium")
BUTTON = {"zh": "在浏览器里打开", "en": "Open in the browser"}
START = {"zh": "index.html", "en": "index.en.html"}
FOLDED = ("setup",)  # there is no editor to click into
RUN = "() => { window.jupyterapp.commands.execute('notebook:run-cell'); }"
READY = "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
CODE = "[...window.jupyterapp.shell.currentWidget.content.model.cells].filter(cell => cell.type === 'code')"


@dataclass(frozen=True)
class Visit:
    """What a visit gave: seconds from start page to first green check, and the notebook downloaded."""

    seconds: float
    said: str
    setup_line: str
    notebook: bytes
    kept: bool


class Handler(http.server.SimpleHTTPRequestHandler):
    """A static server as plain as it can be, with the two types that browsers insist on."""

    extensions_map: ClassVar = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """A server that does not mind a browser that hangs up."""

    def handle_error(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, served until the block ends."""
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def first_exercise(course: CourseFolder) -> tuple[str, str]:
    """The cell of the course's first exercise, and its reference answer."""
    lesson = course.lessons()[0]
    cell = course.public_half(lesson).exercises[0].cell
    return cell, mutants.references(notebooks.load(course.master(lesson)))[cell]


def visit(bundle: Path, language: str, exercise: str, answer: str, pictures: Path | None = None) -> Visit:
    """Go from the start page to a green check of the first exercise, in a fresh browser."""
    from playwright.sync_api import sync_playwright

    with served(bundle) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(120_000)
        began = time.monotonic()
        page.goto(address + START[language])
        page.get_by_role("link", name=BUTTON[language]).first.click()
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        setup_line = _solve(page, exercise, answer)
        said = _output(page, f"{exercise}-check")
        seconds = time.monotonic() - began
        if pictures:
            page.screenshot(path=str(pictures / f"browser-{language}.png"))
        notebook = _saved_and_downloaded(page)
        page.reload()
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        kept = answer.strip() in page.evaluate(f"{CODE}.map(cell => cell.sharedModel.source).join('\\n')")
        browser.close()
    return Visit(seconds, said, setup_line, notebook, kept)


def _solve(page, exercise: str, answer: str) -> str:
    """Run the cells down to the first exercise, type the answer, run its check."""
    check = f"{exercise}-check"
    page.wait_for_function(f"{CODE}.some(cell => cell.sharedModel.id === '{check}')")
    ids = page.evaluate(f"{CODE}.map(cell => cell.sharedModel.id)")
    for name in ids[: ids.index(check) + 1]:
        editor = _show(page, name)
        if name in FOLDED:
            page.wait_for_function(READY)  # an order before that is lost
            page.evaluate(RUN)
        else:
            editor.click()
            if name == exercise:
                page.keyboard.press("Control+a")
                page.keyboard.insert_text(answer)
            page.keyboard.press("Control+Enter")
        if name in ("setup", "imports", check):
            _wait_until_run(page, name)
    return _output(page, "setup")


def _show(page, name: str):
    """The editor of the cell with that id, scrolled into view."""
    place = page.evaluate(
        """name => {
            const content = window.jupyterapp.shell.currentWidget.content;
            const index = [...content.model.cells].findIndex(cell => cell.sharedModel.id === name);
            content.activeCellIndex = index;
            return content.scrollToItem(index).then(() => index);
        }""",
        name,
    )
    return page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{place}'] .cm-content").first


def _wait_until_run(page, name: str) -> None:
    page.wait_for_function(
        f"name => {CODE}.find(cell => cell.sharedModel.id === name).sharedModel.execution_count !== null",
        arg=name,
    )


def _output(page, name: str) -> str:
    outputs = page.evaluate(
        f"name => {CODE}.find(cell => cell.sharedModel.id === name).sharedModel.toJSON().outputs", name
    )
    return json.dumps(outputs, ensure_ascii=False)


def _saved_and_downloaded(page) -> bytes:
    page.keyboard.press("Control+s")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    with page.expect_download() as started:
        page.evaluate("window.jupyterapp.commands.execute('docmanager:download')")
    return Path(started.value.path()).read_bytes()
