"""Kept from students: wrong ideas as mutants, a sample class, the builder of its traces."""
