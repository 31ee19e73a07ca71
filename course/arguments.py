"""What the modules that define commands share: how options are written and lines are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from course.lesson.folder import CourseFolder
from course.text import say

Folder = Callable[[], CourseFolder]
Lesson = Annotated[str, typer.Argument(metavar="LESSON")]


def option(key: str, *names: str, **more: object) -> object:
    """An option, explained in the language spoken."""
    return typer.Option(*names, help=say(key), **more)


def print_lines(lines: Iterable[object]) -> None:
    """Print each, at once."""
    for line in lines:
        print(line, flush=True)
