"""A teacher's comment, which nbgrader's fields take as Markdown, as HTML that can do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

# no headings, since the page has its own; no pictures, since it loads nothing
TEXT = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a", "del"}
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
PLUGINS = ("strikethrough", "table", "url")


def html(comment: str) -> Markup:
    """The comment's Markdown; HTML in it, quoted from a student perhaps, is shown as text."""
    import mistune
    import nh3
    from markupsafe import Markup

    made = mistune.create_markdown(escape=True, hard_wrap=True, plugins=PLUGINS)(comment)
    return Markup(
        nh3.clean(made, tags=TEXT | TABLE, attributes={"a": {"href"}}, url_schemes={"https", "http"})
    )
