"""Our steps in nbgrader's pipeline, put there by `nbgrader_config.py`: formgrader's buttons take them too."""

from __future__ import annotations

from pathlib import Path

from nbconvert.exporters import Exporter, NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute, NbGraderPreprocessor

from course import feedback, notebooks, submission
from course.folder import CourseFolder
from course.release import tidy
from helpers.text import LANGUAGES

NOTES = "course_notes"
Result = tuple[NotebookNode, dict]


class Tidy(NbGraderPreprocessor):
    """Takes off a release what only masters need, so that it is the same bytes each time."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> Result:
        return tidy(nb), resources


class SubmissionExporter(NotebookExporter):
    """Reads what a student handed in, whatever an editor made of the file."""

    def from_filename(self, filename: str, resources: dict | None = None, **kw: object) -> tuple[str, dict]:
        found = submission.read(Path(filename).read_bytes())
        resources = {**(resources or {}), NOTES: found.notes}
        resources.setdefault("metadata", {"name": Path(filename).stem, "path": str(Path(filename).parent)})
        return self.from_notebook_node(found.notebook, resources=resources, **kw)


class Rebuild(NbGraderPreprocessor):
    """Puts the master's checks around the student's cells and writes down what had to be put right."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> Result:
        folder, lesson = course_of(self), resources["nbgrader"]["assignment"]
        masters = {language: notebooks.load(folder.master(lesson, language)) for language in LANGUAGES}
        rebuilt = submission.rebuild(submission.Submission(nb, list(resources[NOTES])), masters)
        rebuilt.notebook.metadata[notebooks.METADATA]["notes"] = [vars(note) for note in rebuilt.notes]
        return rebuilt.notebook, resources


class Run(Execute):
    """Runs the notebook in a kernel; only an error then decides a check, and one that never ran failed."""

    def preprocess(self, nb: NotebookNode, resources: dict, km: object = None) -> Result:
        try:
            super().preprocess(nb, resources, km)
        except Exception as problem:
            if not any(cell.get("execution_count") for cell in nb.cells):
                raise
            self.log.warning("The kernel did not run to the end: %s", problem)
        for cell in filter(notebooks.is_grade, nb.cells):
            settle(cell)
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


def settle(cell: NotebookNode) -> None:
    """Leave in a graded cell nothing that nbgrader would take for a verdict but an error.

    nbgrader gives 0 to a cell that wrote to stderr, as warnings do, and takes a displayed value for points.
    """
    if notebooks.is_code(cell):
        cell.outputs = [output for output in cell.outputs if output.output_type != "execute_result"]
        for output in cell.outputs:
            if output.output_type == "stream":
                output.name = "stdout"
        failed = any(output.output_type == "error" for output in cell.outputs)
        if cell.execution_count is None and not failed:
            cell.outputs.append(new_output("error", ename="NotRun", evalue="", traceback=["NotRun"]))


def course_of(step: object) -> CourseFolder:
    """The course folder that a step works for, through the nbgrader converter that owns it."""
    while not hasattr(step, "coursedir"):
        step = step.parent
    return CourseFolder(Path(step.coursedir.root))
