"""What nbgrader says while it works for us."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass, field


@dataclass
class NbgraderLog:
    """Its lines, kept, and shown only when something goes wrong."""

    lines: list[str] = field(default_factory=list)
    problem: BaseException | None = None  # the last one that it told of

    def logger(self) -> logging.Logger:
        """A logger that writes here and nowhere else."""
        logger = logging.Logger("course")
        handler = logging.Handler()
        handler.emit = self._hear
        logger.addHandler(handler)
        tables = logging.getLogger("tornado.application")  # where nbgrader's gradebook tells it once more
        tables.addHandler(logging.NullHandler())
        return logger

    def _hear(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        self.problem = sys.exc_info()[1] or self.problem

    def behind(self, *kinds: type[BaseException]) -> BaseException | None:
        """The last problem that it told of, or one that led to it, if that is of one of these kinds."""
        problem = self.problem
        while problem is not None and not isinstance(problem, kinds):
            problem = problem.__cause__ or problem.__context__
        return problem

    def reason(self) -> str:
        """nbgrader's reason: the last line of the last traceback, else the last thing said."""
        said = [text.strip() for text in self.lines if text.strip()]
        failures = [text for text in said if text.startswith("Traceback")]
        return (failures or said or [""])[-1].splitlines()[-1]
