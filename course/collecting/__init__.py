"""What came in, accounted for: folders, archives and each platform's way to name files, to `submitted/`.

Imports: text, lesson, sheets, submission, grading.
Called by the command.
"""
