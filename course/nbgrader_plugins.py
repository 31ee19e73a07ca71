"""Our steps in nbgrader's pipeline, put there by `nbgrader_config.py`: formgrader's buttons take them too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import pass_context
from nbconvert.exporters import Exporter, NotebookExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode, from_dict
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from course.authoring.release import tidy
from course.grading import examiner, sittings
from course.grading.secret_folders import refuse_to_show, secret_folders
from course.lesson import files_beside
from course.lesson.assignment import Assignment
from course.lesson.folder import CourseFolder
from course.reporting import feedback
from course.sandbox.sandbox import Sandbox
from course.sandbox.unsandboxed import Unsandboxed
from course.submission import files, inert
from course.submission.hand_in import HandIn

Result = tuple[NotebookNode, dict]
HAND_IN = "iteration_budget_hand_in"


class Tidy(NbGraderPreprocessor):
    """Takes off a release what only masters need, so that it is the same bytes each time."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> Result:
        return tidy(nb), resources


@dataclass(frozen=True)
class _ReadFile:
    """The file that was read last, whose it is, and what it came to."""

    path: Path
    whose: dict
    hand_in: HandIn


class SubmissionExporter(NotebookExporter):
    """Reads what a student handed in, whatever an editor made of the file, and rebuilds it around the
    master's cells.

    nbgrader converts a submission twice: the file in `submitted/` into one in `autograded/`, and that one
    again, with the grading steps. The second time, what was learned the first time is still known.
    """

    _last: _ReadFile | None = None

    def from_filename(self, filename: str, resources: dict | None = None, **kw: object) -> tuple[str, dict]:
        resources = dict(resources or {})
        resources.setdefault("metadata", {"name": Path(filename).stem, "path": str(Path(filename).parent)})
        resources[HAND_IN] = hand_in = self._read(Path(filename), resources["nbgrader"])
        notebook = from_dict(hand_in.rebuilt.notebook())
        return self.from_notebook_node(notebook, resources=resources, **kw)

    def _read(self, path: Path, whose: dict) -> HandIn:
        last = self._last
        if last is None or last.whose != whose or last.path == path:
            course = course_of(self)
            _remove_copies(course, path, whose)
            try:
                data, _ = files.read_regular(path, course.root)
            except files.NotRegular as problem:
                raise OSError(f"{path}: {problem}") from None
            self._last = last = _ReadFile(path, whose, HandIn.of(data, self._assignment(course, whose)))
        return last.hand_in

    def _assignment(self, course: CourseFolder, whose: Mapping) -> Assignment:
        """As this class sits it; nbgrader has made the gradebook by now."""
        lesson, database = whose["assignment"], directory_of(self).db_url
        return course.assignment(lesson).at(sittings.keep(database, sittings.sitting(database, lesson)))


class Examine(NbGraderPreprocessor):
    """Runs the student's cells in the sandbox and the hidden tests beside it, in place of nbgrader's
    Execute."""

    trust_submissions = Bool(
        False, help="Run students' code with your own rights where no sandbox exists."
    ).tag(config=True)

    follow_through = Bool(
        True, help="Whether a concept that fails for a wrong idea already paid for keeps its points."
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> Result:
        files = files_beside.read(course_of(self).master(resources["nbgrader"]["assignment"]))
        room = Unsandboxed(files=files) if self.trust_submissions else self._sandbox(files)
        with room as sandbox, files_beside.at_hand(files):
            found = examiner.examine(resources[HAND_IN].rebuilt, sandbox, follow_through=self.follow_through)
            examined = from_dict(found.notebook)
        nb.cells, nb.metadata = examined.cells, examined.metadata
        return nb, resources

    def _sandbox(self, files: Mapping[str, bytes]) -> Sandbox:
        """One that conceals the course and all that nbgrader keeps of it; raises Problem where none can."""
        course, database = course_of(self), directory_of(self).db_url
        hidden = secret_folders(course.root, database, self.config)
        refuse_to_show(hidden)
        return Sandbox(hidden=hidden, files=files)


class FeedbackExporter(Exporter):
    """Writes our page in place of nbgrader's, which shows hidden tests and lets a student's HTML through."""

    output_mimetype = "text/html"

    def _file_extension_default(self) -> str:
        return ".html"

    def from_filename(self, filename: str, resources: dict | None = None, **kw: object) -> tuple[str, dict]:
        where = (resources or {})["nbgrader"]
        page = feedback.page(course_of(self), where["assignment"], where["student"])
        return page, {**(resources or {}), "output_extension": ".html"}


def inert_html(page: object) -> str:
    """nbconvert's filter `clean_html`, with what a lesson's text and outputs are made of allowed."""
    return inert.page(page.decode() if isinstance(page, bytes) else str(page))


@pass_context
def inert_markdown(context: Mapping, source: str) -> str:
    """nbconvert's filter `markdown2html`, cleaned: formgrader's template forgets to."""
    attachments = context.get("cell", {}).get("attachments", {})
    renderer = IPythonRenderer(escape=False, attachments=attachments, exclude_anchor_links=True)
    return inert.page(MarkdownWithMath(renderer=renderer).render(source))


def _remove_copies(course: CourseFolder, submitted: Path, whose: Mapping) -> None:
    """Take away what nbgrader copied from beside a submission: formgrader serves it with the rights of its
    user. What lies beside the master stays."""
    lesson = whose["assignment"]
    graded, master = course.autograded(whose["student"], lesson).parent, course.master(lesson).parent
    for path in submitted.parent.rglob("*") if submitted.parent != graded else ():
        place = path.relative_to(submitted.parent)
        if path.suffix != ".ipynb" and (graded / place).is_file() and not (master / place).is_file():
            (graded / place).unlink()


def course_of(step: object) -> CourseFolder:
    """The course folder that a step works for."""
    return CourseFolder(Path(directory_of(step).root))


def directory_of(step: object) -> CourseDirectory:
    """nbgrader's view of that folder, through the converter that owns the step."""
    while not hasattr(step, "coursedir"):
        step = step.parent
    return step.coursedir
