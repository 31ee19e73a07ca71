"""A lesson in one file for the years after it: written, opened again, graded again and compared.

Imports: text, lesson, sandbox, submission, collecting, grading.
Called by the command.
"""
