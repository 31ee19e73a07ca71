"""The instructor's machinery behind the `course` command; imports `helpers`, and nothing imports it."""
