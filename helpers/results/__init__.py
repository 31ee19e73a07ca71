"""The JSON of an experiment: load, save, compare, merge, audit, judge.

report = results.load("results/iteration_budget_default.json")
report.record(batch=4, context_tokens=512).decode_median_ms
"""

from helpers.results.audit import Finding, audit, raw_samples, shared_samples
from helpers.results.compare import (
    MUST_AGREE,
    ONLY_FOR_MERGING,
    Comparison,
    Difference,
    Pair,
    compare,
    differences,
    merge,
)
from helpers.results.files import digest, from_dict, journal_for, load, path_for, run_label, save, to_dict
from helpers.results.journal import Journal
from helpers.results.judge import Judgement, judge, remarks
from helpers.results.schema import (
    MEASURED,
    SCHEMA_VERSION,
    SCHEMA_VERSION_2,
    FailureKind,
    Gates,
    Hardware,
    ModelInfo,
    Provenance,
    Record,
    Report,
    ResultError,
    Sentinel,
    WorkloadInfo,
)

__all__ = [
    "MEASURED",
    "MUST_AGREE",
    "ONLY_FOR_MERGING",
    "SCHEMA_VERSION",
    "SCHEMA_VERSION_2",
    "Comparison",
    "Difference",
    "FailureKind",
    "Finding",
    "Gates",
    "Hardware",
    "Journal",
    "Judgement",
    "ModelInfo",
    "Pair",
    "Provenance",
    "Record",
    "Report",
    "ResultError",
    "Sentinel",
    "WorkloadInfo",
    "audit",
    "compare",
    "differences",
    "digest",
    "from_dict",
    "journal_for",
    "judge",
    "load",
    "merge",
    "path_for",
    "raw_samples",
    "remarks",
    "run_label",
    "save",
    "shared_samples",
    "to_dict",
]
