"""Verdicts and points: the examiner, workers here or on a cluster, the gradebook and what being late costs.

Imports: text, lesson, sheets, sandbox, submission.
Called by the command, by collecting and by nbgrader's plug-ins.
"""
