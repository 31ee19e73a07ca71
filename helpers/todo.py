"""A TODO that is still empty: one calm line in a notebook, where Python would show a traceback."""

from __future__ import annotations

import traceback
from typing import Any

from helpers import lessons, session
from helpers.text import say

STUB = "TODO"


def calm() -> None:
    """From now on IPython says in one line that a TODO is empty; *Run all* still stops there."""
    shell = session.ipython()
    if shell is not None:
        shell.set_custom_exc((NotImplementedError,), _show)


def line(problem: BaseException) -> str:
    """What is still to be written, by the name of the function where there is one."""
    name = _raised_in(problem)
    return say("todo.value") if name.startswith("<") else say("todo.function", name=name)


def exercise(problem: BaseException | None) -> str | None:
    """The exercise whose empty TODO this is; None for any other problem, and for none."""
    if not isinstance(problem, NotImplementedError) or str(problem) != STUB:
        return None
    name = _raised_in(problem)
    found = (one.cell for lesson in lessons.every() for one in lesson.exercises if name in one.names)
    return next(found, None)


def _raised_in(problem: BaseException) -> str:
    """The function that the problem comes from; `<module>` where it comes from none."""
    frames = traceback.extract_tb(problem.__traceback__)
    return frames[-1].name if frames else "<module>"


def _show(shell: Any, kind: type[BaseException], problem: BaseException, trace: Any, **_: Any) -> list[str]:
    if str(problem) == STUB:
        problem._render_traceback_ = lambda: [line(problem)]
    shell.showtraceback((kind, problem, trace))
    return []
