"""What students do not get of this lesson: wrong ideas as mutants, a sample class, the builder of its traces."""
