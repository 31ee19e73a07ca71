"""The folders of a course that no student's process may see: masters, everyone's work, the gradebook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from course.sandbox.sandbox import require_concealed
from course.sandbox.view import NotConcealed
from course.text import Problem

if TYPE_CHECKING:
    from traitlets.config import Config

CONFIGURATION = "nbgrader_config.py"
SQLITE = re.compile(r"sqlite(?:\+\w+)?://[^/]*/(?P<path>[^?]*)(?:\?.*)?")


def secret_folders(root: Path, database: str, config: Config) -> tuple[Path, ...]:
    """The course folder, the gradebook's, and every other that nbgrader is told to keep work in."""
    found = [root, *_of_database(database), *_of_nbgrader(root, config)]
    for other in _system_wide():
        found += _of_nbgrader(root, other)
    return tuple(dict.fromkeys(path.resolve() for path in found))


def refuse_to_show(hidden: tuple[Path, ...]) -> None:
    """Raise Problem, which names the way out, when one of these folders cannot be kept out of the sandbox."""
    try:
        require_concealed(hidden)
    except NotConcealed as problem:
        raise Problem("grade.not_concealed", folder=problem.folder, needed=problem.needed) from None


def _of_database(url: str) -> Iterator[Path]:
    """Where the gradebook is a file, the folder it lies in; SQLAlchemy, which knows too, is slow to load."""
    found = SQLITE.fullmatch(url)
    if found and found["path"] not in ("", ":memory:"):
        yield Path(found["path"].removeprefix("file:")).absolute().parent


def _of_nbgrader(root: Path, config: Config) -> Iterator[Path]:
    """Folders of hand-ins, graded work and feedback, and the exchange with its cache."""
    directory = config.CourseDirectory
    top = root / _text(directory.get("root", ""))
    yield from (top / _text(value) for name, value in directory.items() if name.endswith("_directory"))
    for section, values in config.items():
        if section.startswith("Exchange"):
            yield from (Path(values[name]) for name in ("root", "cache") if _text(values.get(name)))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _system_wide() -> Iterator[Config]:
    """nbgrader's configuration of this machine and user, beside the course's own."""
    from jupyter_core.paths import jupyter_config_path
    from traitlets.config.loader import PyFileConfigLoader

    for folder in map(Path, jupyter_config_path()):
        if (folder / CONFIGURATION).is_file():
            yield PyFileConfigLoader(str(folder / CONFIGURATION)).load_config()
