"""What formgrader (`jupyter lab` in this folder), `nbgrader` and the `course` command share.

COURSE_LANGUAGE=zh or en picks source/ and release/; gradebook, submitted/ and autograded/ know no language.
"""

from pathlib import Path

from nbgrader import preprocessors as nbgrader

from course import steps
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
    nbgrader.LockCells,
    nbgrader.ClearSolutions,
    nbgrader.ClearOutput,
    nbgrader.CheckCellMetadata,
    nbgrader.ComputeChecksums,
    nbgrader.SaveCells,
    nbgrader.ClearHiddenTests,
    nbgrader.ComputeChecksums,
    nbgrader.CheckCellMetadata,
    steps.Tidy,
]

# Submission → grades
c.Autograde.exporter_class = steps.SubmissionExporter
c.Autograde.sanitize_preprocessors = [
    steps.Rebuild,
    nbgrader.OverwriteKernelspec,
    nbgrader.OverwriteCells,
    nbgrader.CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    steps.Run,
    nbgrader.LimitOutput,
    nbgrader.SaveAutoGrades,
    nbgrader.AssignLatePenalties,
    nbgrader.CheckCellMetadata,
]
c.Run.timeout = 60  # seconds a cell
c.Run.extra_arguments = ["--HistoryManager.hist_file=:memory:", "--log-level=ERROR"]

# Grades → feedback: our own page, since nbgrader's shows hidden tests and lets HTML through
c.GenerateFeedback.exporter_class = steps.FeedbackExporter
c.GenerateFeedback.preprocessors = []
