"""What this lesson keeps from students: wrong ideas as mutants, and a sample class."""
