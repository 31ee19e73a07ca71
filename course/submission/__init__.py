"""One hand-in as data: read from whatever bytes came, rebuilt around the master's cells, packs unfolded.

Imports: text, lesson.
Called by collecting, grading and reporting, and by nbgrader's plug-ins.
"""
