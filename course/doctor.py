"""The doctor: what is installed, what is missing, how to get it. Imports nothing that it looks for."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from course.lesson.folder import MASTER_LANGUAGE, CourseFolder
from course.sandbox import memory_group
from course.sandbox.sandbox import unavailable
from course.text import say

OLDEST, NEWEST = (3, 10), (3, 13)
DISTRIBUTION = "iteration-budget"
PROJECT = Path(__file__).parents[1]
LESSONS, GRADING, TEST = "lessons", "grading", "test"
NEEDED = (LESSONS, GRADING)
BROWSER = "browser"
PROGRAMS = {"chromium": TEST, "bwrap": GRADING, "npm": BROWSER}
DEBIAN = {"chromium": "chromium", "bwrap": "bubblewrap", "npm": "npm"}
CHINESE_FONTS = ("fc-list", ":lang=zh", "family")

MARKS = {
    (True, True): "[green]✓[/green]",
    (True, False): "[green]✓[/green]",
    (False, True): "[red]✗[/red]",
    (False, False): "[yellow]–[/yellow]",
}


@dataclass(frozen=True)
class Requirement:
    """One thing looked for: what it is for, what was found, and how to get it if nothing was."""

    name: str
    group: str
    found: str = ""
    way_out: str = ""
    needed: bool = False

    @property
    def missing(self) -> bool:
        """True when it is needed and not there."""
        return self.needed and not self.found


def examine(course: CourseFolder | None = None) -> list[Requirement]:
    """Look for everything that some part of the course uses, and whether this course can be concealed."""
    concealed = [_concealed(course)] if course else []
    here = [_python(), *_packages(), _kernel(), *_programs(), _chinese_font()]
    return [*here, _sandbox(), _memory_group(), *concealed]


def show(findings: list[Requirement]) -> int:
    """Print the findings; 1 when something needed is missing, else 0."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=say("doctor.title"))
    for header in ("doctor.for", "doctor.what", "doctor.found"):
        table.add_column(say(header), overflow="fold")
    for finding in findings:
        found = f"{MARKS[finding.found != '', finding.needed]} {escape(finding.found)}"
        table.add_row(say(f"doctor.{finding.group}"), escape(finding.name), found)
    Console().print(table)
    for way_out, names in ways_out(findings).items():
        print(say("doctor.get", names=", ".join(names)), f"  {way_out}", sep="\n")
    missing = [finding.name for finding in findings if finding.missing]
    print(say("doctor.missing", names=", ".join(missing)) if missing else say("doctor.well"))
    return 1 if missing else 0


def ways_out(findings: list[Requirement]) -> dict[str, list[str]]:
    """Each piece of advice once, with what it brings; a line of its own, so that it can be copied whole."""
    lines: dict[str, list[str]] = {}
    for finding in findings:
        if finding.way_out:
            lines.setdefault(finding.way_out, []).append(finding.name)
    return lines


def install(extra: str = "") -> str:
    """The command that installs a part of the course: from the folder it lies in, as it is on no index."""
    wanted = f"[{extra}]" if extra else ""
    if (PROJECT / "pyproject.toml").is_file():
        return f"python -m pip install -e {shlex.quote(f'{PROJECT}{wanted}')}"
    return f"python -m pip install {shlex.quote(f'{DISTRIBUTION}{wanted}')}"


def _python() -> Requirement:
    version = ".".join(map(str, sys.version_info[:3]))
    fits = OLDEST <= sys.version_info[:2] <= NEWEST
    way_out = "" if fits else say("doctor.python", found=version)
    return Requirement("Python", "lessons", version if fits else "", way_out, needed=True)


def _packages() -> Iterator[Requirement]:
    """What the package's own metadata ask for, by what it is for; an extra is a group."""
    for group, name in sorted(_asked_for(), key=lambda pair: ((*NEEDED, *pair[:1]).index(pair[0]), pair)):
        found = _version(name)
        way_out = "" if found else install("" if group == LESSONS else group)
        yield Requirement(name, group, found, way_out, needed=group in NEEDED)


def _asked_for() -> Iterator[tuple[str, str]]:
    """Each package with its group; what another Python asks for is left out."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield LESSONS, DISTRIBUTION
        return
    for line in lines:
        extra = re.search(r"extra == ['\"](\w+)", line)
        if "python_version" not in line:
            yield extra[1] if extra else LESSONS, re.match(r"[\w.-]+", line)[0]


def _kernel() -> Requirement:
    """The Jupyter kernel that lessons name; grading starts it."""
    places = [Path(sys.prefix) / "share" / "jupyter" / "kernels" / "python3" / "kernel.json"]
    found = any(place.is_file() for place in places) or util.find_spec("ipykernel") is not None
    way_out = "" if found else "python -m ipykernel install --sys-prefix"
    return Requirement(say("doctor.kernel"), "grading", "python3" if found else "", way_out, needed=True)


def _programs() -> Iterator[Requirement]:
    for program, group in PROGRAMS.items():
        found = shutil.which(program) or ""
        way_out = "" if found else say("doctor.debian", package=DEBIAN[program])
        yield Requirement(program, group, found, way_out)


def _chinese_font() -> Requirement:
    """Whether a browser can draw Chinese here; pictures bring their own font."""
    families = ""
    if shutil.which(CHINESE_FONTS[0]):
        families = subprocess.run(CHINESE_FONTS, capture_output=True, text=True, check=False).stdout
    found = min(families.splitlines(), default="")
    way_out = "" if found else say("doctor.debian", package="fonts-noto-cjk")
    return Requirement(say("doctor.chinese_font"), TEST, found, way_out)


def _sandbox() -> Requirement:
    """Whether students' code can be isolated here; bubblewrap may be installed and not allowed to."""
    reason = unavailable()
    way_out = say("doctor.no_sandbox", reason=reason) if reason else ""
    return Requirement(say("doctor.sandbox"), "grading", "" if reason else "bubblewrap", way_out)


def _memory_group() -> Requirement:
    """Whether the kernel itself can hold a student's processes to their memory."""
    found = "cgroup" if memory_group.is_permitted() else ""
    way_out = "" if found else say("doctor.no_memory_group")
    return Requirement(say("doctor.memory_group"), GRADING, found, way_out)


def _concealed(course: CourseFolder) -> Requirement:
    """Whether students' code can be kept from seeing the course, wherever that lies."""
    try:
        from course.grading.secret_folders import refuse_to_show, secret_folders

        hidden = secret_folders(course.root, course.database, course.config(MASTER_LANGUAGE))
        refuse_to_show(hidden)
    except Exception as problem:  # a package that is missing, a configuration that cannot be read
        return Requirement(say("doctor.concealed"), GRADING, way_out=str(problem), needed=True)
    return Requirement(say("doctor.concealed"), GRADING, str(course.root), needed=True)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
