"""From a master to what students get: translations in step, releases made and proven, wrong ideas as mutants.

Imports: text, lesson, submission.
Called by the command, by grading (to register a lesson's cells) and by the demo.
"""
