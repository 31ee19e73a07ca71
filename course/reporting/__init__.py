"""What people read: marks, a feedback page for each student, the class report, and answers that look alike.

Imports: text, lesson, sheets, submission, grading.
Called by the command, the demo and nbgrader's plug-ins.
"""
