"""The secret half of each lesson, a folder each: wrong ideas as mutants, a sample class with hand-written
points, builders of its recorded data. Data, found by name.
"""
