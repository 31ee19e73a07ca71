"""What a lesson is, as data: where its files stand, its cells and regions, what a source defines, and the
assignment that a submission is graded against.

Imports: text.
Called by every room that reads a master, a release or the course folder.
"""
