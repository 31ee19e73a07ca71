"""The course folder: where everything stands, and the nbgrader configuration that goes with a language."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from course.lesson.assignment import Assignment
from course.text import Problem
from helpers.text import LANGUAGES, Language

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

CONFIGURATION = "nbgrader_config.py"
MASTER_LANGUAGE: Language = "zh"
TWIN_LANGUAGES: tuple[Language, ...] = tuple(lang for lang in LANGUAGES if lang != MASTER_LANGUAGE)


@dataclass(frozen=True)
class CourseFolder:
    """A folder that holds a course: masters in `source/`, and all that is made from them."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> CourseFolder:
        """The course folder that `start` (here, unless told otherwise) lies in."""
        here = (start or Path.cwd()).resolve()
        if start is not None and not here.is_dir():
            raise Problem("folder.missing", path=start)
        for folder in (here, *here.parents):
            if (folder / CONFIGURATION).is_file() and (folder / "source").is_dir():
                return cls(folder)
        raise Problem("folder.no_course", path=here)

    def master(self, lesson: str, language: Language = MASTER_LANGUAGE) -> Path:
        """The notebook with answers and hidden tests."""
        return self.root / "source" / language / lesson / f"{lesson}.ipynb"

    def released(self, lesson: str, language: Language) -> Path:
        """The notebook that students get."""
        return self.root / "release" / language / lesson / f"{lesson}.ipynb"

    def submitted(self, student: str, lesson: str) -> Path:
        """The notebook that a student handed in."""
        return self.root / "submitted" / student / lesson / f"{lesson}.ipynb"

    def autograded(self, student: str, lesson: str) -> Path:
        """The submission as it was graded."""
        return self.root / "autograded" / student / lesson / f"{lesson}.ipynb"

    def feedback(self, student: str, lesson: str) -> Path:
        """The page that the student gets."""
        return self.root / "feedback" / student / lesson / f"{lesson}.html"

    def relative(self, path: Path) -> Path:
        """The path as seen from the course folder, for messages."""
        return path.relative_to(self.root)

    @property
    def gradebook(self) -> Path:
        """The file with every grade."""
        return self.root / "gradebook.db"

    @property
    def database(self) -> str:
        """The URL of that database, or of another that the configuration names."""
        named = self.config(MASTER_LANGUAGE).CourseDirectory.get("db_url")
        return str(named) if named else f"sqlite:///{self.gradebook}"

    def lessons(self) -> list[str]:
        """The names of all lessons, by their masters."""
        found = (self.root / "source" / MASTER_LANGUAGE).glob("*/*.ipynb")
        return sorted(path.stem for path in found if path.stem == path.parent.name)

    def lesson(self, wanted: str) -> str:
        """`wanted`, if there is such a lesson."""
        known = self.lessons()
        if wanted not in known:
            raise Problem("folder.unknown_lesson", name=wanted, known=", ".join(known) or "-")
        return wanted

    def students(self, lesson: str) -> list[str]:
        """Everyone with a folder for this lesson under `submitted/`."""
        return sorted(
            path.parent.name for path in (self.root / "submitted").glob(f"*/{lesson}") if path.is_dir()
        )

    def assignment(self, lesson: str) -> Assignment:
        """The lesson's masters and releases as one value."""
        sources = {language: self.master(lesson, language) for language in LANGUAGES}
        sources = {language: path for language, path in sources.items() if path.is_file()}
        return Assignment.read(lesson, sources, {key: self.released(lesson, key) for key in sources})

    def config(self, language: Language, **directories: str) -> Config:
        """The course's nbgrader configuration for one language, with directories replaced as told."""
        from traitlets.config.loader import PyFileConfigLoader

        config = PyFileConfigLoader(str(self.root / CONFIGURATION)).load_config()
        config.CourseDirectory.root = str(self.root)
        config.CourseDirectory.source_directory = f"source/{language}"
        config.CourseDirectory.release_directory = f"release/{language}"
        for directory, path in directories.items():
            config.CourseDirectory[directory] = path
        return config

    def directory(self, lesson: str, language: Language, **directories: str) -> CourseDirectory:
        """nbgrader's view of this folder, for one lesson in one language."""
        from nbgrader.coursedir import CourseDirectory

        _find_alembic()
        directory = CourseDirectory(config=self.config(language, **directories))
        directory.assignment_id = lesson
        return directory


def _find_alembic() -> None:
    """nbgrader calls `alembic` by name: search this Python's own folder of commands, activated or not."""
    commands = str(Path(sys.executable).parent)
    if commands not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([commands, os.environ.get("PATH", "")])
