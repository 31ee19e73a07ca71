"""What came in, accounted for: folders, archives and each platform's way to name files, to `submitted/`.

Imports: text, lesson, submission.
Called by the command.
"""
