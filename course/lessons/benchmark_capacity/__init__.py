"""What this lesson keeps from students: wrong ideas as mutants, a sample class, and the builders of what it
ships in `helpers/recorded`.
"""
