"""The JSON of an experiment: load, save, audit, judge.

report = results.load("results/iteration_budget_default.json")
report.record(batch=4, context_tokens=512).decode_median_ms

Imports: hardware, models, schedule, text, timing, workload, writing.
Notebooks, `experiment`, `plots`, the hand-in and the class report call it.
"""

from helpers.results.agreement import MUST_AGREE, FieldDifference, differences
from helpers.results.audit import AuditFinding, audit, raw_samples
from helpers.results.conditions import MEASURED, Hardware, ModelInfo, Provenance, WorkloadInfo
from helpers.results.fields import SCHEMA_VERSION, SCHEMA_VERSION_2, ResultError, Seconds
from helpers.results.files import (
    digest,
    explain,
    from_dict,
    journal_for,
    load,
    path_for,
    run_label,
    save,
    to_dict,
)
from helpers.results.fit import Step, StepFit, fit_steps
from helpers.results.journal import Journal
from helpers.results.judge import DRIFT_OF_EVIDENCE, Judgement, drift_of, judge, remarks
from helpers.results.plausible import is_scaled_copy
from helpers.results.record import FailureKind, Gates, Sentinel, ShapeRecord
from helpers.results.report import Report

__all__ = [
    "DRIFT_OF_EVIDENCE",
    "MEASURED",
    "MUST_AGREE",
    "SCHEMA_VERSION",
    "SCHEMA_VERSION_2",
    "AuditFinding",
    "FailureKind",
    "FieldDifference",
    "Gates",
    "Hardware",
    "Journal",
    "Judgement",
    "ModelInfo",
    "Provenance",
    "Report",
    "ResultError",
    "Seconds",
    "Sentinel",
    "ShapeRecord",
    "Step",
    "StepFit",
    "WorkloadInfo",
    "audit",
    "differences",
    "digest",
    "drift_of",
    "explain",
    "fit_steps",
    "from_dict",
    "is_scaled_copy",
    "journal_for",
    "judge",
    "load",
    "path_for",
    "raw_samples",
    "remarks",
    "run_label",
    "save",
    "to_dict",
]
