"""The batch × context matrix on a real model: prefill and one decode step a shape, saved shape by shape.

The only part of `helpers` that imports torch and transformers, and only when something runs:

    outcome = experiment.run(experiment.settings(RUN_MODE="real_cpu", WORKLOAD_ID="…-cpu"))

Also a command: `python -m helpers.experiment --help`.

Imports: hardware, models, platforms, preflight, results, schedule, tables, text, timing, workload, writing.
Notebooks and the command call it.
"""

from helpers.experiment.planning import ExperimentPlan, plan
from helpers.experiment.running import Outcome, check, run
from helpers.experiment.settings import RunMode, Settings, settings

__all__ = ["ExperimentPlan", "Outcome", "RunMode", "Settings", "check", "plan", "run", "settings"]
