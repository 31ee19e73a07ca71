"""A small course in a folder of its own, and the `course` command run in it as a person would."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from classroom import LESSON, ROOT

COURSE = "from course.cli import main; main()"


@dataclass(frozen=True)
class Workshop:
    """A course folder."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> Workshop:
        """A copy of this checkout's course, released."""
        root.mkdir(parents=True)
        for language in ("zh", "en"):
            shutil.copytree(ROOT / "source" / language / LESSON, root / "source" / language / LESSON)
        shutil.copy(ROOT / "nbgrader_config.py", root)
        made = cls(root)
        made.course("release", LESSON)
        return made

    def copied(self, root: Path) -> Workshop:
        """The same course once more."""
        shutil.copytree(self.root, root)
        return Workshop(root)

    def hand_in(self, student: str, notebook: dict | bytes) -> Path:
        """Put a submission where `course grade` finds it."""
        path = self.root / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        data = notebook if isinstance(notebook, bytes) else json.dumps(notebook, ensure_ascii=False).encode()
        path.write_bytes(data)
        return path

    def course(self, *words: str, expect: int | None = 0, seconds: float = 600) -> str:
        """Run the command; its output."""
        done = subprocess.run(
            self.command(*words),
            cwd=self.root,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert expect is None or done.returncode == expect, done.stdout + done.stderr
        return done.stdout + done.stderr

    def start(self, *words: str) -> subprocess.Popen:
        """Start the command and leave it running."""
        return subprocess.Popen(
            self.command(*words), cwd=self.root, env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-c", COURSE, "--language", "en", *words]

    def scores(self, what: str = "auto_score") -> dict[str, dict[str, float | None]]:
        """Everyone's scores by the name of the cell."""
        return scores(self.root / "gradebook.db", what)

    def points(self) -> dict[str, float]:
        """Everyone's automatic points."""
        return {who: sum(value or 0.0 for value in found.values()) for who, found in self.scores().items()}

    def graded(self, student: str) -> str:
        """The text of the graded notebook."""
        return (self.root / "autograded" / student / LESSON / f"{LESSON}.ipynb").read_text("utf-8")


def environment() -> dict[str, str]:
    commands = str(Path(sys.executable).parent)
    return {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}


def scores(gradebook: Path, what: str = "auto_score") -> dict[str, dict[str, float | None]]:
    with contextlib.closing(sqlite3.connect(gradebook)) as book:
        rows = book.execute(
            f"SELECT sa.student_id, c.name, g.{what} FROM grade g JOIN base_cell c ON c.id = g.cell_id "
            "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        ).fetchall()
    found: dict[str, dict[str, float | None]] = {}
    for student, cell, score in rows:
        found.setdefault(student, {})[cell] = score
    return found
