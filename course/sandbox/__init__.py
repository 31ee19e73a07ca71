"""Strangers' code: a fork server inside bubblewrap, one isolated process each, plain data over the wire.

Imports: nothing of the course, since a student's process can see some of its files.
Called by grading; the files that `bubblewrap.INSIDE_FILES` names run inside.
"""
