"""The files beside this one: a CSV's rows, this course's own results, and a name that is known or refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal

from helpers import text

Kind = Literal["measured end to end", "composed from kernels"]

FOLDER = Path(__file__).parent
OWN = {
    "gemm": "gemm_queue.jsonl",
    "profile": "profile_cpu.json.gz",
    "smollm2-135m-cpu": "smollm2_135m_cpu.json",
    "qwen3-0.6b-random-cpu": "qwen3_0p6b_random_cpu.json",
    "launch-cpu": "launch_cpu.json",
    "smollm2-135m-cpu-clean": "smollm2_135m_cpu_clean.json",
    "launch-cpu-clean": "launch_cpu_clean_1.json",
}


def own(name: str) -> Path:
    """A result of this course's own programs on a two-core CPU; an unknown name raises ValueError."""
    return FOLDER / "own" / OWN[known_name(name, tuple(OWN))]


def own_results() -> list[str]:
    """The text of every own recording that is a result of `helpers.experiment`."""
    files = (path for path in (FOLDER / "own").iterdir() if path.suffix == ".json")
    return [path.read_text(encoding="utf-8") for path in sorted(files)]


def read_rows(file_name: str) -> list[dict[str, str]]:
    """The rows of a shipped CSV file, as text."""
    with (FOLDER / file_name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def known_name(name: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise ValueError(text.say("recorded.unknown", name=repr(name), known=", ".join(known)))
    return name
