"""The secret half of each lesson, a folder each, found by the lesson's name with `_` for `-`:

    mutants.toml     wrong ideas as edits of the reference solution, and the ideas that no mutant can show
    explained.toml   what stands behind each reference solution in the self-study edition; may be absent
    inputs.toml      what the functions may be called with; counterexamples are drawn from it
    probes.json      calls that tell wrong ideas apart, made by `course.authoring.probes`
    sample_class/    roster.csv, points.csv, ideas.csv and kept.csv written by hand, answers/NAME.py
    …                builders of the recorded data that the lesson ships

Imports: nothing of the course; its data are read by whoever needs them.
"""
