"""Publish: the bundle that students get, a static folder and a zip of it, the same bytes each time."""

from __future__ import annotations

import hashlib
import sys
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from course.lesson import files_beside, notebooks
from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.publishing import links, self_study, wheel
from course.publishing.links import Place
from course.publishing.wheel import Wheel
from course.reporting.feedback import PAGES
from course.text import Problem, say, say_in
from helpers import platforms
from helpers.lessons import Lesson
from helpers.text import Language
from helpers.writing import write_all

BUNDLE = "bundle"
SELF_STUDY = "self-study"
ZIP = "iteration-budget.zip"
CHECKSUMS = "SHA256SUMS"
NO_ADDRESS = 'WHEEL = ""'
SETUP = "setup"
TUTOR = Path(__file__).parent / "AGENTS.md"


@dataclass(frozen=True)
class LessonLink:
    """One lesson on the start page of one language; `half` is what its public file says about it."""

    name: str
    title: str
    half: Lesson | None
    path: str
    buttons: tuple[tuple[str, str], ...]
    reading: tuple[tuple[str, str], ...]
    browser: str | None


def run(folder: CourseFolder, to: Path, check_only: bool, alone: bool = False) -> int:
    """Write the bundle and say what changed, or only say what is not current; the exit code."""
    shown = to.relative_to(folder.root) if to.is_relative_to(folder.root) else to
    files = bundle(folder, alone, to)
    stale = differences(files, to) if check_only else []
    for name in stale:
        print(say("publish.stale", path=shown / name))
    if stale:
        print(say("publish.not_current", count=len(stale)), file=sys.stderr)
        return 1
    for path in [] if check_only else write(files, to):
        print(
            say("publish.written" if path.exists() else "publish.removed", path=shown / path.relative_to(to))
        )
    print(say("publish.current", path=shown), size_line(files))
    place = links.place(folder.root)
    if not place.repository:
        print(say("publish.missing", names=", ".join(place.missing)))
    if place != place.beside(to, _notebooks(folder)):
        print(say("publish.no_site", path=shown / place.browser))
    return 0


def bundle(folder: CourseFolder, alone: bool = False, to: Path | None = None) -> dict[str, bytes]:
    """Every file of the bundle by its path in it; `alone`: in the edition for those who learn alone.

    `to` is the folder it is for: only a browser site that lies there gets a button.
    """
    place, built = links.place(folder.root), wheel.build(folder.root)
    files = {built.name: built.content, TUTOR.name: TUTOR.read_bytes()}
    for language in folder.languages:
        for lesson in folder.lessons():
            files[path_of(language, lesson)] = released(folder, lesson, language, place, built, alone)
            beside = files_beside.of(folder.master(lesson, language))
            files |= {
                f"{language}/{lesson}/{at.as_posix()}": path.read_bytes() for at, path in beside.items()
            }
    files[ZIP] = wheel.zipped({**files, **_start_pages(folder, place.unpacked, built)})
    here = place.beside(to or folder.root / BUNDLE, _notebooks(folder))
    files |= _start_pages(folder, here, built)
    files[CHECKSUMS] = _checksums(files)
    return files


def write(files: Mapping[str, bytes], to: Path) -> list[Path]:
    """Write a bundle; returns the files that changed. Files that no longer belong to it are removed."""
    _refuse_foreign(to)
    stale = [path for path in _existing(to) if path.relative_to(to).as_posix() not in files]
    written = write_all({to / name: content for name, content in files.items()})
    for path in stale:
        path.unlink()
    return [*stale, *written]


def differences(files: Mapping[str, bytes], to: Path) -> list[str]:
    """The files in which the bundle on the disk differs from this one."""
    there = {path.relative_to(to).as_posix(): path.read_bytes() for path in _existing(to)}
    return sorted(name for name in {**files, **there} if files.get(name) != there.get(name))


def path_of(language: Language, lesson: str) -> str:
    """Where a lesson lies in the bundle."""
    return f"{language}/{lesson}/{lesson}.ipynb"


