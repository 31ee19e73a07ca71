"""What nbgrader says while it works for us."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field


@dataclass
class NbgraderLog:
    """Its lines, kept, and shown only when something goes wrong."""

    lines: list[str] = field(default_factory=list)

    def logger(self) -> logging.Logger:
        """A logger that writes here and nowhere else."""
        logger = logging.Logger("course")
        handler = logging.Handler()
        handler.emit = lambda record: self.lines.append(record.getMessage())
        logger.addHandler(handler)
        return logger

    def reason(self) -> str:
        """nbgrader's reason: the last line of the last traceback, else the last thing said."""
        said = [text.strip() for text in self.lines if text.strip()]
        failures = [text for text in said if text.startswith("Traceback")]
        return (failures or said or [""])[-1].splitlines()[-1]
