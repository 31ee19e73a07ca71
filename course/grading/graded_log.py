"""The log beside a graded notebook: which bytes were graded, by what, and which limits they met.

It is written last, so what it names is done. A later run looks into it: a submission is graded anew when
something that made its grade is another one now.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

import helpers
from course.grading.assessment import Assessment
from course.grading.pool import GradingSettings
from course.lesson.folder import CourseFolder
from course.submission.files import json_object

LOG = "graded.json"
ROOMS = ("grading", "lesson", "sandbox", "submission")


@dataclass(frozen=True)
class GradedBy:
    """What makes a grade beside the submission itself."""

    settings: GradingSettings
    grader: str

    @classmethod
    def of(cls, folder: CourseFolder, lesson: str, settings: GradingSettings) -> GradedBy:
        """These settings, and the grader as it is installed."""
        return cls(settings, fingerprint(folder.public_file(lesson)))

    def has_graded(self, notebook: Path, data: bytes) -> bool:
        """True when the graded notebook at this path came of these bytes, and would again.

        A limit counts only where it was met, and only when it is higher now: who was graded in time keeps
        that under a lower one.
        """
        log = read(notebook)
        same = came_of(notebook, data) and all(log.get(name) == value for name, value in self._made().items())
        return same and not any(self._raised(log)) and notebook.is_file()

    def log(self, student: str, assessment: Assessment) -> bytes:
        """The log of a submission that was graded just now."""
        told = {
            "student": student,
            "lesson": self.settings.assignment.lesson,
            "graded_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "seconds": round(assessment.seconds, 3),
            "points": assessment.points,
            "max_points": assessment.max_points,
            "isolated": assessment.isolated,
            "language": assessment.language,
            "notes": [asdict(note) for note in assessment.notes],
            "submission_sha256": assessment.submission_sha256,
            "limits_met": {name: getattr(self.settings.limits, name) for name in assessment.limits_met},
            **self._made(),
        }
        return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")

    def _made(self) -> dict[str, object]:
        return {
            "assignment": self.settings.assignment.digest,
            "every_cell": self.settings.every_cell,
            "follow_through": self.settings.follow_through,
            "grader": self.grader,
        }

    def _raised(self, log: Mapping) -> Iterator[bool]:
        met = log.get("limits_met")
        for name, value in met.items() if isinstance(met, dict) else ():
            yield getattr(self.settings.limits, name, value) > value


def read(notebook: Path) -> dict:
    """The log beside this graded notebook; empty where there is none that can be read."""
    return json_object(notebook.with_name(LOG))


def came_of(notebook: Path, data: bytes) -> bool:
    """True when the log says that the graded notebook at this path came of these bytes."""
    return read(notebook).get("submission_sha256") == hashlib.sha256(data).hexdigest()


def fingerprint(public_half: Path) -> str:
    """The code that grades: this package's rooms for it, `helpers` with the checks, the lesson's file."""
    helpers_folder, course_folder = Path(helpers.__file__).parent, Path(__file__).parents[1]
    folders = [helpers_folder, *(course_folder / room for room in ROOMS)]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    digest = hashlib.sha256()
    for path in (*paths, public_half):
        digest.update(path.read_bytes() if path.is_file() else b"")
        digest.update(b"\0")
    return digest.hexdigest()
