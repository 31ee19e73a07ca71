"""What formgrader (`jupyter lab` in this folder), `nbgrader` and the `course` command share.

COURSE_LANGUAGE=zh or en picks source/ and release/; gradebook, submitted/ and autograded/ know no language.
"""

from pathlib import Path

from course.text import chosen_language

LANGUAGE = chosen_language()
STUB = """# TODO 在这里写你的代码 · write your code here
raise NotImplementedError("TODO")"""

c = get_config()  # noqa: F821

c.CourseDirectory.root = str(Path(__file__).parent.resolve())
c.CourseDirectory.course_id = "iteration-budget"
c.CourseDirectory.source_directory = f"source/{LANGUAGE}"
c.CourseDirectory.release_directory = f"release/{LANGUAGE}"


# Master → release
c.ClearSolutions.code_stub = {"python": STUB}
c.ClearSolutions.text_stub = "TODO 在这里写你的回答 · write your answer here"
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "course.nbgrader_plugins.Tidy",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Submission → grades
c.Autograde.exporter_class = "course.nbgrader_plugins.SubmissionExporter"
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "course.nbgrader_plugins.Examine",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# One slip, one loss: what fails for a wrong idea already paid for keeps its points. False: it does not.
c.Examine.follow_through = True
# What being late costs, if anything, goes here: docs/teaching.md

# Grades → feedback: our own page, since nbgrader's shows hidden tests and lets HTML through
c.GenerateFeedback.exporter_class = "course.nbgrader_plugins.FeedbackExporter"
c.GenerateFeedback.preprocessors = []

# What formgrader shows of a graded notebook, which holds nothing active anyway: cleaned once more
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "clean_html": "course.nbgrader_plugins.inert_html",
    "markdown2html": "course.nbgrader_plugins.inert_markdown",
}
c.NbConvertBase.display_data_priority = [
    "image/png",
    "image/jpeg",
    "text/html",
    "text/markdown",
    "text/latex",
    "text/plain",
]
