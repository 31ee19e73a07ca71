"""Links that open a notebook on a platform: each form as the platform documents it, with source and date."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from course.lesson.toml import load_toml
from course.text import Problem

SETTINGS = "publish.toml"
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class Form:
    """How a platform's link is made from a repository, a branch and a path."""

    title: str
    template: str
    source: str
    checked: str
    runs: bool = True


FORMS: tuple[Form, ...] = (
    Form(
        "Google Colab",
        "https://colab.research.google.com/github/{repository}/blob/{branch}/{path}",
        "https://github.com/googlecolab/colabtools/blob/main/notebooks/colab-github-demo.ipynb",
        "2026-11-29",
    ),
    Form(
        "Kaggle",
        "https://kaggle.com/kernels/welcome?src=https://github.com/{repository}/blob/{branch}/{path}",
        "https://www.kaggle.com/docs/notebooks",
        "2026-11-29",
    ),
    Form(
        "SageMaker Studio Lab",
        "https://studiolab.sagemaker.aws/import/github/{repository}/blob/{branch}/{path}",
        "https://github.com/aws/studio-lab-examples/blob/main/open-in-studio-lab/README.md",
        "2026-11-29",
    ),
    Form(
        "nbviewer",
        "https://nbviewer.org/github/{repository}/blob/{branch}/{path}",
        "https://nbviewer.org/faq",
        "2026-11-29",
        runs=False,
    ),
)


@dataclass(frozen=True)
class Place:
    """Where the bundle is published; everything may be empty."""

    repository: str = ""
    branch: str = "main"
    folder: str = ""
    address: str = ""
    browser: str = ""
    packages: str = "https://cdn.jsdelivr.net/pyodide/v314.0.6/full/"

    @property
    def base(self) -> str:
        """The address under which the bundle's files can be fetched; empty if there is none."""
        if self.address or not self.repository:
            return self.address
        branch, folder = quote(self.branch), f"{quote(self.folder)}/" if self.folder else ""
        return f"https://raw.githubusercontent.com/{self.repository}/{branch}/{folder}"

    @property
    def missing(self) -> tuple[str, ...]:
        """The settings without which a button or a line is left out."""
        return tuple(name for name in ("repository", "address") if not getattr(self, name))

    def open_in(self, form: Form, path: str) -> str | None:
        """The link that opens the bundle's file on the platform; None without a repository."""
        if not self.repository:
            return None
        whole = f"{self.folder}/{path}" if self.folder else path
        return form.template.format(repository=self.repository, branch=quote(self.branch), path=quote(whole))

    def in_browser(self, path: str) -> str | None:
        """The link that opens the bundle's file in the browser site; None where there is no such site."""
        return f"{self.browser}notebooks/index.html?path={quote(path)}" if self.browser else None

    def beside(self, to: Path, paths: Iterable[str]) -> Place:
        """The same place as a page in this folder sees it: a browser site that is not there, or lacks one of
        these notebooks, is none."""
        if not self.browser or self.browser.startswith("http"):
            return self
        served = to / self.browser / "files"
        return self if all((served / path).is_file() for path in paths) else self.unpacked

    @property
    def unpacked(self) -> Place:
        """The same place for a page out of the zip: a browser site beside the page is not in it."""
        return self if self.browser.startswith("http") else replace(self, browser="")


def place(root: Path) -> Place:
    """The place that publish.toml names; an empty one without that file."""
    path = root / SETTINGS
    if not path.is_file():
        return Place()
    try:
        found = load_toml(path)
    except ValueError as error:
        raise Problem("publish.bad_toml", path=SETTINGS, reason=error) from None
    unknown = set(found) - set(Place.__dataclass_fields__)
    for name in sorted(unknown):
        raise Problem("publish.unknown_setting", name=name, known=", ".join(Place.__dataclass_fields__))
    return _checked(Place(**{name: str(value).strip() for name, value in found.items()}))


def _checked(found: Place) -> Place:
    if found.repository and not REPOSITORY.fullmatch(found.repository):
        raise Problem("publish.bad_repository", got=found.repository)
    for name in ("address", "browser", "packages"):
        value = getattr(found, name)
        beside = name == "browser" and re.fullmatch(r"[\w-]+/", value)
        if value and not beside and not re.fullmatch(r"https?://\S+/", value):
            raise Problem("publish.bad_address", name=name, got=value)
    if found.repository and not found.branch:
        raise Problem("publish.no_branch")
    return Place(**{**found.__dict__, "folder": found.folder.strip("/")})
