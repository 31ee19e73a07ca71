"""The course folder: where everything stands, and the nbgrader configuration that goes with a language."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from course.lesson import files_beside
from course.lesson.assignment import Assignment
from course.lesson.secrets import LessonSecrets
from course.text import Problem
from helpers.lessons import Lesson
from helpers.text import Language

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

CONFIGURATION = "nbgrader_config.py"
MASTER_LANGUAGE: Language = "zh"
EDITION = re.compile(r"[a-z]{2,3}(?:-\w+)?")
INSTALLED = Path(__file__).parents[2]


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

    @property
    def languages(self) -> tuple[Language, ...]:
        """The editions that this course has, the master's first: the folders under `source/` named so."""
        found = {path.name for path in (self.root / "source").glob("*") if EDITION.fullmatch(path.name)}
        return (MASTER_LANGUAGE, *sorted(found - {MASTER_LANGUAGE}))

    @property
    def translations(self) -> tuple[Language, ...]:
        """The editions that are made from the master's."""
        return self.languages[1:]

    def master(self, lesson: str, language: Language = MASTER_LANGUAGE) -> Path:
        """The notebook with answers and hidden tests."""
        return self.root / "source" / language / lesson / f"{lesson}.ipynb"

    def released(self, lesson: str, language: Language) -> Path:
        """The notebook that students get."""
        return self.root / "release" / language / lesson / f"{lesson}.ipynb"

    def submitted(self, student: str, lesson: str) -> Path:
        """The notebook that a student handed in."""
        return self.root / "submitted" / student / lesson / f"{lesson}.ipynb"

    def refused(self, student: str, lesson: str) -> Path:
        """Why nothing of a student's could be taken; outside `submitted/`, where it would look like work."""
        return self.refusals(lesson) / f"{student}.json"

    def refusals(self, lesson: str) -> Path:
        """The folder of these."""
        return self.root / "collected" / lesson / "refused"

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
        """The names of all lessons by their masters, in the order in which they are taught."""
        found = (self.root / "source" / MASTER_LANGUAGE).glob("*/*.ipynb")
        names = (path.stem for path in found if path.stem == path.parent.name)
        return sorted(names, key=lambda name: (self._number(name), name))

    def lesson(self, wanted: str) -> str:
        """`wanted`, if there is such a lesson."""
        known = self.lessons()
        if wanted not in known:
            raise Problem("folder.unknown_lesson", name=wanted, known=", ".join(known) or "-")
        return wanted

    def public_half(self, lesson: str) -> Lesson:
        """What the lesson's file says, which students get; one without a file has no exercises."""
        path = self.public_file(lesson)
        return Lesson.read(path) if path.is_file() else Lesson(lesson, ())

    def public_file(self, lesson: str) -> Path:
        """The lesson's file."""
        return self._half("helpers", f"{lesson}.json")

    def secret_half(self, lesson: str) -> Path:
        """The folder with the lesson's mutants, sample class and builders, which students never get."""
        return self._half("course", lesson.replace("-", "_"))

    @property
    def public_halves(self) -> Path:
        """The folder with this course's own lesson files, if it has any."""
        return self.root / "helpers" / "lessons"

    def _half(self, package: str, name: str) -> Path:
        """Below this folder if it is there, else beside the installed package."""
        own = self.root / package / "lessons" / name
        return own if own.exists() else INSTALLED / package / "lessons" / name

    def _number(self, lesson: str) -> float:
        """Its place in the course; one that does not say comes last."""
        return self.public_half(lesson).number or math.inf

    def students(self, lesson: str) -> list[str]:
        """Everyone with a folder for this lesson under `submitted/`."""
        return sorted(
            path.parent.name for path in (self.root / "submitted").glob(f"*/{lesson}") if path.is_dir()
        )

    def graded(self, lesson: str) -> list[str]:
        """Everyone with a graded notebook of this lesson."""
        found = (self.root / "autograded").glob(f"*/{lesson}/{lesson}.ipynb")
        return sorted(path.parent.parent.name for path in found if path.is_file())

    def assignment(self, lesson: str) -> Assignment:
        """The lesson's masters and releases as one value."""
        sources = {language: self.master(lesson, language) for language in self.languages}
        sources = {language: path for language, path in sources.items() if path.is_file()}
        released = {key: self.released(lesson, key) for key in sources}
        made = Assignment.read(lesson, sources, released, self.secrets(lesson))
        return replace(made, files=files_beside.read(self.master(lesson)))

    def secrets(self, lesson: str) -> LessonSecrets:
        """What the lesson's secret half holds of wrong ideas."""
        return LessonSecrets.read(self.secret_half(lesson), lesson)

    @property
    def follow_through(self) -> bool:
        """Whether a concept that fails for a wrong idea already paid for keeps its points."""
        return bool(self.config(MASTER_LANGUAGE).Examine.get("follow_through", True))

    def config(self, language: Language, **directories: str) -> Config:
        """The course's nbgrader configuration for one language, with directories replaced as told."""
        from traitlets.config.loader import PyFileConfigLoader

        config = PyFileConfigLoader(str(self.root / CONFIGURATION)).load_config()
        _require_known_steps(config)
        config.CourseDirectory.root = str(self.root)
        config.CourseDirectory.source_directory = f"source/{language}"
        config.CourseDirectory.release_directory = f"release/{language}"
        for directory, path in directories.items():
            config.CourseDirectory[directory] = path
        return config

    def directory(self, lesson: str, language: Language, **directories: str) -> CourseDirectory:
        """nbgrader's view of this folder, for one lesson in one language."""
        from nbgrader.coursedir import CourseDirectory

        find_alembic()
        directory = CourseDirectory(config=self.config(language, **directories))
        directory.assignment_id = lesson
        return directory


def _require_known_steps(config: Config) -> None:
    """Refuse a configuration made for another version of the course, before nbgrader fails on it."""
    for name in _texts(config):
        if name.startswith("course.") and find_spec(name.rpartition(".")[0]) is None:
            raise Problem("folder.other_configuration", file=CONFIGURATION, name=name)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def find_alembic() -> None:
    """nbgrader calls `alembic` by name: search this Python's own folder of commands, activated or not."""
    commands = str(Path(sys.executable).parent)
    if commands not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([commands, os.environ.get("PATH", "")])
