"""Builders of what this lesson ships in `helpers/recorded`."""
