"""From a master to what students get: translations in step, releases made and proven, wrong ideas as mutants.

Imports: text, lesson, sandbox, submission, grading.
Called by the command, the demo and nbgrader's plug-ins.
"""
