"""What this lesson keeps from students: wrong ideas as mutants, a sample class, the reports' builder."""
