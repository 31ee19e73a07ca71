"""Progress: a bar with rate and time left, for work that takes more than a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from course.text import say


@contextmanager
def bar(title: str, total: int, *, transient: bool = False) -> Iterator[Callable[[str], None]]:
    """A bar; call what it gives with the name of each thing done. A transient one is gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    console, started = Console(), time.monotonic()
    hidden = transient and not console.is_terminal
    with Progress(*columns, console=console, transient=transient, disable=hidden) as progress:
        task = progress.add_task(title, total=total, rate="")

        def advance(name: str) -> None:
            done = progress.tasks[task].completed + 1
            rate = say("grade.rate", rate=done / (time.monotonic() - started) * 60)
            progress.update(task, advance=1, description=name, rate=rate)

        yield advance
        progress.update(task, description=title)


def over(names: Sequence[str], title: str) -> Iterator[str]:
    """Each name in turn, under a bar that is gone at the end."""
    with bar(title, len(names), transient=True) as advance:
        for name in names:
            yield name
            advance(name)
