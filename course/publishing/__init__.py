"""The students' bundle: links, the wheel of `helpers`, the start page, and the site that runs in a browser.

Imports: text, lesson, reporting.
Called by the command and by `make lite`.
"""
