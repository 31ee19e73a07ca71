"""The batch × context matrix on a real model: prefill and one decode step a shape, saved shape by shape.

The only part of `helpers` that imports torch and transformers, and only when something runs:

    outcome = experiment.run(experiment.settings(RUN_MODE="real_cpu", WORKLOAD_ID="inf-iteration-budget-cpu"))

Also a command: `python -m helpers.experiment --help`.
"""

from helpers.experiment.constants import RunMode, Settings, settings
from helpers.experiment.planning import Plan, plan
from helpers.experiment.running import Outcome, check, run

__all__ = ["Outcome", "Plan", "RunMode", "Settings", "check", "plan", "run", "settings"]
