"""Our steps in nbgrader's pipeline, put there by `nbgrader_config.py`: formgrader's buttons take them too."""

from __future__ import annotations

from pathlib import Path

from nbconvert.exporters import Exporter, NotebookExporter
from nbformat import NotebookNode, from_dict
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from course.authoring.release import tidy
from course.grading import assessment, examiner
from course.lesson import notebooks
from course.lesson.assignment import Assignment
from course.lesson.folder import CourseFolder
from course.reporting import feedback
from course.sandbox.sandbox import Sandbox
from course.sandbox.unsandboxed import Unsandboxed
from course.submission import files, rebuilding

Result = tuple[NotebookNode, dict]


class Tidy(NbGraderPreprocessor):
    """Takes off a release what only masters need, so that it is the same bytes each time."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> Result:
        return tidy(nb), resources


class SubmissionExporter(NotebookExporter):
    """Reads what a student handed in, whatever an editor made of the file, and rebuilds it around the
    master's cells."""

    def from_filename(self, filename: str, resources: dict | None = None, **kw: object) -> tuple[str, dict]:
        resources = dict(resources or {})
        resources.setdefault("metadata", {"name": Path(filename).stem, "path": str(Path(filename).parent)})
        try:
            data, _ = files.read_regular(Path(filename), course_of(self).root)
        except files.NotRegular as problem:
            raise OSError(f"{filename}: {problem}") from None
        rebuilt = assessment.rebuilt(data, _assignment(self, resources))
        return self.from_notebook_node(from_dict(rebuilt.notebook()), resources=resources, **kw)


class Examine(NbGraderPreprocessor):
    """Runs the student's cells in the sandbox and the hidden tests beside it, in place of nbgrader's
    Execute."""

    trust_submissions = Bool(
        False, help="Run students' code with your own rights where no sandbox exists."
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> Result:
        rebuilt = rebuilding.rebuild(nb, _assignment(self, resources))
        with Unsandboxed() if self.trust_submissions else Sandbox() as sandbox:
            examined = from_dict(examiner.examine(rebuilt, sandbox).notebook)
        notes = nb.metadata.get(notebooks.METADATA, {}).get("notes", [])
        nb.cells = examined.cells
        nb.metadata[notebooks.METADATA] = {**examined.metadata[notebooks.METADATA], "notes": notes}
        return nb, resources


class FeedbackExporter(Exporter):
    """Writes our page in place of nbgrader's, which shows hidden tests and lets a student's HTML through."""

    output_mimetype = "text/html"

    def _file_extension_default(self) -> str:
        return ".html"

    def from_filename(self, filename: str, resources: dict | None = None, **kw: object) -> tuple[str, dict]:
        where = (resources or {})["nbgrader"]
        page = feedback.page(course_of(self), where["assignment"], where["student"])
        return page, {**(resources or {}), "output_extension": ".html"}


def course_of(step: object) -> CourseFolder:
    """The course folder that a step works for, through the nbgrader converter that owns it."""
    while not hasattr(step, "coursedir"):
        step = step.parent
    return CourseFolder(Path(step.coursedir.root))


def _assignment(step: object, resources: dict) -> Assignment:
    return course_of(step).assignment(resources["nbgrader"]["assignment"])
