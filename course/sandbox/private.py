"""What no student's process may see on whatever machine it runs: the grading user's home, Jupyter's folders,
exchanged work, and every copy of the course itself."""

from __future__ import annotations

import contextlib
import json
import os
import site
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlparse

PACKAGE = Path(__file__).parents[1]
# Where nbgrader keeps what students hand in, unless its configuration says otherwise.
EXCHANGES = (Path("/usr/local/share/nbgrader"), Path("/srv/nbgrader"))


@lru_cache(maxsize=1)
def private_folders() -> tuple[Path, ...]:
    """Those that exist here, each once."""
    found = [*_homes(), *_jupyter(), *EXCHANGES, *_copies_of_the_course()]
    return tuple(dict.fromkeys(path for path in found if os.path.isdir(path)))


def _homes() -> Iterator[Path]:
    """As the environment has it, and as the system has it."""
    with contextlib.suppress(RuntimeError):
        yield Path.home()
    with contextlib.suppress(ImportError, KeyError):
        import pwd

        yield Path(pwd.getpwuid(os.geteuid()).pw_dir)


def _jupyter() -> Iterator[Path]:
    """Settings, running servers with their tokens, data."""
    with contextlib.suppress(ImportError):
        from jupyter_core import paths

        yield from map(
            Path, [paths.jupyter_runtime_dir(), *paths.jupyter_path(), *paths.jupyter_config_path()]
        )


def _copies_of_the_course() -> Iterator[Path]:
    """The package `course` beside other packages; elsewhere the whole folder, a checkout with its masters."""
    for folder in {str(PACKAGE.parent), *sys.path, *_site_packages(), *_editable()}:
        place = Path(folder or ".").absolute()
        if os.path.isdir(place / PACKAGE.name / "sandbox"):
            yield place / PACKAGE.name if place.name in ("site-packages", "dist-packages") else place


def _site_packages() -> list[str]:
    return [*site.getsitepackages(), site.getusersitepackages()]


def _editable() -> Iterator[str]:
    """The folders that packages were installed from without being copied."""
    for packages in {*_site_packages(), *sys.path}:
        for about in Path(packages or ".").glob("*.dist-info/direct_url.json"):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
                found = json.loads(about.read_text(encoding="utf-8"))
                if found["dir_info"]["editable"]:
                    yield unquote(urlparse(found["url"]).path)
        for lines in Path(packages or ".").glob("*.pth"):
            with contextlib.suppress(OSError, ValueError):
                yield from (
                    os.path.join(packages, line.strip())
                    for line in lines.read_text(encoding="utf-8").splitlines()
                    if line.strip() and not line.startswith(("#", "import "))
                )