def _notebooks(folder: CourseFolder) -> list[str]:
    return [path_of(language, lesson) for language in folder.languages for lesson in folder.lessons()]


def released(
    folder: CourseFolder, lesson: str, language: Language, place: Place, built: Wheel, alone: bool = False
) -> bytes:
    """The released notebook, its first cell told where the wheel can be fetched; Colab's AI is off in it."""
    path = folder.released(lesson, language)
    if not path.is_file():
        raise Problem("release.absent", path=folder.relative(path))
    notebook = notebooks.load(path)
    notebook.metadata.setdefault("colab", {})["generative_ai_disabled"] = True
    for cell in notebook.cells:
        if cell.get("id") == SETUP and place.base:
            cell.source = cell.source.replace(NO_ADDRESS, f'WHEEL = "{place.base}{built.name}"')
    edition = self_study.edition(folder, lesson, language, notebook) if alone else notebook
    return notebooks.dumps(edition).encode("utf-8")


def _start_pages(folder: CourseFolder, place: Place, built: Wheel) -> dict[str, bytes]:
    return {
        start(language): start_page(folder, language, place, built).encode("utf-8")
        for language in folder.languages
    }


def start(language: Language) -> str:
    """The file name of the start page in one language."""
    return "index.html" if language == MASTER_LANGUAGE else f"index.{language}.html"


def start_page(folder: CourseFolder, language: Language, place: Place, built: Wheel) -> str:
    """The start page in one language."""
    pages = Environment(
        loader=FileSystemLoader(PAGES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    languages = folder.languages
    other = languages[(languages.index(language) + 1) % len(languages)]
    script = (PAGES / "path.js").read_text(encoding="utf-8")
    return pages.get_template("start.html").render(
        script=script,
        script_digest=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        say=partial(say_in, language),
        language=language,
        other=start(other),
        other_language=other,
        style=(PAGES / "style.css").read_text(encoding="utf-8"),
        entries=[_entry(folder, lesson, language, place) for lesson in folder.lessons()],
        place=place,
        wheel=built.name,
        zip=ZIP,
        tutor=TUTOR.name,
        checksums=CHECKSUMS,
        kept=lambda stays: say_in(language, f"platform.kept.{stays}"),
        facts=[platforms.FACTS[name] for name in platforms.PLATFORMS if name != "local"],
    )


def _entry(folder: CourseFolder, lesson: str, language: Language, place: Place) -> LessonLink:
    path = path_of(language, lesson)
    made = [(form, place.open_in(form, path)) for form in links.FORMS]
    half = folder.public_halves / f"{lesson}.json"
    return LessonLink(
        name=lesson,
        half=Lesson.read(half) if half.is_file() else None,
        title=notebooks.title(notebooks.load(folder.released(lesson, language))) or lesson,
        path=path,
        buttons=tuple((form.title, link) for form, link in made if link and form.runs),
        reading=tuple((form.title, link) for form, link in made if link and not form.runs),
        browser=place.in_browser(path),
    )


def _checksums(files: Mapping[str, bytes]) -> bytes:
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines).encode("utf-8")


def _existing(to: Path) -> list[Path]:
    return sorted(path for path in to.rglob("*") if path.is_file() and _ours(path.relative_to(to)))


def _ours(path: Path) -> bool:
    """Whether a file in the destination is the bundle's to write and to remove; the browser site is not."""
    return path.parts[0] not in ("lite", ".git") and path.name != ".gitignore"


def _refuse_foreign(to: Path) -> None:
    """A folder that holds something else than a bundle is left alone."""
    if _existing(to) and not (to / CHECKSUMS).is_file():
        raise Problem("publish.foreign", path=to)


def size_line(files: Mapping[str, bytes]) -> str:
    """How many files and bytes a bundle has."""
    kilobytes = round(sum(map(len, files.values())) / 1000)
    return say("publish.size", count=len(files), kilobytes=kilobytes)
