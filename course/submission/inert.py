"""Inert: what students wrote or displayed, with nothing left in it that a browser would run, fetch or open.

Graded notebooks are looked at by an instructor who is signed in to Jupyter: a script in one acts with the
instructor's rights, and so does a picture or a link to an address of the server's own.
"""

from __future__ import annotations

import base64
import io
import re

import nh3

MOST_PIXELS = 50_000_000
MOST_TAGS = 2_000  # the time of a parser of pages grows with the square of the nesting
PICTURES = {"image/png": "PNG", "image/jpeg": "JPEG"}
TABLE = {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
TEXT = {"p", "div", "span", "br", "hr", "pre", "code", "b", "i", "em", "strong", "s", "del", "sub", "sup"}
TEXT |= {"ul", "ol", "li", "dl", "dt", "dd", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"}
PAGE = TABLE | TEXT | {"a", "img", "details", "summary", "section", "figure", "figcaption"}
CELL = {"colspan", "rowspan", "style"}
STYLES = {
    "text-align",
    "white-space",
    "min-width",
    "overflow-wrap",
    "overflow-x",
    "table-layout",
    "width",
    "margin-left",
}
LINK = re.compile(r"https?://|mailto:|#", re.IGNORECASE)
BESIDE = re.compile(
    r"data:image/(?:png|jpeg|gif|svg\+xml);base64,|(?![./\\])[\w./-]+\.(?:png|jpe?g|gif|svg)\Z"
)
IN_ORDER = re.compile(r"0\Z")  # a scrolling table can be reached by keyboard, in its turn
WITHIN = re.compile(r"(?!.*-\s*[\d.])", re.DOTALL)  # no negative length, which would lie over the page
COMMANDS = (
    "href|url|unicode|class|cssId|style|data|html(?:Id|Class|Style|Data)|require|includegraphics|mmlToken|"
    "bbox|enclose|texttip|mathtip|toggle|[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|"
    "(?:re)?newenvironment|csname|catcode|input|write|special"
)
LATEX = re.compile(rf"\\(?=(?:{COMMANDS})(?![A-Za-z]))")
MARKDOWN = (
    (re.compile(r"<(?=[A-Za-z/!?])"), "< "),  # a tag
    (re.compile(r"\](?=[(:])"), "] "),  # a link, a picture, and the address of either
    (re.compile(r"&(?=#|\w{1,40};)"), "& "),  # a character under another name
    (re.compile(r"://"), r":\\//"),  # an address that would become a link
)
TITLES = re.compile(r"\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?")
CONTROLS = re.compile(
    r"\x1b(?!\[[\d;]{0,30}m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


def text(value: object) -> str:
    """Plain text that a file can hold, colours kept, other orders to a terminal gone; of anything else
    nothing."""
    if not isinstance(value, str):
        return ""
    return CONTROLS.sub("", TITLES.sub("", value)).encode("utf-8", "replace").decode("utf-8")


def markdown(source: str) -> str:
    """Markdown that reads as before, where no tag, link, picture or dangerous LaTeX command begins.

    Each is broken by one character at its beginning, so that it stands there as text, whoever renders it.
    """
    for pattern, broken in MARKDOWN:
        source = pattern.sub(broken, source)
    return LATEX.sub(r"\\ ", source)


def html(source: str) -> str:
    """The tables and the text of a page; empty when nothing of it can be seen, or when it is too much."""
    if source.count("<") > MOST_TAGS:
        return ""
    cells = {"td": CELL, "th": CELL | {"scope"}, "table": {"style"}, "div": {"style", "tabindex"}}
    kept = nh3.clean(
        source,
        tags=TABLE | TEXT,
        attributes=cells,
        attribute_filter=_harmless,
        filter_style_properties=STYLES,
        url_schemes=set(),
        link_rel=None,
    )
    return LATEX.sub(r"\\ ", kept) if re.sub(r"<[^>]*>|\s", "", kept) else ""


def page(source: str) -> str:
    """A rendered page of the instructor's with formatting, pictures and links kept, for a second wall.

    A picture is in the page or beside it, since an address of the server's own can act; a link is absolute.
    """
    return nh3.clean(
        source,
        tags=PAGE,
        attributes={
            "*": {"class", "id", "title"},
            "a": {"href"},
            "img": {"src", "alt", "width", "height"},
            "td": CELL,
            "th": CELL | {"scope"},
        },
        attribute_filter=_harmless,
        filter_style_properties=STYLES,
        url_schemes={"http", "https", "mailto", "data"},
    )


def _harmless(tag: str, attribute: str, value: str) -> str | None:
    """The attribute's value, or None where it is an address that may act."""
    allowed = {"href": LINK, "src": BESIDE, "tabindex": IN_ORDER, "style": WITHIN}.get(attribute)
    return value if allowed is None or allowed.match(value) else None


def picture(encoded: str, mime: str) -> str:
    """The picture in base64 if it is one of this type and of a size that a browser can show, else nothing."""
    from PIL import Image

    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
        with Image.open(io.BytesIO(data), formats=[PICTURES[mime]]) as opened:
            fits = opened.width * opened.height <= MOST_PIXELS
    except Exception:  # whatever a reader of pictures says of a stranger's bytes
        return ""
    return base64.b64encode(data).decode("ascii") if fits else ""
