"""Settings: the constants that a student sets, checked."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from helpers import platforms, results, workload
from helpers.experiment.attention import ATTENTIONS
from helpers.text import say
from helpers.workload import PROFILES, ProfileId, Weights, Workload, one_of

RunMode = Literal["dry_run", "real_gpu", "real_cpu"]
RUN_MODES: tuple[RunMode, ...] = ("dry_run", "real_gpu", "real_cpu")


@dataclass(frozen=True)
class Settings:
    """What a student sets in the first cell of step 5; the names are those of the course text."""

    workload: Workload = field(default_factory=lambda: workload.registered(workload.default()))
    run_mode: RunMode = "dry_run"
    run_label: str = "default"
    profile_id: ProfileId | None = None
    weights: Weights | None = None
    source: str | None = None
    result_dir: str | None = None
    attention: str | None = None
    try_again: bool = False

    def __post_init__(self) -> None:
        results.run_label(self.run_label)
        one_of("RUN_MODE", self.run_mode, RUN_MODES)
        if self.profile_id is not None:
            one_of("PROFILE_ID", self.profile_id, tuple(PROFILES.values()))
        if self.weights is not None:
            one_of("WEIGHTS", self.weights, ("published", "random"))
        if self.attention is not None:
            one_of("ATTENTION", self.attention, ATTENTIONS)
        if not isinstance(self.try_again, bool):
            raise ValueError(say("experiment.flag", name="TRY_AGAIN", got=repr(self.try_again)))
        for name, value in (("SOURCE", self.source), ("GPU_RESULT_DIR", self.result_dir)):
            if value is not None and not isinstance(value, (str, os.PathLike)):
                raise ValueError(say("experiment.folder_name", name=name, got=repr(value)[:80]))

    @property
    def folder(self) -> Path:
        """Where results go: the folder given, else the one that survives on this platform."""
        return Path(self.result_dir) if self.result_dir else platforms.detect().results_folder

    @property
    def result_path(self) -> Path:
        return results.path_for(self.folder, self.run_label, self.workload.id)

    @property
    def chosen_weights(self) -> Weights:
        registered = workload.EXPERIMENTS.get(self.workload.id)
        return self.weights or (registered.weights if registered else "published")

    def profile(self, torch: Any = None) -> ProfileId:
        """The profile asked for, else the one that the run mode and this machine suggest."""
        if self.profile_id:
            return self.profile_id
        if self.run_mode == "real_cpu":
            return "INF-CPU-MECHANISM"
        if torch is not None and not torch.cuda.is_available() and torch.backends.mps.is_available():
            return "INF-MPS-MECHANISM"
        return "INF-CUDA-MECHANISM"


_CONSTANTS = {
    "WORKLOAD_VERSION": "version",
    "GPU_MODEL_ID": "model_id",
    "GPU_MODEL_REVISION": "model_revision",
    "GPU_DTYPE": "dtype",
    "GPU_BATCH_SIZES": "batch_sizes",
    "GPU_CONTEXT_LENGTHS": "context_lengths",
    "GPU_WARMUP": "warmup",
    "GPU_REPEATS": "repeats",
    "GPU_SEED": "seed",
    "SERIES": "series",
    "TIME_BUDGET_S": "time_budget_s",
}
_OWN_CONSTANTS = {
    "RUN_MODE": "run_mode",
    "RUN_LABEL": "run_label",
    "PROFILE_ID": "profile_id",
    "WEIGHTS": "weights",
    "SOURCE": "source",
    "GPU_RESULT_DIR": "result_dir",
    "ATTENTION": "attention",
    "TRY_AGAIN": "try_again",
}


def settings(WORKLOAD_ID: str | None = None, **constants: Any) -> Settings:
    """Settings from the constants of the course text (RUN_MODE, RUN_LABEL, GPU_BATCH_SIZES, …)."""
    unknown = sorted(set(constants) - set(_CONSTANTS) - set(_OWN_CONSTANTS))
    if unknown:
        known = ", ".join((*_OWN_CONSTANTS, *_CONSTANTS))
        raise ValueError(say("experiment.constant", got=unknown[0], known=known))
    fields = {_CONSTANTS[name]: value for name, value in constants.items() if name in _CONSTANTS}
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    own = {_OWN_CONSTANTS[name]: value for name, value in constants.items() if name in _OWN_CONSTANTS}
    return Settings(workload=workload.registered(WORKLOAD_ID or workload.default(), **fields), **own)
